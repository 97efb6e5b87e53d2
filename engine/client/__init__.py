"""The Python client of the engine."""

"""The engine: the one way in for every door."""

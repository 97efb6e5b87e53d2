"""Rescans of stored code in the background."""

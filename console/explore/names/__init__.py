"""Completion, signatures and documentation from the names that the image has."""

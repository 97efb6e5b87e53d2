"""Submitting the code of the editor, and following what it does."""

"""Erasing, legal holds, and what is stored about a person."""

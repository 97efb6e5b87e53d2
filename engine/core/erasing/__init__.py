"""Erasing texts on request and by rule, legal holds, and the file of everything about a person."""

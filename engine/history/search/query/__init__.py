"""The query language: text to a typed tree, and back. Pure: no I/O, clock or process."""

"""Parses Python source, and reads what can be read without a syntax tree."""

"""Analysing many files at once, without an engine."""

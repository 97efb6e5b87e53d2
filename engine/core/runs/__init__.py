"""Runs: from an approval to its result."""

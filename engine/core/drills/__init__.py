"""Drills: known-bad submissions that never run, and a score that the reviewer alone is told."""

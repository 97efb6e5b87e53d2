"""Rehearsing what waits: the key, its sheet, and what a rehearsal found."""

"""Tells people who are away from the console what waits, expires, surprises or is wrong."""

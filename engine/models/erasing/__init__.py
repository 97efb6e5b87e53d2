"""Models of erasing texts, and of the legal holds that forbid it."""

"""What was predicted, what was granted and what was observed, compared. Pure."""

"""How alike two pieces of code are: structural fingerprints and similarity."""

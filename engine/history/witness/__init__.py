"""Checkpoints kept outside the history: a file, a URL, a git repository."""

"""Rows of Health beside those of the host, and the watch that records what fails."""

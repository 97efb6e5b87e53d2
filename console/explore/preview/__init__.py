"""Showing the server of a run in the browser."""

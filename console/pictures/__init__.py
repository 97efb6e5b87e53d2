"""Decodes the pictures of runs and draws them in a terminal."""

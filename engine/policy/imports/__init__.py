"""Policies of other tools, read into rules of Pratique and explained line by line. None lowers a risk."""

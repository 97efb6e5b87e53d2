"""Themes, styles and syntax colours."""

"""Exports for other programs. Pure: models in, text or bytes out."""

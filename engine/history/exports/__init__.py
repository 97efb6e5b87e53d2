"""The history in formats that other programs read. Pure: models in, text out."""

"""Functions that are passed on, objects that hold them, and pools that call them."""

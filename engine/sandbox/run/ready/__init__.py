"""Sandboxes that wait ready, and when the next one is made."""

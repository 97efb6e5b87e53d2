"""The inbox folder."""

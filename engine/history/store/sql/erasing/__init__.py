"""What of a history is erased, and what records say so."""

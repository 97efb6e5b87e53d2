"""The index of facts: what cases are found by beside their columns and texts."""

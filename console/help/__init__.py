"""Help, the first-run tour and jump mode."""

"""Several engines over one history: what the others recorded, who lives, and runs that are elsewhere."""

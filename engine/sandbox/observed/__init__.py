"""What gVisor's kernel reports about a run, decoded and reduced to effects. Pure."""

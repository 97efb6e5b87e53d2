"""The Docker driver: one gVisor container for each sandbox."""

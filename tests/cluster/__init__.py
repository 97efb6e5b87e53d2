"""A real Kubernetes with gVisor on this machine, for tests. Needs root."""

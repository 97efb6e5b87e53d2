"""The Kubernetes driver: one Pod of RuntimeClass gvisor for each sandbox."""

"""Resource usage of sandboxes on this host: control groups and the kernel log."""

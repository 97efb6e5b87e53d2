"""What the kernel of this host says of a sandbox: control groups and its log."""

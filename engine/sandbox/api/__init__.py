"""What the engine asks of a sandbox backend, free of any driver."""

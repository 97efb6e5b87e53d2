"""Configuration that changes while the engine runs: policy, secrets, tokens."""

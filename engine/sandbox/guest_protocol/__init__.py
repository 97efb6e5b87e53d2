"""The bytes between the engine and the programs inside a sandbox."""

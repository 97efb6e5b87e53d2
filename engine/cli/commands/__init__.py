"""The commands: one module for each command or group, named after it."""

"""Attacks that try to break what a sandbox promises, run by `pratique selftest`."""

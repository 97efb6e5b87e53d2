"""Attacks on the guarantees of a sandbox, run by `pratique selftest`."""

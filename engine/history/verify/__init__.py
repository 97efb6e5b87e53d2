"""Verification of the whole history."""

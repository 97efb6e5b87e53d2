"""Requesting changes to a submission."""

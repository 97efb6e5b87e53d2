"""Rehearsals: decoys for credentials, and an Internet that the engine plays."""

"""Rehearsals: from a reviewer's wish to what was proven."""

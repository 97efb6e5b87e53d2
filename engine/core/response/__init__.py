"""Responses to incidents: what a query leads to, blocks, and what is stopped; recorded and undoable."""

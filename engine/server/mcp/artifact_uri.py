"""The address of a file that code left."""

from __future__ import annotations

from urllib.parse import quote


def uri_of(id: str, name: str) -> str:
    """Return the address by which an agent reads a file of a run."""
    return f"pratique://runs/{id}/files/{quote(name, safe='', errors='surrogatepass')}"

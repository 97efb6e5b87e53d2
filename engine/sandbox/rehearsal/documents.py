"""Files of a person, which code has no reason to change, drawn anew each time."""

from __future__ import annotations

import secrets

_NAMES = {
    "Documents/contract.docx": b"PK\x03\x04\x14\x00\x06\x00",
    "Documents/taxes.xlsx": b"PK\x03\x04\x14\x00\x06\x00",
    "Documents/thesis.pdf": b"%PDF-1.7\n",
    "Pictures/family.jpg": b"\xff\xd8\xff\xe0\x00\x10JFIF\x00",
    "backup/customers.sql": b"-- PostgreSQL database dump\nCREATE TABLE customers (id int);\n",
}
"""Names, and how such files begin."""
_BYTES = 1500


def documents() -> dict[str, bytes]:
    """Return files with new contents."""
    return {name: head + secrets.token_bytes(_BYTES) for name, head in _NAMES.items()}

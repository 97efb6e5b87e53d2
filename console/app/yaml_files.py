"""Reads the YAML files of the user: preferences and themes. Strict, and with the line of what is wrong."""

from __future__ import annotations

from pathlib import Path

from engine.common.file_faults import PolicyError
from engine.common.strict_yaml import Document, parse


def parse_mapping(file: Path, content: bytes) -> Document:
    """Return the mapping in the content of a file.

    Raises:
        ValueError: it is not strict YAML, or not a mapping; the message has the line.
    """
    try:
        document = parse(file, content)
    except PolicyError as error:
        fault = error.faults[0]
        message = fault.message.removeprefix("not YAML: ")
        raise ValueError(f"line {fault.place.line}: {message}") from None
    if not isinstance(document.value, dict):
        line = document.place(()).line
        raise ValueError(f"line {line}: the file: a mapping `key: value` is required")  # noqa: TRY004
    return document

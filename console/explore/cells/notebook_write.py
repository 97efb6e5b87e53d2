"""Writes notebook files: Jupyter's format, version 4.5. Pure."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from console.explore.cells.results import PICTURE, TABLE, CellResult, Shown
from console.explore.cells.script import Cell, CellKind
from engine.models import Language

KERNELS = {
    Language.PYTHON: ("python3", "Python 3", "python"),
    Language.JAVASCRIPT: ("javascript", "JavaScript", "javascript"),
    Language.SHELL: ("bash", "Bash", "bash"),
}
"""The kernel of each language: its name, its title, and what it calls the language."""


def written(language: Language, cells: Sequence[Cell], results: Mapping[int, CellResult]) -> bytes:
    """Return a notebook file with these cells and what they gave."""
    kernel, title, name = KERNELS[language]
    notebook = {
        "cells": [_written_cell(index, cell, results.get(index)) for index, cell in enumerate(cells)],
        "metadata": {
            "kernelspec": {"display_name": title, "language": name, "name": kernel},
            "language_info": {"name": name},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    text = json.dumps(notebook, indent=1, ensure_ascii=True)
    return text.encode() + b"\n"


def _written_cell(index: int, cell: Cell, result: CellResult | None) -> dict[str, Any]:
    identity = hashlib.sha256(f"{index} {cell.source!r}".encode()).hexdigest()[:12]
    about: dict[str, Any] = {"cell_type": cell.kind.value, "id": identity, "metadata": {},
                             "source": cell.source.splitlines(keepends=True)}  # fmt: skip
    if cell.kind is CellKind.CODE:
        about["execution_count"] = (result.number or None) if result else None
        about["outputs"] = _outputs(result) if result else []
    return about


def _outputs(result: CellResult) -> list[dict[str, Any]]:
    streams = (("stdout", result.stdout.text), ("stderr", result.stderr.text))
    written = [
        {"output_type": "stream", "name": name, "text": text.splitlines(keepends=True)}
        for name, text in streams
        if text
    ]
    return written + [_written_shown(each, result.number) for each in result.shown]


def _written_shown(shown: Shown, number: int) -> dict[str, Any]:
    if shown.mime == PICTURE:
        data: dict[str, Any] = {PICTURE: base64.b64encode(shown.data).decode(), "text/plain": "<picture>"}
    elif shown.mime == "application/json":
        data = {"application/json": _parsed(shown.text.text), "text/plain": shown.text.text}
    elif shown.mime == TABLE:
        data = {"text/plain": shown.text.text}
    else:
        data = {shown.mime: shown.text.text}
    if shown.final:
        return {"output_type": "execute_result", "data": data, "metadata": {},
                "execution_count": number or None}  # fmt: skip
    return {"output_type": "display_data", "data": data, "metadata": {}}


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refused)
    except (ValueError, RecursionError):
        return text


def _refused(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")

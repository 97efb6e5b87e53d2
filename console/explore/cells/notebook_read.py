"""Reads notebook files: Jupyter's format, version 4, strictly and within bounds. Pure."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from console.explore.cells.results import PICTURE, CellResult, Shown
from console.explore.cells.script import Cell, CellKind
from engine.common.text import Untrusted
from engine.models import Language

MOST_BYTES = 32 << 20
MOST_CELLS = 5_000
MOST_PICTURE = 8 << 20
TEXTS = ("text/html", "image/svg+xml", "application/json", "text/markdown", "text/latex", "text/plain")
"""Texts that are kept of an output, the richest first; they are displayed as text."""
LANGUAGES = {"python": Language.PYTHON, "javascript": Language.JAVASCRIPT, "node": Language.JAVASCRIPT,
             "bash": Language.SHELL, "sh": Language.SHELL, "shell": Language.SHELL}  # fmt: skip

Lines = str | Annotated[list[str], Field(max_length=200_000)]


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class _Stream(_Part):
    output_type: Literal["stream"]
    name: str
    text: Lines


class _Data(_Part):
    output_type: Literal["display_data", "execute_result"]
    data: dict[str, Any]


class _Error(_Part):
    output_type: Literal["error"]
    ename: str
    evalue: str
    traceback: list[str]


class _NotebookCell(_Part):
    cell_type: Literal["code", "markdown", "raw"]
    source: Lines
    execution_count: int | None = None
    outputs: list[Annotated[_Stream | _Data | _Error, Field(discriminator="output_type")]] = []


class _Notebook(_Part):
    nbformat: Literal[4]
    nbformat_minor: Annotated[int, Field(ge=0, le=100)]
    metadata: dict[str, Any]
    cells: Annotated[list[_NotebookCell], Field(max_length=MOST_CELLS)]


Contents = tuple[Language, tuple[Cell, ...], dict[int, CellResult]]
"""The language of a notebook, its cells, and what they gave, by index."""


def read(data: bytes) -> Contents:
    """Return what a notebook file holds.

    Raises:
        ValueError: it is no notebook of version 4, or larger than `MOST_BYTES`.
    """
    if len(data) > MOST_BYTES:
        raise ValueError(f"it is larger than {MOST_BYTES >> 20} MiB")
    try:
        notebook = _Notebook.model_validate_json(data)
    except ValidationError as error:
        raise ValueError(_reason(error)) from None
    cells = tuple(Cell(_text(each.source), CellKind(each.cell_type)) for each in notebook.cells)
    results = {
        index: _result(cells[index].source.rstrip(), each)
        for index, each in enumerate(notebook.cells)
        if each.outputs or each.execution_count
    }
    return _language(notebook.metadata), cells, results


def _reason(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(each) for each in first["loc"]) or "the file"
    return f"it is no notebook of version 4: {place}: {first['msg']}"[:300]


def _text(lines: str | list[str]) -> str:
    return lines if isinstance(lines, str) else "".join(lines)


def _language(metadata: Mapping[str, Any]) -> Language:
    """Return the language that a notebook names; Python where it names none that is known."""
    for part, key in (("kernelspec", "language"), ("language_info", "name")):
        about = metadata.get(part)
        name = about.get(key) if isinstance(about, dict) else None
        if isinstance(name, str) and name.lower() in LANGUAGES:
            return LANGUAGES[name.lower()]
    return Language.PYTHON


def _result(source: str, cell: _NotebookCell) -> CellResult:
    stdout, stderr = (_stream_text(cell, stderr=error) for error in (False, True))
    errors = [each for each in cell.outputs if isinstance(each, _Error)]
    for error in errors:
        stderr += "\n".join(error.traceback or [f"{error.ename}: {error.evalue}"]) + "\n"
    shown = tuple(found for each in cell.outputs if isinstance(each, _Data) if (found := _shown(each)))
    return CellResult(source, Untrusted(stdout), Untrusted(stderr), shown, succeeded=not errors,
                      number=cell.execution_count or 0)  # fmt: skip


def _stream_text(cell: _NotebookCell, *, stderr: bool) -> str:
    streams = (each for each in cell.outputs if isinstance(each, _Stream))
    return "".join(_text(each.text) for each in streams if (each.name == "stderr") is stderr)


def _shown(output: _Data) -> Shown | None:
    final = output.output_type == "execute_result"
    picture = output.data.get(PICTURE)
    if isinstance(picture, str) and (data := _decoded(picture)):
        return Shown(PICTURE, data=data, final=final)
    for mime in TEXTS:
        if (value := output.data.get(mime)) is not None:
            return Shown(mime, Untrusted(_value_text(value)), final=final)
    return None


def _value_text(value: object) -> str:
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return "".join(value)
    return value if isinstance(value, str) else json.dumps(value)


def _decoded(picture: str) -> bytes:
    try:
        return base64.b64decode(picture[: 2 * MOST_PICTURE])
    except (binascii.Error, ValueError):
        return b""

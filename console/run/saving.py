"""Saves output, artifacts and case files in new files, byte for byte as the engine recorded them."""

from __future__ import annotations

import asyncio
import re
from contextlib import aclosing
from pathlib import Path
from typing import BinaryIO

from textual.widget import Widget

from console.widgets.formatting import size
from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.local_files import new_file
from engine.common.text import Untrusted

LONGEST_NAME = 100
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9._-]")


async def save_output(client: Client, id: str, name: str) -> int:
    """Write the output of a run to a new file with mode 0600, and return its size.

    Raises:
        Problem: the file exists, or cannot be written.
    """
    written = 0
    with _new(name) as file:
        async with aclosing(client.output(id)) as chunks:
            async for chunk in chunks:
                written += file.write(chunk.data)
    return written


async def save_case_file(client: Client, id: str, name: str) -> int:
    """Write the case file of a submission to a new file with mode 0600, and return its size.

    Raises:
        Problem: part of it was erased, the file exists, or it cannot be written.
    """
    return await asyncio.to_thread(save_bytes, await client.history.case_file(id), name)


def save_bytes(data: bytes, name: str) -> int:
    """Write `data` to a new file with mode 0600, and return its size.

    Raises:
        Problem: the file exists, or cannot be written.
    """
    with _new(name) as file:
        return file.write(data)


async def save_and_notify(screen: Widget, data: bytes, name: str) -> None:
    """Write `data` to a new file, and say how much was saved, or why nothing was."""
    try:
        saved = await asyncio.to_thread(save_bytes, data, name)
    except Problem as problem:
        screen.notify(str(problem), severity="error")
    else:
        screen.notify(f"Saved {size(saved)} to {name}")


def suggested_name(name: Untrusted, default: str) -> str:
    """Return a safe file name for an artifact: its last path component, plain characters, never hidden."""
    plain = _NOT_PLAIN.sub("_", re.split(r"[/\\]", name.text)[-1])
    return plain[-LONGEST_NAME:].lstrip(".-") or default


def _new(name: str) -> BinaryIO:
    path = Path(name.strip()).expanduser()
    try:
        return new_file(path)
    except FileExistsError:
        raise Problem(409, f"{path} already exists", hint="Choose another name") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "not a file name"
        raise Problem(400, f"{path}: {why}", hint="Choose another name") from None

"""Writes what a run wrote, showed or left into new files of the person's, as the engine recorded it."""

from __future__ import annotations

import asyncio
import os
import re
from contextlib import aclosing
from pathlib import Path
from typing import BinaryIO

from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted

LONGEST_NAME = 100
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9._-]")


async def save_output(client: Client, id: str, name: str) -> int:
    """Write the output of a run, byte for byte, into a new file that only its owner reads; return its size.

    Raises:
        Problem: the file is there already, or cannot be written.
    """
    written = 0
    with _new(name) as file:
        async with aclosing(client.output(id)) as chunks:
            async for chunk in chunks:
                written += file.write(chunk.data)
    return written


async def save_case_file(client: Client, id: str, name: str) -> int:
    """Write the case file of a submission into a new file that only its owner reads; return its size.

    Raises:
        Problem: something of it was erased, the file is there already, or it cannot be written.
    """
    return await asyncio.to_thread(save_bytes, await client.case_file(id), name)


def save_bytes(data: bytes, name: str) -> int:
    """Write `data` into a new file that only its owner reads; return its size.

    Raises:
        Problem: the file is there already, or cannot be written.
    """
    with _new(name) as file:
        return file.write(data)


def proposed(name: Untrusted, otherwise: str) -> str:
    """Return a name for the file of a guest: its last part, of plain characters, never hidden."""
    plain = _NOT_PLAIN.sub("_", re.split(r"[/\\]", name.text)[-1])
    return plain[-LONGEST_NAME:].lstrip(".-") or otherwise


def _new(name: str) -> BinaryIO:
    path = Path(name.strip()).expanduser()
    try:
        return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
    except FileExistsError:
        raise Problem(409, f"{path} is there already", hint="Give another name") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "no name of a file"
        raise Problem(400, f"{path}: {why}", hint="Give another name") from None

"""Writes the whole output of a run into a file, as the engine recorded it."""

from __future__ import annotations

import os
from contextlib import aclosing
from pathlib import Path

from engine.doors.client import Client
from engine.problem import Problem


async def save_output(client: Client, id: str, name: str) -> int:
    """Write the output of a run, byte for byte, into a new file that only its owner reads; return its size.

    Raises:
        Problem: the file is there already, or cannot be written.
    """
    path = Path(name.strip()).expanduser()
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise Problem(409, f"{path} is there already", mend="Give another name") from None
    except OSError as error:
        raise Problem(400, f"{path}: {error.strerror}", mend="Give another name") from None
    written = 0
    with os.fdopen(handle, "wb") as file:
        async with aclosing(client.output(id)) as chunks:
            async for chunk in chunks:
                written += file.write(chunk.data)
    return written

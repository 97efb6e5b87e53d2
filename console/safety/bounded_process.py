"""Work on what a guest made, in a process without environment and with bounds on its time and memory."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from engine.common.errors import Problem

ROOT = Path(__file__).parents[2]
PROGRAM = (
    "import sys; sys.path.insert(0, sys.argv[1]); from importlib import import_module; "
    "sys.exit(import_module(sys.argv[2]).main(*sys.argv[3:]))"
)


async def answer_of(module: str, *arguments: str, data: bytes, seconds: float) -> tuple[bool, bytes]:
    """Run `main` of a module on `data`; return whether it succeeded, and what it wrote.

    Raises:
        Problem: it took too long (422).
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-c", PROGRAM, str(ROOT), module, *arguments, env={},
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        async with asyncio.timeout(seconds):
            answer, _ = await process.communicate(data)
    except TimeoutError:
        raise Problem(422, "reading it took too long") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode == 0, answer

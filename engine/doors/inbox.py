"""The inbox: a file or a folder dropped into it becomes a submission, and its result appears beside it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import stat
from pathlib import Path

from watchfiles import awatch

from engine.audit import AuditError
from engine.doors.files import is_main, read_draft, read_folder
from engine.models import Case, Principal, Stream
from engine.policy.returned import for_agent
from engine.problem import Problem
from engine.service import Engine
from engine.text import Untrusted, visible

RESULT = ".result.json"
SETTLE_SECONDS = 0.25
SETTLE_TRIES = 240
MOST_PRINTED = 256 * 1024
"""Bytes of each output stream that a result repeats."""

INBOX = Principal(name=Untrusted("inbox"))


async def watch_inbox(engine: Engine, folder: Path) -> None:
    """Submit each file and folder that has no result yet, now and as they come, until cancelled."""
    changes = awatch(folder, recursive=False, debounce=200)
    async with contextlib.aclosing(changes), asyncio.TaskGroup() as tasks:
        taken: set[str] = set()
        while True:
            for path in sorted(folder.iterdir()):
                if path.name not in taken and _is_new(path):
                    taken.add(path.name)
                    tasks.create_task(_take(engine, path, taken))
            await anext(changes)


def _is_new(path: Path) -> bool:
    return not path.name.startswith(".") and not path.name.endswith(RESULT) and not _result(path).exists()


async def _take(engine: Engine, path: Path, taken: set[str]) -> None:
    try:
        await _settled(path)
        read = read_folder if path.is_dir() and not path.is_symlink() else read_draft
        draft = read(path, engine.settings.doors.max_request_bytes)
        case = engine.desk.waiting_twin(draft, INBOX) or await engine.desk.submit(draft, INBOX)
        case = await engine.over(case.submission.id)
        _write(path, _told(case) | await _printed(engine, case))
    except (AuditError, Problem, FileNotFoundError) as error:
        if path.exists():
            _write(path, {"status": "refused", "reason": str(error)})
    finally:
        taken.discard(path.name)


async def _settled(path: Path) -> None:
    """Wait until a file, or a folder with a main file, has stopped changing."""
    before = None
    for _ in range(SETTLE_TRIES):
        now = _stamp(path)
        if now and before == now:
            return
        before = now
        await asyncio.sleep(SETTLE_SECONDS)
    raise Problem(
        408,
        f"{visible(path.name)} is not finished",
        mend="Write it elsewhere, then move it in, main.py and all.",
    )


def _stamp(path: Path) -> tuple[tuple[str, int, int], ...]:
    """Return what changes when a file or a folder does; nothing while a folder has no main file."""
    about = path.lstat()
    if not stat.S_ISDIR(about.st_mode):
        return ((path.name, about.st_size, about.st_mtime_ns),)
    entries = [(entry.name, entry.stat(follow_symlinks=False)) for entry in os.scandir(path)]
    if not any(is_main(name) for name, _ in entries):
        return ()
    return tuple(sorted((name, now.st_size, now.st_mtime_ns) for name, now in entries))


def _told(case: Case) -> dict[str, object]:
    decision, result = case.decision, case.result
    return {
        "id": case.submission.id,
        "digest": case.submission.digest,
        "status": case.status.value,
        "risk": case.assessment.risk.value,
        "reason": decision.reason.text if decision else "",
        "result": result.model_dump(mode="json") if result else None,
    }


async def _printed(engine: Engine, case: Case) -> dict[str, str]:
    """Return what the code printed, of each stream so much, masked and with tracebacks shortened."""
    if case.result is None:
        return {}
    said = {stream: bytearray() for stream in Stream}
    async with contextlib.aclosing(engine.output(case.submission.id)) as chunks:
        async for chunk in chunks:
            left = MOST_PRINTED - len(said[chunk.stream])
            said[chunk.stream] += chunk.data[: max(0, left)]
    return {stream.value: for_agent(text.decode(errors="replace")) for stream, text in said.items()}


def _write(path: Path, told: dict[str, object]) -> None:
    result = _result(path)
    part = result.with_name(f".{result.name}.part")
    part.write_text(json.dumps(told, indent=2) + "\n")
    part.replace(result)


def _result(path: Path) -> Path:
    return path.with_name(path.name + RESULT)

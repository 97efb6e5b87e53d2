"""The inbox: a file or a folder dropped into it becomes a submission, and its result appears beside it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import stat
from collections.abc import AsyncGenerator
from itertools import islice
from pathlib import Path

from watchfiles import awatch

from engine.common import log
from engine.common.draft_files import MOST_FILES, is_main, read_draft, read_folder
from engine.common.errors import Problem
from engine.common.text import Untrusted, visible
from engine.core import Engine
from engine.history.errors import HistoryError
from engine.models import Case, Principal, Stream
from engine.policy.output.agent_output import prepare_for_agent
from engine.policy.output.masking.stream import MOST_SECRET

RESULT = ".result.json"
PART = ".part"
LONGEST = 255 - len("." + RESULT + PART)
"""Bytes of a name beside which a result still has a name that the file system takes."""
LOOK_MS = 5000
"""How often the inbox is read where the kernel reports no changes."""
AGAIN_SECONDS = 1.0
"""How long a watcher that gave up is left alone."""
SETTLE_SECONDS = 0.25
SETTLE_TRIES = 240
MOST_ENTRIES = 50_000
"""How many entries of the inbox are looked at, results among them."""
MOST_PRINTED = 256 * 1024
"""Bytes of each output stream that a result repeats."""

INBOX = Principal(name=Untrusted("inbox"))


async def watch_inbox(engine: Engine, folder: Path) -> None:
    """Submit each file and folder that has no result yet, now and as they come, until cancelled."""
    async with contextlib.aclosing(_looks(folder)) as looks, asyncio.TaskGroup() as tasks:
        taken: set[str] = set()
        while True:
            places = engine.settings.server.max_pending_each - len(taken)
            for path in await asyncio.to_thread(_new_entries, folder, frozenset(taken), places):
                taken.add(path.name)
                tasks.create_task(_take(engine, path, taken))
            await anext(looks)


async def _looks(folder: Path) -> AsyncGenerator[None, None]:
    """Yield when something has changed in the inbox, and now and then where the kernel cannot tell.

    The watcher gives up at a name that is no UTF-8; a new one takes its place.
    """
    while True:
        try:
            watcher = awatch(
                folder, recursive=False, debounce=200, rust_timeout=LOOK_MS, yield_on_timeout=True
            )
            async with contextlib.aclosing(watcher) as changes:
                async for _ in changes:
                    yield
        except (OSError, RuntimeError, ExceptionGroup):
            await asyncio.sleep(AGAIN_SECONDS)
        yield


def _new_entries(folder: Path, taken: frozenset[str], places: int) -> list[Path]:
    """Return the first entries of the inbox without a result; none while it is missing or cannot be read."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in islice(entries, MOST_ENTRIES)]
    except OSError:
        return []
    new = (folder / name for name in sorted(names) if name not in taken)
    return list(islice(filter(_is_new, new), max(0, places)))


def _is_new(path: Path) -> bool:
    if path.name.startswith(".") or path.name.endswith(RESULT) or len(os.fsencode(path.name)) > LONGEST:
        return False
    return not os.path.lexists(_result(path))


async def _take(engine: Engine, path: Path, taken: set[str]) -> None:
    """Submit a dropped file and write its result. No file can stop the inbox or the engine.

    A file whose result cannot be written stays claimed, so that it is not submitted again.
    """
    try:
        await _hand_in(engine, path)
    except (HistoryError, OSError, Problem) as error:
        _refuse(path, str(error))
    except Exception as error:
        _refuse(path, str(Problem.internal(log.internal_error(error, "inbox"))))
    if not _is_new(path) or not os.path.lexists(path):
        taken.discard(path.name)


async def _hand_in(engine: Engine, path: Path) -> None:
    await _settled(path)
    read = read_folder if path.is_dir() and not path.is_symlink() else read_draft
    draft = await asyncio.to_thread(read, path, engine.settings.server.max_request_bytes)
    case = engine.submissions.open_twin(draft, INBOX) or await engine.submissions.submit(draft, INBOX)
    case = await engine.queries.finished(case.submission.id)
    _write(path, _result_fields(case) | await _printed(engine, case))


def _refuse(path: Path, reason: str) -> None:
    """Tell why beside what is still there; where nothing can be written, in the log."""
    try:
        if os.path.lexists(path):
            _write(path, {"status": "refused", "reason": reason})
    except OSError as error:
        log.warning("inbox.write_failed", file=path.name, error=error.strerror)


async def _settled(path: Path) -> None:
    """Wait until a file, or a folder with a main file, has stopped changing."""
    before = None
    for _ in range(SETTLE_TRIES):
        now = await asyncio.to_thread(_stamp, path)
        if now and before == now:
            return
        before = now
        await asyncio.sleep(SETTLE_SECONDS)
    raise Problem(
        408,
        f"{visible(path.name)} is not finished",
        hint="Write it elsewhere, then move it in, main.py and all.",
    )


def _stamp(path: Path) -> tuple[tuple[str, int, int], ...]:
    """Return what changes when a file or a folder does; nothing while a folder has no main file."""
    about = path.lstat()
    if not stat.S_ISDIR(about.st_mode):
        return ((path.name, about.st_size, about.st_mtime_ns),)
    with os.scandir(path) as found:
        entries = [(entry.name, entry.stat(follow_symlinks=False)) for entry in islice(found, MOST_FILES + 1)]
    if len(entries) <= MOST_FILES and not any(is_main(name) for name, _ in entries):
        return ()
    return tuple(sorted((name, now.st_size, now.st_mtime_ns) for name, now in entries))


def _result_fields(case: Case) -> dict[str, object]:
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
    texts = {stream: bytearray() for stream in Stream}
    async with contextlib.aclosing(engine.queries.output(case.submission.id)) as chunks:
        async for chunk in chunks:
            left = MOST_PRINTED + MOST_SECRET - len(texts[chunk.stream])
            texts[chunk.stream] += chunk.data[: max(0, left)]
    return {
        stream.value: prepare_for_agent(
            text.decode(errors="replace"), len(text[:MOST_PRINTED].decode(errors="replace"))
        )
        for stream, text in texts.items()
    }


def _write(path: Path, content: dict[str, object]) -> None:
    """Write a result as a new file, atomically; never follow a link of that name."""
    result = _result(path)
    part = result.with_name(f".{result.name}{PART}")
    part.unlink(missing_ok=True)
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(json.dumps(content, indent=2) + "\n")
    part.replace(result)


def _result(path: Path) -> Path:
    return path.with_name(path.name + RESULT)

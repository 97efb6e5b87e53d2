"""Runs the analysis in worker processes, with a deadline and a memory limit, fairly between requesters.

A killed worker is a result, not an error: the code that it was analysing gets a HIGH violation. As
`python -I -m engine.analysis_pool SETTINGS-JSON`, this module is the worker: it reads requests from standard
input and answers on standard output, each a big-endian 32-bit length followed by that much JSON.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import resource
import signal
import struct
import sys
import time
import warnings
from collections.abc import Collection
from dataclasses import dataclass
from typing import BinaryIO

from engine.analysis.limits import CRASHED, DEADLINE, unfinished
from engine.common.fair_slots import FairSlots
from engine.models import Analysis, Language
from engine.settings import AnalysisSettings

_START_SECONDS = 30.0
LEAST_WORKERS = 2
"""One for whoever sends slow code, and one for the others."""
_LENGTH = struct.Struct(">I")
_READY = b"ready"


class AnalysisPool:
    """Analyses code in worker processes, which start when needed and are replaced when they die.

    The worker that was used last is taken first, so that a quiet engine keeps a single one.

    No requester has all of them: whoever sends slow code holds up nobody else for longer than one analysis.
    """

    def __init__(self, settings: AnalysisSettings | None = None, workers: int | None = None) -> None:
        self.settings = settings or AnalysisSettings()
        workers = workers or max(LEAST_WORKERS, os.cpu_count() or 1)
        self._slots = FairSlots(workers, max(1, workers - 1))
        self._workers = [_AnalysisWorker(self.settings) for _ in range(workers)]
        self._idle: asyncio.LifoQueue[_AnalysisWorker] = asyncio.LifoQueue()
        for worker in reversed(self._workers):
            self._idle.put_nowait(worker)

    async def start(self) -> None:
        """Start one worker, so that the first analysis is fast. Optional; the others start when needed.

        Raises OSError, TimeoutError: it did not start.
        """
        worker = await self._idle.get()
        try:
            await worker.start()
        finally:
            self._idle.put_nowait(worker)

    async def close(self) -> None:
        """Kill the workers."""
        async with asyncio.TaskGroup() as group:
            for worker in self._workers:
                group.create_task(worker.kill())

    async def analyse(
        self,
        source: str | bytes,
        language: Language,
        requester: str = "",
        *,
        inputs: Collection[str] = (),
    ) -> Analysis:
        """Return the analysis of `source`. Never raises: a late or dead worker is a HIGH violation.

        `inputs` has the names of the input files that are granted with it.
        """
        async with self._slots.slot(requester):
            worker = await self._idle.get()
            try:
                return await worker.analyse(_Request(source, language, tuple(inputs)))
            finally:
                self._idle.put_nowait(worker)


@dataclass(frozen=True, slots=True)
class _Request:
    """What a worker is asked to analyse."""

    source: str | bytes
    language: Language
    inputs: tuple[str, ...]

    def encoded(self, *, part: bool) -> bytes:
        """Return JSON, which keeps lone surrogates of text as escapes; bytes travel as Latin-1."""
        is_text = isinstance(self.source, str)
        text = self.source if isinstance(self.source, str) else self.source.decode("latin-1")
        fields = {"source": text, "bytes": not is_text, "language": self.language, "part": part}
        return json.dumps({**fields, "inputs": self.inputs}).encode()


class _AnalysisWorker:
    """One process, which handles one request at a time."""

    def __init__(self, settings: AnalysisSettings) -> None:
        self._settings = settings
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start the process unless it runs, and wait until it is ready. Raises OSError, TimeoutError."""
        if self._process and self._process.returncode is None:
            return
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-I", "-m", "engine.analysis_pool", self._settings.model_dump_json()),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            async with asyncio.timeout(_START_SECONDS):
                await self._receive(self._process)
        except BaseException as error:
            await asyncio.shield(self.kill())
            if isinstance(error, EOFError):
                raise OSError("an analysis process ended before it was ready") from None
            raise

    async def kill(self) -> None:
        """Kill the process, if any, and wait until it has ended."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        if process.stdin is not None:
            process.stdin.close()
        await process.wait()

    async def analyse(self, request: _Request) -> Analysis:
        seconds, began = self._settings.deadline_seconds, time.monotonic()
        try:
            return await self._analyse(request, part=False)
        except TimeoutError:
            message = f"The analysis exceeded its deadline of {seconds:g} s and was killed"
            outcome = unfinished(DEADLINE, message)
        except (OSError, EOFError, ValueError) as error:
            message = f"The analysis process ended without a result ({type(error).__name__})"
            outcome = unfinished(CRASHED, message)
        found = _with_part(outcome, await self._part(request))
        return found.with_seconds(time.monotonic() - began)

    async def _part(self, request: _Request) -> Analysis:
        """Return what a new process finds in the ordinary lines of the code."""
        try:
            return await self._analyse(request, part=True)
        except (OSError, EOFError, ValueError):
            return Analysis(complete=False)

    async def _analyse(self, request: _Request, *, part: bool) -> Analysis:
        """Send a request, and kill the process if it fails. Raises OSError, EOFError, ValueError."""
        try:
            await self.start()
            async with asyncio.timeout(self._settings.deadline_seconds):
                return await self._send(request.encoded(part=part))
        except BaseException:
            await asyncio.shield(self.kill())
            raise

    async def _send(self, request: bytes) -> Analysis:
        process = self._process
        if process is None or process.stdin is None:
            raise EOFError
        process.stdin.write(_frame(request))
        await process.stdin.drain()
        return Analysis.model_validate_json(await self._receive(process))

    async def _receive(self, process: asyncio.subprocess.Process) -> bytes:
        if process.stdout is None:
            raise EOFError
        (length,) = _LENGTH.unpack(await process.stdout.readexactly(_LENGTH.size))
        return await process.stdout.readexactly(length)


def _frame(body: bytes) -> bytes:
    return _LENGTH.pack(len(body)) + body


def _with_part(outcome: Analysis, part: Analysis) -> Analysis:
    return outcome.with_violations(part.violations).with_effects(part.effects)


# --- the worker -----------------------------------------------------------------------------------


def serve(settings: AnalysisSettings, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until the input ends. An alarm ends an orphan that hangs."""
    from engine.analysis import analyse  # noqa: PLC0415  only a worker needs the languages
    from engine.analysis.fallback import analyse_part  # noqa: PLC0415

    _answer(answers, _READY)
    while head := requests.read(_LENGTH.size):
        request = json.loads(requests.read(_LENGTH.unpack(head)[0]))
        signal.setitimer(signal.ITIMER_REAL, settings.deadline_seconds * 2)
        source = request["source"].encode("latin-1") if request["bytes"] else request["source"]
        started = time.perf_counter()
        analysis = (
            analyse_part(source, Language(request["language"]), settings)
            if request["part"]
            else analyse(source, Language(request["language"]), settings, frozenset(request["inputs"]))
        )
        seconds = time.perf_counter() - started
        _answer(answers, analysis.with_seconds(seconds).model_dump_json().encode())
        signal.setitimer(signal.ITIMER_REAL, 0)


def _answer(answers: BinaryIO, body: bytes) -> None:
    answers.write(_frame(body))
    answers.flush()


def main() -> None:
    """Run a worker."""
    from engine.analysis import analyse  # noqa: PLC0415  only a worker needs the languages

    settings = AnalysisSettings.model_validate_json(sys.argv[1])
    warnings.simplefilter("ignore")
    analyse("import os", Language.PYTHON, settings)
    gc.collect()
    gc.freeze()
    limit = settings.memory_mb * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    serve(settings, sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()

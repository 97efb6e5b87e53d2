"""Asks a sandbox of an image for the names that code can use there, once for each image."""

from __future__ import annotations

import asyncio
import hashlib
import uuid
from importlib import resources
from pathlib import Path

from engine.common.errors import Problem
from engine.common.local_files import read_file, write_private
from engine.common.text import Untrusted, visible
from engine.core.code_names.answer import checked_table
from engine.images import reference
from engine.models import Language, Limits, Meters, OutputChunk, Stream
from engine.models.code_names import CodeNames
from engine.sandbox import Backend, SandboxUnavailable
from engine.sandbox.api.errors import ImageMissing
from engine.sandbox.api.job import Job
from engine.sandbox.api.permit import StartPermit, StartRequest, permit_image
from engine.sandbox.api.run_events import RunEvent
from engine.settings import SandboxSettings

LIMITS = Limits(seconds=120, cpus=2, memory_mb=1024, output_kb=16 * 1024)
MOST_BYTES = 32 * 1024 * 1024
MOST_KEPT = 16
"""Images whose names are kept."""
_PROGRAMS = {
    Language.PYTHON: "collect_python.py",
    Language.JAVASCRIPT: "collect_javascript.js",
    Language.SHELL: "collect_shell.sh",
}


class _CollectedNames:
    """A watcher that keeps standard output."""

    def __init__(self, image_digest: str) -> None:
        self.output_so_far = bytearray()
        self._image_digest = image_digest

    async def permit(self, request: StartRequest) -> StartPermit:
        return permit_image(request, self._image_digest)

    async def output(self, chunk: OutputChunk) -> None:
        if chunk.stream is Stream.STDOUT:
            self.output_so_far += chunk.data

    def meters(self, sample: Meters) -> None:
        pass

    async def event(self, event: RunEvent) -> None:
        pass


class CodeNameService:
    """Knows the names of images. The program that asks is the engine's own; no submission is involved."""

    def __init__(self, settings: SandboxSettings, sandboxes: Backend, folder: Path) -> None:
        self._settings = settings
        self._sandboxes = sandboxes
        self._folder = folder
        self._asking = asyncio.Lock()

    async def of(self, language: Language, image: str = "") -> CodeNames:
        """Return the names of an image; without a name, of the image with all libraries of the language.

        Raises:
            Problem: there is no such image (404), or no sandbox could be asked (503).
        """
        name = image or self._usual(language)
        try:
            digest = await self._sandboxes.image_digest(reference(name))
            async with self._asking:  # one sandbox at a time, and nobody asks for what is on the way
                kept = await asyncio.to_thread(self._kept, self._file(digest, language))
                return kept or await self._asked(name, digest, language)
        except SandboxUnavailable as error:
            status = 404 if isinstance(error, ImageMissing) else 503
            raise Problem(
                status, f"the names of {visible(name)} are not known: {error}", hint=error.hint
            ) from None

    def _usual(self, language: Language) -> str:
        python = language is Language.PYTHON
        return self._settings.data_image if python else self._settings.images[language]

    def _file(self, digest: str, language: Language) -> Path:
        """Return the file of an image; another program that asks has other files."""
        key = hashlib.sha256(digest.encode() + _program(language)).hexdigest()[:32]
        return self._folder / f"{key}.json"

    def _kept(self, file: Path) -> CodeNames | None:
        try:
            return CodeNames.model_validate_json(read_file(file, MOST_BYTES, follow=False))
        except (OSError, ValueError):
            return None

    async def _asked(self, name: str, digest: str, language: Language) -> CodeNames:
        watcher = _CollectedNames(digest)
        job = Job(f"names-{uuid.uuid4().hex[:12]}", language, digest, _program(language), (), LIMITS,
                  principal="engine")  # fmt: skip
        result = await self._sandboxes.run(job, watcher)
        if result.exit_code != 0:
            raise SandboxUnavailable(f"its sandbox ended ({result.kill_reason})", "pratique doctor")
        table = await asyncio.to_thread(checked_table, bytes(watcher.output_so_far))
        answer = CodeNames(image=name, digest=digest, table=Untrusted(table))
        await asyncio.to_thread(self._keep, self._file(digest, language), answer)
        return answer

    def _keep(self, file: Path, answer: CodeNames) -> None:
        """Keep an answer; where that fails the next engine asks again."""
        try:
            write_private(file, answer.model_dump_json().encode())
            kept = sorted(self._folder.glob("*.json"), key=lambda each: each.stat().st_mtime, reverse=True)
            for old in kept[MOST_KEPT:]:
                old.unlink(missing_ok=True)
        except OSError:
            return


def _program(language: Language) -> bytes:
    return (resources.files("engine.core.code_names") / _PROGRAMS[language]).read_bytes()

"""What code displays beside its output: written by the guest, and never rendered as markup."""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from engine.common.text import Untrusted
from engine.models import Artifact, Display
from engine.sandbox.api.job import ArtifactKeeper

_MOST = 256
_MOST_TEXT = 256 * 1024
_PNG = b"\x89PNG\r\n\x1a\n"


class _ReportedDisplay(BaseModel):
    """One display, as the guest reports it."""

    model_config = ConfigDict(extra="forbid", strict=True)
    mime: Literal[
        "text/plain", "text/html", "text/markdown", "text/latex",
        "image/png", "image/svg+xml", "application/json", "table",
    ]  # fmt: skip
    data: str
    final: bool = False


_ITEMS: TypeAdapter[list[_ReportedDisplay]] = TypeAdapter(list[_ReportedDisplay])


class DisplayCollector:
    """Collects the displays of one execution, in order and within bounds; pictures are stored."""

    def __init__(self, run: str, keeper: ArtifactKeeper | None) -> None:
        self.displays: list[Display] = []
        self._run = run
        self._keeper = keeper
        self._free_text = _MOST_TEXT
        self._omitted = 0
        self._unread = False

    async def take(self, reported: bytes) -> tuple[Display, ...]:
        """Take a list of displays as JSON, and return those that are accepted."""
        try:
            items = _ITEMS.validate_json(reported) if reported else []
        except ValidationError:
            self._unread = True
            return ()
        before = len(self.displays)
        for item in items:
            display = await self._display(item) if len(self.displays) < _MOST else None
            if display is None:
                self._omitted += 1
            else:
                self.displays.append(display)
        return tuple(self.displays[before:])

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what could not be read, or was too much, in words."""
        omitted = f"{self._omitted} displays were left out"
        notes = (("its displays could not be read", self._unread), (omitted, self._omitted > 0))
        return tuple(note for note, holds in notes if holds)

    async def _display(self, item: _ReportedDisplay) -> Display | None:
        if item.mime == "image/png":
            return await _picture(self._run, len(self.displays) + 1, item, self._keeper)
        display = _text(item, self._free_text)
        if display is not None:
            self._free_text -= len(display.text.text)
        return display


def _text(item: _ReportedDisplay, limit: int) -> Display | None:
    if len(item.data) > limit or not _encodable(item.data):
        return None
    return Display(mime=item.mime, text=Untrusted(item.data), size=len(item.data.encode()), final=item.final)


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


async def _picture(
    run: str, number: int, item: _ReportedDisplay, keeper: ArtifactKeeper | None
) -> Display | None:
    try:
        content = base64.b64decode(item.data)
    except (binascii.Error, ValueError):
        return None
    if not content.startswith(_PNG):
        return None
    digest = hashlib.sha256(content).hexdigest()
    if keeper is not None:
        name = Untrusted(f"display-{number}.png")
        await keeper.append_artifact(run, Artifact(name=name, size=len(content), digest=digest), content)
    return Display(mime=item.mime, digest=digest, size=len(content), final=item.final)

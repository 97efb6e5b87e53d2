"""What a notebook shows beside its output: the guest's word, and never rendered as markup."""

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


class _Item(BaseModel):
    """One thing that the guest's runner says was shown."""

    model_config = ConfigDict(extra="forbid", strict=True)
    mime: Literal[
        "text/plain", "text/html", "text/markdown", "text/latex",
        "image/png", "image/svg+xml", "application/json", "table",
    ]  # fmt: skip
    data: str
    final: bool = False


_ITEMS: TypeAdapter[list[_Item]] = TypeAdapter(list[_Item])


class DisplayCollector:
    """What one execution showed, in order and within bounds; its pictures are kept."""

    def __init__(self, run: str, keeper: ArtifactKeeper | None) -> None:
        self.displays: list[Display] = []
        self._run = run
        self._keeper = keeper
        self._room = _MOST_TEXT
        self._left_out = 0
        self._unread = False

    async def take(self, said: bytes) -> tuple[Display, ...]:
        """Take a list of things as JSON, and return those of them that count."""
        try:
            items = _ITEMS.validate_json(said) if said else []
        except ValidationError:
            self._unread = True
            return ()
        before = len(self.displays)
        for item in items:
            display = await self._display(item) if len(self.displays) < _MOST else None
            if display is None:
                self._left_out += 1
            else:
                self.displays.append(display)
        return tuple(self.displays[before:])

    @property
    def notes(self) -> tuple[str, ...]:
        """Say what could not be read, or was too much."""
        left = f"{self._left_out} things that it showed were left out"
        told = (("what it showed could not be read", self._unread), (left, self._left_out > 0))
        return tuple(note for note, holds in told if holds)

    async def _display(self, item: _Item) -> Display | None:
        if item.mime == "image/png":
            return await _picture(self._run, len(self.displays) + 1, item, self._keeper)
        display = _text(item, self._room)
        if display is not None:
            self._room -= len(display.text.text)
        return display


def _text(item: _Item, room: int) -> Display | None:
    if len(item.data) > room or not _encodable(item.data):
        return None
    return Display(mime=item.mime, text=Untrusted(item.data), size=len(item.data.encode()), final=item.final)


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


async def _picture(run: str, number: int, item: _Item, keeper: ArtifactKeeper | None) -> Display | None:
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

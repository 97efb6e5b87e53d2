"""What a notebook shows beside its output: the guest's word, and never rendered as markup."""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from engine.models import Artifact, Display
from engine.sandbox.job import ArtifactKeeper
from engine.text import Untrusted

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


async def displays(
    run: str, shown: bytes, keeper: ArtifactKeeper | None
) -> tuple[tuple[Display, ...], tuple[str, ...]]:
    """Return what was shown, its pictures kept, and a note where it could not be read or was too much."""
    if not shown:
        return (), ()
    try:
        items = _ITEMS.validate_json(shown)
    except ValidationError:
        return (), ("what it showed could not be read",)
    found, room = [], _MOST_TEXT
    for number, item in enumerate(items[:_MOST], 1):
        display = await _picture(run, number, item, keeper) if item.mime == "image/png" else _text(item, room)
        if display is not None:
            room -= len(display.text.text)
            found.append(display)
    left = len(items) - len(found)
    return tuple(found), (f"{left} things that it showed were left out",) if left else ()


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
        await keeper.keep(run, Artifact(name=name, size=len(content), digest=digest), content)
    return Display(mime=item.mime, digest=digest, size=len(content), final=item.final)

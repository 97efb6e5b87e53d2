"""Previews of the stand-in engine."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from engine.models import OpenedPreview, Preview


class FakePreviews:
    """Keeps what is opened; each link is another one."""

    def __init__(self) -> None:
        self.opened: list[Preview] = []
        self.links = 0

    async def list(self) -> tuple[Preview, ...]:
        return tuple(self.opened)

    async def open(self, run: str, port: int) -> OpenedPreview:
        await asyncio.sleep(0)
        preview = Preview(
            id=f"pre-{len(self.opened)}", run=run, port=port, host="h", opened_at=datetime.now(UTC)
        )
        self.opened.append(preview)
        return await self.link(preview.id)

    async def link(self, id: str) -> OpenedPreview:
        self.links += 1
        preview = next(each for each in self.opened if each.id == id)
        return OpenedPreview(preview=preview, link=f"http://h/.preview?t={self.links}")

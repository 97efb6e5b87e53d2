"""An engine that answers about submissions late."""

from __future__ import annotations

import asyncio

from engine.models import Case
from tests.console.support.fake_engine import FakeEngine


class LateEngine(FakeEngine):
    """An engine that answers about submissions when it is let."""

    def __init__(self, *cases: Case) -> None:
        super().__init__(*cases)
        self.lets = asyncio.Event()
        self.lets.set()
        self.asked: list[str] = []

    async def case(self, id: str, within: float = 0) -> Case:
        """Answer once it is let."""
        self.asked.append(id)
        await self.lets.wait()
        return await super().case(id, within)

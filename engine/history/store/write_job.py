"""One thing that the writer thread has to write, and what its caller knows about it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from engine.history.api import Once


@dataclass(slots=True)
class WriteJob:
    """Something to write. A durable one is answered once it is on disk, another once it is chained."""

    work: Callable[[Any], Any]
    """Is given the ledger of the store."""
    durable: bool
    answer: asyncio.Future[Any]
    value: Any = None
    answered: bool = False
    """Whether its caller was told that it is done, before it is on disk."""
    given_up: bool = False
    """Whether its caller was told that it failed: it must not be done any more."""
    once: Once = field(default_factory=Once)
    """Shared by all attempts to write the same: the thread alone looks at it."""
    wrote: bool = False
    """Whether this attempt is the one that wrote, in the transaction that goes on."""

    def do(self, ledger: object) -> None:
        """Write it, unless an earlier attempt has written it after its caller had given up."""
        if not self.once.written:
            self.wrote = True
            self.once.value = self.work(ledger)
            self.once.written = True
        self.value = self.once.value

    def undo(self) -> None:
        """Note that the transaction in which it was written was rolled back."""
        if self.wrote:
            self.once.written = self.wrote = False

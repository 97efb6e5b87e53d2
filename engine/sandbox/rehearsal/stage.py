"""The surroundings of one rehearsal: its decoys, its Internet, and what both prove."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import cached_property

from engine.common.text import Untrusted
from engine.models import InputFile, Language
from engine.models.rehearsal import MOST_SHORTENED_SECONDS
from engine.sandbox.api.driver import Sandbox
from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.guest_protocol.programs import REHEARSAL, REHEARSAL_ENTRANCE, SLEEPS, shortened_sleeps
from engine.sandbox.network.bridge import Bridge, BridgeError
from engine.sandbox.network.sandbox_network import TRUSTED, TRUSTING
from engine.sandbox.rehearsal.decoys import Decoys
from engine.sandbox.rehearsal.destruction import destroyed
from engine.sandbox.rehearsal.record import SinkholeRecord
from engine.sandbox.rehearsal.sinkhole import Sinkhole

_OPEN_SECONDS = 30.0
_SETTLE_SECONDS = 1.5
_MOST_CHANGED = 50


class Stage:
    """Lays out decoys, plays every host, and says what became of them."""

    def __init__(self, language: Language, given: Sequence[InputFile] = ()) -> None:
        self.decoys = Decoys.draw()
        self.files = self.decoys.laid_out(given)
        """The files that the code finds."""
        self.changed: tuple[Untrusted, ...] = ()
        """The files that it wrote, beside decoys."""
        self._language = language
        self._sinkhole = Sinkhole(self.decoys, language)

    @cached_property
    def environment(self) -> Mapping[str, str]:
        """Decoys, what shortens sleeps, and where the authority lies, as with a granted network."""
        return {
            REHEARSAL: self._sinkhole.ca.pem,
            SLEEPS: shortened_sleeps(self._language, MOST_SHORTENED_SECONDS),
            **dict.fromkeys(TRUSTING, TRUSTED),
            **self.decoys.environment,
        }

    @property
    def record(self) -> SinkholeRecord:
        """What arrived."""
        return self._sinkhole.record

    @contextlib.asynccontextmanager
    async def connected(self, sandbox: Sandbox) -> AsyncIterator[None]:
        """Answer in the place of every host while this lasts. Raises SandboxUnavailable."""
        command = ["/usr/bin/perl", "-e", REHEARSAL_ENTRANCE]
        reader, writer = await sandbox.start_process(command, guarded=True)
        bridge = Bridge(reader, writer, self._sinkhole.serve)
        try:
            await bridge.open(b"", _OPEN_SECONDS)
            self.record.begin()
            yield
        except BridgeError as error:
            raise SandboxUnavailable(f"no rehearsal: {error}", "pratique doctor") from error
        finally:
            await bridge.close()
            await self._sinkhole.close()

    async def finish(self, files: Sequence[tuple[str, bytes]] | None) -> None:
        """Take what is still on its way, and the files that are left; None: they are not known."""
        if files is None:
            return
        await self._sinkhole.settle(_SETTLE_SECONDS)
        left = dict(files)
        if (found := await asyncio.to_thread(destroyed, self.decoys, self.files, left)) is not None:
            self.record.found(found)
        given = {file.name.text: file.content for file in self.files}
        names = sorted(name for name, content in left.items() if given.get(name) != content)
        own = (name for name in names if name not in self.decoys.placed)
        self.changed = tuple(Untrusted(name[:200]) for name in own)[:_MOST_CHANGED]

"""One execution, or one tool call, in a sandbox that stays."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

from engine.models import Artifact, OperationKind, Result, Stream
from engine.sandbox.drivers.linux.cgroup import ResourceUsage
from engine.sandbox.guest_protocol.exit_report import ListingEntry
from engine.sandbox.guest_protocol.framing import RunRequest
from engine.sandbox.run import kill_reason
from engine.sandbox.run.displays import DisplayCollector
from engine.sandbox.run.execution import Execution

_PIECE = 64 * 1024
_KINDS = {"f": "file", "d": "folder", "o": "other"}


@dataclass
class SessionExecution(Execution):
    """The state of one execution while it lasts. An interrupt asks it to end, and keeps the state."""

    stop_signal: str = "INT"
    before: ResourceUsage | None = None
    """What the sandbox had used when it began."""
    known: dict[str, str] = field(default_factory=dict)
    """The files that were kept before: name and digest."""
    shown: DisplayCollector = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.shown = DisplayCollector(self.job.run, self.keeper)

    @property
    def intact(self) -> bool:
        """Whether the sandbox can take another order."""
        word = self.output.word
        return word.complete and not word.interpreter_exited and not self._severed and not self._daemon_lost

    def _order(self, nonce: str) -> RunRequest:
        order = super()._order(nonce)
        operation = self.job.operation
        if operation is None:
            return replace(order, act="run")
        room = self._limit + 1 if operation.kind is OperationKind.READ else 0
        path = operation.path.text.encode()
        return replace(order, act=operation.kind.value, code=path, artifact_bytes=room)

    @property
    def _limit(self) -> int:
        return self.job.limits.output_kb * 1024

    async def _show(self, item: bytes) -> None:
        for display in await self.shown.take(b"[" + item + b"]"):
            await self.watcher.happened("run.display", display.model_dump(mode="json"))

    async def _envelope(self) -> Result:
        if self.job.operation is not None:
            await self._answer()
        result = await super()._envelope()
        await self.shown.take(self.output.word.shown)
        notes = self.shown.notes if self.intact else (*self.shown.notes, "the sandbox's state is lost")
        used = result.cpu_seconds - (
            self.before.cpu_seconds - self.container.rest_cpu if self.before else 0.0
        )
        more = {
            "displays": tuple(self.shown.displays),
            "evidence": (*result.evidence, *notes),
            "cpu_seconds": max(0.0, used),
        }
        return result.model_copy(update=more)

    async def _answer(self) -> None:
        """Give what a tool call brought as the output of its run."""
        word, act = self.output.word, self.job.operation.kind if self.job.operation else None
        answer = word.files[0][1] if act is OperationKind.READ and word.files else b""
        if act in {OperationKind.LIST, OperationKind.METADATA} and not word.error:
            answer = json.dumps([_entry(item) for item in word.items]).encode()
        for start in range(0, len(answer), _PIECE):
            await self.output.deliver(Stream.STDOUT, answer[start : start + _PIECE])
        if word.error:
            await self.output.deliver(Stream.STDERR, f"{word.error}\n".encode())

    async def _left(self) -> tuple[tuple[Artifact, ...], tuple[str, ...]]:
        """Keep the files that are new, or others than before."""
        word = self.output.word
        if self.job.operation is not None:
            word.files.clear()
            word.omitted = 0
        files, notes = await super()._left()
        fresh = tuple(file for file in files if self.known.get(file.name.text) != file.digest)
        self.known.update({file.name.text: file.digest for file in fresh})
        return fresh, notes

    async def _facts(self) -> kill_reason.RunEvidence:
        """Return what the engine itself knows about this execution.

        Earlier code of the guest was there all along: of the last word only the exit code is believed.
        """
        facts = await super()._facts()
        earlier = self.before.oom_kills if self.before else 0
        overdue = self.watch.seconds() >= self.job.limits.seconds
        return replace(
            facts,
            oom_kills=max(0, facts.oom_kills - earlier),
            kernel_oom=facts.kernel_oom and not earlier,
            guest_deadline=facts.guest_deadline and overdue,
            task_limit_hit=False,
            disk_full=False,
        )


def _entry(item: ListingEntry) -> dict[str, object]:
    return {"name": item.name, "kind": _KINDS[item.kind], "size": item.size, "modified": item.modified}

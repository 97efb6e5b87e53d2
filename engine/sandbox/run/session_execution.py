"""One execution, or one tool call, in the sandbox of a session."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

from engine.models import Artifact, OperationKind, Result, Stream
from engine.sandbox.api.driver import ResourceUsage
from engine.sandbox.api.run_events import RunDisplay
from engine.sandbox.guest_protocol.exit_report import ListingEntry
from engine.sandbox.guest_protocol.framing import RunRequest
from engine.sandbox.run import kill_reason
from engine.sandbox.run.displays import DisplayCollector
from engine.sandbox.run.execution import Execution

_PIECE = 64 * 1024
_KINDS = {"f": "file", "d": "folder", "o": "other"}


@dataclass
class SessionExecution(Execution):
    """The state of one execution while it lasts. An interrupt ends it and keeps the session's state."""

    stop_signal: str = "INT"
    ends: bool = False
    before: ResourceUsage | None = None
    """What the sandbox had used before this execution."""
    known: dict[str, str] = field(default_factory=dict)
    """The artifacts that were stored before: name and digest."""
    displays: DisplayCollector = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.displays = DisplayCollector(self.job.run, self.keeper)

    @property
    def intact(self) -> bool:
        """Whether the sandbox can run another request."""
        report = self.output.report
        lost = self._disconnected or self._runtime_lost
        return report.complete and not report.interpreter_exited and not lost

    def _request(self, nonce: str) -> RunRequest:
        request = super()._request(nonce)
        operation = self.job.operation
        if operation is None:
            return replace(request, operation="run")
        limit = self._limit + 1 if operation.kind is OperationKind.READ else 0
        path = operation.path.text.encode()
        return replace(request, operation=operation.kind.value, code=path, artifact_bytes=limit)

    @property
    def _limit(self) -> int:
        return self.job.limits.output_kb * 1024

    async def _display(self, item: bytes) -> None:
        for display in await self.displays.take(b"[" + item + b"]"):
            await self.watcher.event(RunDisplay(display=display))

    async def _result(self) -> Result:
        if self.job.operation is not None:
            await self._answer()
        result = await super()._result()
        await self.displays.take(self.output.report.displays)
        notes = self.displays.notes if self.intact else (*self.displays.notes, "the session's state is lost")
        used = result.cpu_seconds - (
            self.before.cpu_seconds - self.sandbox.startup_cpu_seconds if self.before else 0.0
        )
        result = result.with_displays(tuple(self.displays.displays)).with_evidence(*notes)
        return result.with_cpu_seconds(max(0.0, used))

    async def _answer(self) -> None:
        """Deliver the answer of a tool call as the output of its run."""
        report, kind = self.output.report, self.job.operation.kind if self.job.operation else None
        answer = report.files[0][1] if kind is OperationKind.READ and report.files else b""
        if kind in {OperationKind.LIST, OperationKind.METADATA} and not report.error:
            answer = json.dumps([_entry(item) for item in report.items]).encode()
        for start in range(0, len(answer), _PIECE):
            await self.output.deliver(Stream.STDOUT, answer[start : start + _PIECE])
        if report.error:
            await self.output.deliver(Stream.STDERR, f"{report.error}\n".encode())

    async def _artifacts(self) -> tuple[tuple[Artifact, ...], tuple[str, ...]]:
        """Store the files that are new or have changed."""
        report = self.output.report
        if self.job.operation is not None:
            report.files.clear()
            report.omitted = 0
        files, notes = await super()._artifacts()
        fresh = tuple(file for file in files if self.known.get(file.name.text) != file.digest)
        self.known.update({file.name.text: file.digest for file in fresh})
        return fresh, notes

    async def _evidence(self) -> kill_reason.RunEvidence:
        """Return what the engine itself knows about this execution.

        Earlier code of the session may still run: of the exit report only the exit code is believed.
        """
        evidence = await super()._evidence()
        earlier = self.before.oom_kills if self.before else 0
        overdue = self.watch.seconds() >= self.job.limits.seconds
        return replace(
            evidence,
            oom_kills=max(0, evidence.oom_kills - earlier),
            kernel_oom=evidence.kernel_oom and not earlier,
            guest_deadline=evidence.guest_deadline and overdue,
            task_limit_hit=False,
            disk_full=False,
        )


def _entry(item: ListingEntry) -> dict[str, object]:
    return {"name": item.name, "kind": _KINDS[item.kind], "size": item.size, "modified": item.modified}

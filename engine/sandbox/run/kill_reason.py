"""Why a run ended: the evidence, and the table that classifies it. Pure."""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import dataclass

from engine.models import KillReason

_FILES_DO_NOT_FIT = 125
"""The supervisor's own exit code for input files that it could not write, before any code ran."""


@dataclass(frozen=True, slots=True)
class RunEvidence:
    """The evidence about the end of one run."""

    requested: KillReason | None = None
    """Why the engine itself ended the run, if it did."""
    requested_by: str = ""
    reported: bool = False
    """Whether the supervisor reported how the program ended."""
    exit_code: int | None = None
    signal: int = 0
    guest_deadline: bool = False
    oom_kills: int = 0
    runtime_oom: bool = False
    kernel_oom: bool = False
    memory_at_limit: bool = False
    pids_limit_hit: bool = False
    task_limit_hit: bool = False
    disk_full: bool = False
    runtime_lost: bool = False
    runtime_report: str = ""
    """What the container runtime reports about the end, in words."""
    interference: str = ""
    """What others did to the sandbox that ended the program, in words."""

    @property
    def files_did_not_fit(self) -> bool:
        """Whether the input files could not be put in place."""
        return not self.reported and self.exit_code == _FILES_DO_NOT_FIT

    @property
    def connection_lost(self) -> bool:
        """Whether the sandbox's input ended without the engine ending it: its supervisor then exits 0."""
        return not self.reported and self.exit_code == 0

    @property
    def out_of_memory(self) -> bool:
        """Whether a process was killed because memory ran out."""
        return self.oom_kills > 0 or self.runtime_oom or self.kernel_oom

    @property
    def failed(self) -> bool:
        """Whether the program did not exit with 0."""
        return not self.reported or bool(self.signal) or self.exit_code != 0


_TABLE: tuple[tuple[KillReason, Callable[[RunEvidence], bool]], ...] = (
    (KillReason.TIMEOUT, lambda evidence: evidence.guest_deadline),
    (KillReason.MEMORY, lambda evidence: evidence.failed and evidence.out_of_memory),
    (
        KillReason.ENGINE_LOST,
        lambda evidence: evidence.connection_lost or (evidence.runtime_lost and not evidence.reported),
    ),
    (KillReason.MEMORY, lambda evidence: not evidence.reported and evidence.memory_at_limit),
    (KillReason.PROCESSES, lambda evidence: not evidence.reported and evidence.pids_limit_hit),
    (KillReason.DISK, lambda evidence: evidence.files_did_not_fit),
    (KillReason.SANDBOX_FAILED, lambda evidence: not evidence.reported),
    (
        KillReason.DISK,
        lambda evidence: evidence.failed and (evidence.disk_full or evidence.signal == signal.SIGXFSZ),
    ),
    (KillReason.PROCESSES, lambda evidence: evidence.failed and evidence.task_limit_hit),
    (KillReason.SANDBOX_FAILED, lambda evidence: bool(evidence.interference)),
)
"""The first row that holds is the reason. Exit codes alone are no evidence."""


def classify(evidence: RunEvidence) -> KillReason:
    """Return why the run ended: the engine's own action first, then the table."""
    if evidence.requested is not None:
        return evidence.requested
    return next((reason for reason, holds in _TABLE if holds(evidence)), KillReason.NONE)


def describe(evidence: RunEvidence) -> tuple[str, ...]:
    """Return the evidence as sentences, for the record."""
    by = f", requested by {evidence.requested_by}" if evidence.requested_by else ""
    sentences = (
        (evidence.requested is not None, f"ended by the engine: {evidence.requested}{by}"),
        (evidence.guest_deadline, "the supervisor in the sandbox ended the program at its deadline"),
        (
            evidence.oom_kills > 0,
            f"the memory cgroup counted {evidence.oom_kills} OOM kill{'s' * (evidence.oom_kills != 1)}",
        ),
        (evidence.runtime_oom, "the container runtime reported an OOM kill"),
        (evidence.kernel_oom, "the kernel log of the host has an OOM kill"),
        (evidence.memory_at_limit, "memory usage was at its limit in the last sample"),
        (evidence.pids_limit_hit, "the sandbox reached the task limit of its cgroup"),
        (evidence.task_limit_hit, "the process limit was reached when the program ended"),
        (evidence.disk_full, "no space was left on /workspace or /tmp"),
        (
            evidence.files_did_not_fit,
            "the input files could not be written to /workspace: raise the disk limit, or rename them",
        ),
        (evidence.runtime_lost, "the container runtime did not answer"),
        (bool(evidence.runtime_report), f"the container runtime reports: {evidence.runtime_report}"),
        (bool(evidence.interference), evidence.interference),
        (evidence.connection_lost, "the connection to the sandbox was lost"),
        (evidence.reported and bool(evidence.signal), f"the program was killed by signal {evidence.signal}"),
        (evidence.reported and not evidence.signal, f"the program exited with code {evidence.exit_code}"),
        (not evidence.reported, "the sandbox exited without an exit report"),
    )
    return tuple(sentence for holds, sentence in sentences if holds)

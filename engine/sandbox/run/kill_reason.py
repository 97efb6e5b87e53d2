"""Why a run ended: what the engine did and saw, and the table that decides. Pure."""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import dataclass

from engine.models import KillReason

_FILES_DO_NOT_FIT = 125
"""The supervisor's own exit code for input files that it could not write, before any code ran."""


@dataclass(frozen=True, slots=True)
class RunEvidence:
    """What is known about the end of one run."""

    requested: KillReason | None = None
    """What the engine itself ended the run for, before anything else was known."""
    requested_by: str = ""
    reported: bool = False
    """The supervisor lived to say how the program ended."""
    exit_code: int | None = None
    signal: int = 0
    guest_deadline: bool = False
    oom_kills: int = 0
    docker_oom: bool = False
    kernel_oom: bool = False
    memory_at_limit: bool = False
    pids_limit_hit: bool = False
    task_limit_hit: bool = False
    disk_full: bool = False
    daemon_lost: bool = False

    @property
    def files_did_not_fit(self) -> bool:
        """Whether the input files could not be put in place."""
        return not self.reported and self.exit_code == _FILES_DO_NOT_FIT

    @property
    def connection_lost(self) -> bool:
        """Whether the sandbox's input ended, which the engine had not ended: its supervisor then exits 0."""
        return not self.reported and self.exit_code == 0

    @property
    def out_of_memory(self) -> bool:
        """Whether something was killed because memory ran out."""
        return self.oom_kills > 0 or self.docker_oom or self.kernel_oom

    @property
    def failed(self) -> bool:
        """Whether the program ended otherwise than well."""
        return not self.reported or bool(self.signal) or self.exit_code != 0


_TABLE: tuple[tuple[KillReason, Callable[[RunEvidence], bool]], ...] = (
    (KillReason.TIMEOUT, lambda facts: facts.guest_deadline),
    (KillReason.MEMORY, lambda facts: facts.failed and facts.out_of_memory),
    (
        KillReason.ENGINE_LOST,
        lambda facts: facts.connection_lost or (facts.daemon_lost and not facts.reported),
    ),
    (KillReason.MEMORY, lambda facts: not facts.reported and facts.memory_at_limit),
    (KillReason.PROCESSES, lambda facts: not facts.reported and facts.pids_limit_hit),
    (KillReason.DISK, lambda facts: facts.files_did_not_fit),
    (KillReason.SANDBOX_FAILED, lambda facts: not facts.reported),
    (KillReason.DISK, lambda facts: facts.failed and (facts.disk_full or facts.signal == signal.SIGXFSZ)),
    (KillReason.PROCESSES, lambda facts: facts.failed and facts.task_limit_hit),
)
"""The first row that holds decides. Exit codes alone decide nothing."""


def classify(facts: RunEvidence) -> KillReason:
    """Return why the run ended: the engine's own act before anything seen, the seen by the table."""
    if facts.requested is not None:
        return facts.requested
    return next((reason for reason, holds in _TABLE if holds(facts)), KillReason.NONE)


def describe(facts: RunEvidence) -> tuple[str, ...]:
    """Return the facts as sentences, for the record."""
    by = f" by {facts.requested_by}" if facts.requested_by else ""
    said = (
        (facts.requested is not None, f"the engine ended it: {facts.requested}{by}"),
        (facts.guest_deadline, "the guest's own guard ended it at its deadline"),
        (
            facts.oom_kills > 0,
            f"the memory cgroup counted {facts.oom_kills} kill{'s' * (facts.oom_kills != 1)}",
        ),
        (facts.docker_oom, "Docker says that memory ran out"),
        (facts.kernel_oom, "the host's kernel log says that memory ran out"),
        (facts.memory_at_limit, "memory stood at its limit in the last sample"),
        (facts.pids_limit_hit, "the sandbox's tasks reached the fuse"),
        (facts.task_limit_hit, "the guest's tasks stood at their limit when the program ended"),
        (facts.disk_full, "no room was left in /workspace or /tmp"),
        (
            facts.files_did_not_fit,
            "the input files could not be written to /workspace: more room, or other names",
        ),
        (facts.daemon_lost, "Docker did not answer"),
        (facts.connection_lost, "the connection to the sandbox broke off"),
        (facts.reported and bool(facts.signal), f"the program died of signal {facts.signal}"),
        (facts.reported and not facts.signal, f"the program ended with exit code {facts.exit_code}"),
        (not facts.reported, "the sandbox ended without a last word"),
    )
    return tuple(sentence for holds, sentence in said if holds)

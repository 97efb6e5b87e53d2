"""Why a run ended: what the engine did and saw, and the table that decides. Pure."""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import dataclass

from engine.models import KillReason

_FILES_DO_NOT_FIT = 125
"""The supervisor's own exit code for input files that it could not write, before any code ran."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known about the end of one run."""

    asked: KillReason | None = None
    """What the engine itself ended the run for, before anything else was known."""
    asked_by: str = ""
    last_word: bool = False
    """The supervisor lived to say how the program ended."""
    exit_code: int | None = None
    signal: int = 0
    guest_deadline: bool = False
    oom_kills: int = 0
    docker_oom: bool = False
    kernel_oom: bool = False
    memory_at_limit: bool = False
    tasks_at_fuse: bool = False
    tasks_at_limit: bool = False
    disk_full: bool = False
    daemon_lost: bool = False

    @property
    def unfit_files(self) -> bool:
        """Whether the input files could not be put in place."""
        return not self.last_word and self.exit_code == _FILES_DO_NOT_FIT

    @property
    def broke_off(self) -> bool:
        """Whether the sandbox's input ended, which the engine had not ended: its supervisor then exits 0."""
        return not self.last_word and self.exit_code == 0

    @property
    def out_of_memory(self) -> bool:
        """Whether something was killed because memory ran out."""
        return self.oom_kills > 0 or self.docker_oom or self.kernel_oom

    @property
    def failed(self) -> bool:
        """Whether the program ended otherwise than well."""
        return not self.last_word or bool(self.signal) or self.exit_code != 0


_TABLE: tuple[tuple[KillReason, Callable[[Facts], bool]], ...] = (
    (KillReason.TIMEOUT, lambda facts: facts.guest_deadline),
    (KillReason.MEMORY, lambda facts: facts.failed and facts.out_of_memory),
    (KillReason.ENGINE_LOST, lambda facts: facts.broke_off or (facts.daemon_lost and not facts.last_word)),
    (KillReason.MEMORY, lambda facts: not facts.last_word and facts.memory_at_limit),
    (KillReason.PROCESSES, lambda facts: not facts.last_word and facts.tasks_at_fuse),
    (KillReason.DISK, lambda facts: facts.unfit_files),
    (KillReason.SANDBOX_FAILED, lambda facts: not facts.last_word),
    (KillReason.DISK, lambda facts: facts.failed and (facts.disk_full or facts.signal == signal.SIGXFSZ)),
    (KillReason.PROCESSES, lambda facts: facts.failed and facts.tasks_at_limit),
)
"""The first row that holds decides. Exit codes alone decide nothing."""


def decide(facts: Facts) -> KillReason:
    """Return why the run ended: the engine's own act before anything seen, the seen by the table."""
    if facts.asked is not None:
        return facts.asked
    return next((reason for reason, holds in _TABLE if holds(facts)), KillReason.NONE)


def told(facts: Facts) -> tuple[str, ...]:
    """Return the facts as sentences, for the record."""
    by = f" by {facts.asked_by}" if facts.asked_by else ""
    said = (
        (facts.asked is not None, f"the engine ended it: {facts.asked}{by}"),
        (facts.guest_deadline, "the guest's own guard ended it at its deadline"),
        (
            facts.oom_kills > 0,
            f"the memory cgroup counted {facts.oom_kills} kill{'s' * (facts.oom_kills != 1)}",
        ),
        (facts.docker_oom, "Docker says that memory ran out"),
        (facts.kernel_oom, "the host's kernel log says that memory ran out"),
        (facts.memory_at_limit, "memory stood at its limit in the last sample"),
        (facts.tasks_at_fuse, "the sandbox's tasks reached the fuse"),
        (facts.tasks_at_limit, "the guest's tasks stood at their limit when the program ended"),
        (facts.disk_full, "no room was left in /workspace or /tmp"),
        (facts.unfit_files, "the input files could not be written to /workspace: more room, or other names"),
        (facts.daemon_lost, "Docker did not answer"),
        (facts.broke_off, "the connection to the sandbox broke off"),
        (facts.last_word and bool(facts.signal), f"the program died of signal {facts.signal}"),
        (facts.last_word and not facts.signal, f"the program ended with exit code {facts.exit_code}"),
        (not facts.last_word, "the sandbox ended without a last word"),
    )
    return tuple(sentence for holds, sentence in said if holds)

"""The kill reason is decided from evidence, by a table."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from engine.models import KillReason
from engine.sandbox.drivers.linux.kernel_log import has_oom_kill
from engine.sandbox.run.kill_reason import RunEvidence, classify, describe

WELL = RunEvidence(reported=True, exit_code=0)


@pytest.mark.parametrize(
    ("reason", "facts"),
    [
        (KillReason.NONE, WELL),
        (KillReason.NONE, RunEvidence(reported=True, exit_code=1)),
        (KillReason.NONE, RunEvidence(reported=True, exit_code=137)),
        (KillReason.NONE, RunEvidence(reported=True, exit_code=137, signal=signal.SIGKILL)),
        (KillReason.NONE, RunEvidence(reported=True, exit_code=0, oom_kills=1)),
        (KillReason.NONE, RunEvidence(reported=True, exit_code=0, disk_full=True, task_limit_hit=True)),
        (KillReason.NONE, RunEvidence(reported=True, exit_code=1, memory_at_limit=True)),
        (KillReason.TIMEOUT, RunEvidence(requested=KillReason.TIMEOUT, oom_kills=3)),
        (
            KillReason.OPERATOR,
            RunEvidence(requested=KillReason.OPERATOR, requested_by="ada", reported=True, exit_code=0),
        ),
        (KillReason.TIMEOUT, RunEvidence(reported=True, exit_code=137, signal=9, guest_deadline=True)),
        (KillReason.MEMORY, RunEvidence(oom_kills=1)),
        (KillReason.MEMORY, RunEvidence(runtime_oom=True, exit_code=137)),
        (KillReason.MEMORY, RunEvidence(kernel_oom=True, exit_code=137)),
        (KillReason.MEMORY, RunEvidence(reported=True, exit_code=1, oom_kills=1)),
        (KillReason.MEMORY, RunEvidence(exit_code=137, memory_at_limit=True)),
        (KillReason.ENGINE_LOST, RunEvidence(runtime_lost=True)),
        (KillReason.NONE, RunEvidence(runtime_lost=True, reported=True, exit_code=0)),
        (KillReason.PROCESSES, RunEvidence(exit_code=2, pids_limit_hit=True)),
        (KillReason.PROCESSES, RunEvidence(reported=True, exit_code=1, task_limit_hit=True)),
        (KillReason.DISK, RunEvidence(reported=True, exit_code=1, disk_full=True)),
        (KillReason.DISK, RunEvidence(reported=True, exit_code=153, signal=signal.SIGXFSZ)),
        (KillReason.DISK, RunEvidence(exit_code=125)),
        (KillReason.NONE, RunEvidence(reported=True, exit_code=125)),
        (KillReason.SANDBOX_FAILED, RunEvidence()),
        (KillReason.SANDBOX_FAILED, RunEvidence(exit_code=137)),
        (KillReason.ENGINE_LOST, RunEvidence(exit_code=0)),
        (KillReason.MEMORY, RunEvidence(exit_code=0, oom_kills=1)),
        (KillReason.SANDBOX_FAILED, RunEvidence(reported=True, exit_code=143, signal=15, interference="a")),
        (KillReason.SANDBOX_FAILED, RunEvidence(reported=True, exit_code=0, interference="a")),
        (KillReason.NONE, RunEvidence(reported=True, exit_code=143, signal=signal.SIGTERM)),
    ],
)
def test_reason_of(reason: KillReason, facts: RunEvidence) -> None:
    """Every row of the table, and evidence that must not match it."""
    assert reason == classify(facts)


def test_exit_code_137_alone_decides_nothing() -> None:
    """Without other evidence 137 is the program's own exit code, or the sandbox's failure: never memory."""
    assert {KillReason.NONE, KillReason.SANDBOX_FAILED} == {
        classify(RunEvidence(reported=reported, exit_code=137)) for reported in (True, False)
    }


def test_the_evidence_names_the_operator() -> None:
    """The evidence of an operator's kill names the operator."""
    assert "ended by the engine: operator, requested by ada" in describe(
        RunEvidence(requested=KillReason.OPERATOR, requested_by="ada", reported=True)
    )


ONE, OTHER = "1a" * 32, "2b" * 32
LOG = f"""6,1,2,-;Tasks state: {OTHER}
6,2,3,-;oom-kill:constraint=CONSTRAINT_MEMCG,oom_memcg=/docker/{ONE},task_memcg=/docker/{ONE},task=exe,pid=5
"""


@pytest.mark.parametrize(("known", "container"), [(True, ONE), (False, OTHER)])
def test_an_oom_kill_counts_for_its_own_container(tmp_path: Path, known: bool, container: str) -> None:
    """A kill in the kernel log counts only for the container that its record names."""
    (tmp_path / "kmsg").write_text(LOG)
    assert known is has_oom_kill(container, tmp_path / "kmsg")


def test_without_a_kernel_log_there_is_no_oom_kill(tmp_path: Path) -> None:
    """A kernel log that is missing or unreadable is no evidence."""
    assert not has_oom_kill(ONE, tmp_path / "none")

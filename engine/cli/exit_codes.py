"""The exit codes of the command line."""

from __future__ import annotations

from enum import IntEnum

from engine.models import Case, KillReason, Status


class ExitCode(IntEnum):
    """What a command's exit code says. A usage error is 2."""

    OK = 0
    FAILED = 1
    """The code ran and failed, or something found is at or over a bound."""
    USAGE = 2
    NOT_APPROVED = 3
    """Denied, expired or refused."""
    KILLED = 4
    ERROR = 5
    """No engine, no Docker, or a request that cannot be met."""
    INTERRUPTED = 130


def exit_code_of(case: Case) -> ExitCode:
    """Return the exit code that a case ends a command with."""
    if case.status in {Status.DENIED, Status.EXPIRED, Status.REFUSED}:
        return ExitCode.NOT_APPROVED
    if case.result is None:
        return ExitCode.OK
    if case.result.kill_reason is not KillReason.NONE:
        return ExitCode.KILLED
    return ExitCode.OK if case.result.exit_code == 0 else ExitCode.FAILED

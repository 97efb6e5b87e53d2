"""The exit codes of the command line."""

from __future__ import annotations

from enum import IntEnum

from engine.models import NOT_RUN, Case, KillReason


class ExitCode(IntEnum):
    """The exit codes of every command."""

    OK = 0
    """The command succeeded."""
    FAILED = 1
    """The run failed, a verification found a problem, or a violation reached `--fail-on`."""
    USAGE = 2
    """Unknown command, option or argument."""
    NOT_APPROVED = 3
    """The submission was denied or refused, it expired, or changes were requested."""
    KILLED = 4
    """The run was killed: limit, reviewer or shutdown."""
    ERROR = 5
    """No engine, no Docker, or an invalid request; the message says what to do."""
    INTERRUPTED = 130
    """Ctrl+C."""


def exit_code_of(case: Case) -> ExitCode:
    """Return the exit code for the status and result of a case."""
    if case.status in NOT_RUN:
        return ExitCode.NOT_APPROVED
    if case.result is None:
        return ExitCode.OK
    if case.result.kill_reason is not KillReason.NONE:
        return ExitCode.KILLED
    return ExitCode.OK if case.result.exit_code == 0 else ExitCode.FAILED

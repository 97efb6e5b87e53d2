"""Errors of the history, each with what to type next."""

from __future__ import annotations


class HistoryError(Exception):
    """The history could not be read or written: what happened, and what to type next."""

    def __init__(self, title: str, *, hint: str = "") -> None:
        super().__init__(title)
        self.title = title
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.title}. {self.hint}" if self.hint else self.title


class InvalidEventError(HistoryError):
    """The data of an event does not fit its type: no disk will ever take it."""


class AlreadyRecordedError(InvalidEventError):
    """There is such an event of this subject, and there is one at most: nothing was written."""


class SupersededError(AlreadyRecordedError):
    """Another engine has changed what the record is about: nothing was written."""


class KeyTakenError(AlreadyRecordedError):
    """An idempotency key came with another submission: nothing was written."""

    def __init__(self, submission: str) -> None:
        super().__init__(f"This idempotency key came with {submission}")
        self.submission = submission


class ContradictedEndError(HistoryError):
    """The end of the history is not one that an engine has signed: nothing is written to it."""

    def __init__(self, problem: str) -> None:
        super().__init__(
            f"Something else than an engine changed the history, so nothing is written to it: {problem}",
            hint="Type: pratique audit verify",
        )
        self.problem = problem


class HistoryHeldError(HistoryError):
    """Another engine writes the history."""


class ErasedError(HistoryError):
    """The requested content was erased by retention."""

    def __init__(self, what: str, rule: str) -> None:
        super().__init__(f"{what} was erased by retention: {rule or 'no rule is recorded'}")


class WitnessError(Exception):
    """A witness did not take a checkpoint: the message says why."""

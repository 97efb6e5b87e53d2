"""The error that every part of the sandbox package raises."""

from __future__ import annotations


class SandboxUnavailable(Exception):
    """No sandbox is available: the message says why, `hint` what to type next."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class ImageMissing(SandboxUnavailable):
    """The container runtime answers, and has no image of that name."""

"""Errors that a person reads."""

from __future__ import annotations

from typing_extensions import Self


class Problem(Exception):
    """A request that is refused: what happened, and what to type next. Its HTTP status is `status`."""

    def __init__(
        self,
        status: int,
        title: str,
        *,
        hint: str = "",
        retry_after: float | None = None,
        correlation_id: str = "",
    ) -> None:
        super().__init__(title)
        self.retry_after = retry_after
        self.status = status
        self.title = title
        self.hint = hint
        self.correlation_id = correlation_id

    @classmethod
    def internal(cls, correlation_id: str) -> Self:
        """Return the problem of an unexpected error that the log describes under `correlation_id`."""
        title = f"internal error, reference {correlation_id}; see the engine log"
        return cls(500, title, correlation_id=correlation_id)

    def __str__(self) -> str:
        return f"{self.title}. {self.hint}" if self.hint else self.title

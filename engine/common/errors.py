"""What goes wrong, in words for the person who has to mend it."""

from __future__ import annotations


class Problem(Exception):
    """An answer that is no: what happened, and what to type next. It travels as the HTTP status `status`."""

    def __init__(self, status: int, title: str, *, hint: str = "", retry_after: float | None = None) -> None:
        super().__init__(title)
        self.retry_after = retry_after
        self.status = status
        self.title = title
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.title}. {self.hint}" if self.hint else self.title

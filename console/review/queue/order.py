"""The order and the filter of the queue. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any

from engine.models import Summary

Assigned = Callable[[Summary], str]
"""Returns the words by which a submission is found by its reviewer."""


class Order(StrEnum):
    """By what the queue is sorted."""

    PRIORITY = "priority"
    AGE = "age"
    AGENT = "agent"

    @property
    def next(self) -> Order:
        """The order after this one."""
        every = tuple(Order)
        return every[(every.index(self) + 1) % len(every)]


def arranged(
    queue: Iterable[Summary], order: Order, filter: str, assigned: Assigned = lambda _: ""
) -> tuple[Summary, ...]:
    """Return what a filter leaves of the queue, in an order. By priority is how the engine lists it."""
    fitting = [each for each in queue if fits(each, filter, assigned)] if filter.strip() else list(queue)
    key = _KEYS.get(order)
    return tuple(sorted(fitting, key=key) if key else fitting)


def fits(summary: Summary, filter: str, assigned: Assigned = lambda _: "") -> bool:
    """Say whether a submission fits every word: `level:high`, `agent:name`, `assigned:me`, or any text."""
    return all(_fits_word(summary, word, assigned) for word in filter.lower().split())


def _fits_word(summary: Summary, word: str, assigned: Assigned) -> bool:
    name, colon, value = word.partition(":")
    if colon and name == "assigned":
        return any(each.startswith(value) for each in assigned(summary).lower().split())
    if colon and name in _FIELDS:
        return value in _FIELDS[name](summary).lower()
    return any(word in text(summary).lower() for text in (*_FIELDS.values(), _first_line, _id))


def _first_line(summary: Summary) -> str:
    return summary.first_line.text


def _id(summary: Summary) -> str:
    return summary.id


_FIELDS: dict[str, Callable[[Summary], str]] = {
    "level": lambda each: each.risk.value,
    "agent": lambda each: each.requester.text,
    "lang": lambda each: each.language.value,
}


_KEYS: dict[Order, Callable[[Summary], Any]] = {
    Order.AGE: lambda each: each.submitted_at,
    Order.AGENT: lambda each: each.requester.text.casefold(),
}

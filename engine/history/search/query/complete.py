"""What the last word of a query may become."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from engine.history.search.query.fields import ALIASES, FIELDS, FieldKind
from engine.history.search.query.times import WORDS

_FIELD = re.compile(r"([A-Za-z_][A-Za-z_.]*):(.*)", re.DOTALL)
_PLAIN = re.compile(r"[\w./@+=-]+")


@dataclass(frozen=True, slots=True)
class Unfinished:
    """The end of a query: what stands before its last word, and the field and value begun."""

    before: str
    field: str
    """The field whose value is begun; empty where the field itself is."""
    begun: str


def unfinished(text: str) -> Unfinished:
    """Return what is being typed at the end of a query."""
    last = "" if not text or text[-1].isspace() else text.rsplit(maxsplit=1)[-1]
    word = last.lstrip("-(")
    before = text[: len(text) - len(word)]
    named = _FIELD.fullmatch(word)
    if named is None:
        return Unfinished(before, "", word)
    name = ALIASES.get(named[1].lower(), named[1].lower())
    done, comma, begun = named[2].rpartition(",")
    return Unfinished(f"{before}{named[1]}:{done}{comma}", name if name in FIELDS else "", begun)


def complete(text: str, values: Iterable[str] = ()) -> tuple[str, ...]:
    """Return what a query may become: by a field, by a fixed value, or by one of the recorded `values`."""
    end = unfinished(text)
    if not end.field:
        named = end.before.endswith((":", ","))
        known = () if named else tuple(f"{name}:" for name in FIELDS if name.startswith(end.begun.lower()))
        return tuple(f"{end.before}{name}" for name in known)
    field = FIELDS[end.field]
    fixed = WORDS if field.kind is FieldKind.TIME else field.choices
    offered = [word for word in fixed if word.startswith(end.begun.lower())]
    offered += [quoted(value) for value in values if value]
    return tuple(f"{end.before}{value}" for value in dict.fromkeys(offered))


def quoted(value: str) -> str:
    """Return a value as it is written in a query: in quotation marks where it needs them."""
    if _PLAIN.fullmatch(value):
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'

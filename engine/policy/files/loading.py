"""Policy files: what is included, laid on top, checked, and refused whole where anything is wrong."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from engine.common.file_faults import Fault, Place, PolicyError
from engine.common.strict_yaml import Document, Path_, read
from engine.models import Level
from engine.policy.files.examples import failures
from engine.policy.files.schema import LOWERING, RAISING, PolicySpec, RuleSpec
from engine.policy.policy import Policy, compile_policy
from engine.settings import PolicyBase

SHIPPED = Path(__file__).parents[1]
MAX_FILES = 32
MOST_SHOWN = 300
"""Characters of a file's name in a fault."""


@cache
def shipped(base: PolicyBase = "standard") -> Policy:
    """Return a policy that ships with the program."""
    return load(base=base)


def load(
    *files: Path, deadlines: Mapping[Level, float] | None = None, base: PolicyBase = "standard"
) -> Policy:
    """Return a shipped policy with `files` on top, the last uppermost, and `deadlines` over all of them.

    Raises:
        PolicyError: anything is wrong with any of them, a failing example included.
    """
    lowest = SHIPPED / f"{base}.yaml"
    merged, read_from = _Merged(lowest), list[Path]()
    for file in (lowest, *files):
        for document in _with_included(file.absolute(), (), set()):
            merged.add(document)
            read_from.append(document.file)
    for level, seconds in (deadlines or {}).items():
        merged.deadlines[level.value] = seconds
    spec = merged.validated()
    if failed := failures(spec, merged.place):
        raise PolicyError(*failed)
    return compile_policy(spec, merged.rule_places(), tuple(read_from))


@cache
def _shipped_document(file: Path) -> Document:
    return read(file)


def _with_included(file: Path, above: tuple[Path, ...], done: set[Path]) -> Iterator[Document]:
    document = _shipped_document(file) if file.parent == SHIPPED else read(file)
    done.add(file)
    if not isinstance(document.value, dict):
        raise PolicyError(Fault(Place(file), "a policy file holds keys: deadlines, include, rules"))
    names = document.value.get("include", [])
    for number, name in enumerate(names if isinstance(names, list) else [names]):
        place = document.place(("include", number))
        if not isinstance(name, str):
            raise PolicyError(Fault(place, f"`{name}` is no file name"))
        wanted = Path(os.path.normpath(file.parent / name))
        if wanted in (*above, file):
            chain = " -> ".join(path.name for path in (*above, file, wanted))
            raise PolicyError(Fault(place, f"includes itself: {chain}"))
        if not _is_file(wanted):
            raise PolicyError(Fault(place, f"there is no file {str(wanted)[:MOST_SHOWN]}"))
        if len(done) >= MAX_FILES:
            raise PolicyError(Fault(place, f"more than {MAX_FILES} files"))
        if wanted not in done:
            yield from _with_included(wanted, (*above, file), done)
    yield document


def _is_file(path: Path) -> bool:
    """Return whether there is a regular file; there is none of a name that no file can have."""
    try:
        return path.is_file()
    except OSError:
        return False


@dataclass
class _Merged:
    """Raw values, and for each the document that it came from."""

    lowest: Path
    deadlines: dict[str, Any] = field(default_factory=dict)
    rules: dict[str, dict[str, Any]] = field(default_factory=dict)
    other: dict[str, Any] = field(default_factory=dict)
    origins: dict[Path_, tuple[Document, Path_]] = field(default_factory=dict)

    def add(self, document: Document) -> None:
        for key, value in document.value.items():
            if key == "rules":
                self._add_rules(document, value)
            elif key == "deadlines":
                if not isinstance(value, dict):
                    raise PolicyError(Fault(document.place((key,)), "`deadlines` holds a line for each risk"))
                self.deadlines |= value
                self.origins |= {(key, level): (document, (key, level)) for level in value}
            elif key != "include":
                self.other[key] = value
                self.origins[key,] = document, (key,)

    def _add_rules(self, document: Document, rules: Any) -> None:
        if not isinstance(rules, list):
            raise PolicyError(Fault(document.place(("rules",)), "`rules` is a list"))
        seen: set[str] = set()
        for number, rule in enumerate(rules):
            place = document.place(("rules", number))
            id = rule.get("id") if isinstance(rule, dict) else None
            if not isinstance(id, str):
                raise PolicyError(Fault(place, "a rule has an `id`, a word"))
            if id in seen:
                raise PolicyError(Fault(place, f"the rule `{id}` is defined twice in this file"))
            seen.add(id)
            below = self.rules.get(id, {})
            if "when" in rule:
                below = {key: value for key, value in below.items() if key not in {"match", "not_match"}}
            self.rules[id] = below | rule
            self.origins |= {(id, key): (document, ("rules", number, key)) for key in rule}

    def validated(self) -> PolicySpec:
        """Return what the files say.

        Raises:
            PolicyError: with every mistake in them.
        """
        plain = {**self.other, "deadlines": self.deadlines, "rules": list(self.rules.values())}
        try:
            spec = PolicySpec.model_validate(plain)
        except ValidationError as error:
            raise PolicyError(*sorted({self._fault(one) for one in error.errors()}, key=_by_place)) from None
        if faults := [fault for rule in spec.rules for fault in self._unsound(rule, spec.rules)]:
            raise PolicyError(*faults)
        return spec

    def rule_places(self) -> dict[str, Place]:
        return {id: self.place((id, "id")) for id in self.rules}

    def place(self, path: Path_) -> Place:
        """Return the place of a rule's key, or of anything below it: `(rule's id, key, …)`."""
        for length in range(len(path), 0, -1):
            if origin := self.origins.get(path[:length]):
                document, above = origin
                return document.place((*above, *path[length:]))
        return self.place((path[0], "id")) if len(path) > 1 else Place(self.lowest)

    def _fault(self, error: ErrorDetails) -> Fault:
        where = tuple(part for part in error["loc"] if part != "[key]")
        if len(where) > 1 and where[0] == "rules" and isinstance(where[1], int):
            where = (list(self.rules)[where[1]], *where[2:])
        return Fault(self.place(where), _message(error))

    def _unsound(self, rule: RuleSpec, rules: Sequence[RuleSpec]) -> Iterator[Fault]:
        by_id = {other.id: other for other in rules}
        when = rule.when.model_fields_set
        if (rule.risk is None) == (not rule.refuse):
            yield Fault(self.place((rule.id, "id")), f"`{rule.id}` needs either `risk` or `refuse: true`")
        for key in sorted(when & (RAISING if rule.lowers else LOWERING)):
            kind = "raises" if rule.lowers else "lowers"
            message = f"`{key}` belongs in a rule that {kind} the risk"
            yield Fault(self.place((rule.id, "when", key)), message)
        for number, id in enumerate(rule.lowers):
            if why := _cannot_lower(rule, by_id.get(id), id):
                yield Fault(self.place((rule.id, "lowers", number)), why)


def _cannot_lower(rule: RuleSpec, other: RuleSpec | None, id: str) -> str | None:
    if other is None:
        return f"there is no rule `{id}` to lower"
    if other.lowers:
        return f"`{id}` lowers the risk itself"
    if other.refuse or other.risk is Level.CRITICAL:
        return f"`{id}` is CRITICAL: change its `when`, it cannot be lowered"
    if rule.risk is None or other.risk is None or rule.risk.rank >= other.risk.rank:
        return f"`{rule.id}` is not below `{id}`"
    return None


def _by_place(fault: Fault) -> Place:
    return fault.place


def _message(error: ErrorDetails) -> str:
    key = error["loc"][-1] if error["loc"] else ""
    match error["type"]:
        case "extra_forbidden":
            return f"unknown key `{key}`"
        case "value_error":
            return str(error["ctx"]["error"]) if "ctx" in error else error["msg"]
        case "missing":
            return f"`{key}` is missing"
    return f"`{key}`: {error['msg']}, not `{error['input']}`"

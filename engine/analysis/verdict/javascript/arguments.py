"""What calls pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.analysis.verdict.javascript.functions import EVERY, parameters
from engine.analysis.verdict.javascript.kinds import ANYTHING, SHARED
from engine.analysis.verdict.javascript.tree import OwnFunction, SyntaxPart
from engine.analysis.verdict.javascript.walk import Walk


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument: what it may be, and the function if one is written there."""

    part: SyntaxPart
    kind: int
    function: OwnFunction | None
    is_spread: bool


def read_arguments(walk: Walk, part: SyntaxPart | None) -> list[Argument]:
    """Return the arguments of a call, checked."""
    return [_argument(walk, one) for one in part.parts] if part is not None else []


def _argument(walk: Walk, part: SyntaxPart) -> Argument:
    if part.type == "spread_element":
        return Argument(part, walk.kind(part), None, is_spread=True)
    kind, function = walk.value(part)
    return Argument(part, kind, function, is_spread=False)


def pass_to_anybody(walk: Walk, given: list[Argument]) -> None:
    """Pass arguments to a function that is not known."""
    for one in given:
        if one.function is not None:
            walk.flow.escape(one.function)
        walk.flow.store(one.kind, one.part)


def pass_to(walk: Walk, function: OwnFunction, given: list[Argument]) -> None:
    """Pass arguments to a function of the program."""
    plain = sum(one.type != "rest_pattern" for one in parameters(function.part))
    spread = False
    for number, one in enumerate(given):
        spread = spread or one.is_spread
        if one.function is not None:
            walk.flow.escape(one.function)
        if number >= plain or spread:
            walk.flow.store(one.kind, one.part)
        _give(walk, function, EVERY if spread else number, one.kind)


def _give(walk: Walk, function: OwnFunction, number: int, kind: int) -> None:
    """Let a parameter of a function be of this kind."""
    before = function.passed.get(number, -1)
    if before < 0 or kind & ~before:
        function.passed[number] = kind | max(before, 0)
        walk.flow.changed = True


def call_back(walk: Walk, one: Argument, kinds: Mapping[int, int], *, leaks: bool) -> None:
    """Let the language call an argument with these, and (`leaks`) keep what it returns."""
    if one.kind & ANYTHING:
        walk.flow.refuse(one.part, "this may be any function of the language, and is called back")
    function = one.function
    if function is None:
        return
    if leaks and not function.leaks:
        function.leaks = walk.flow.changed = True
    for number, kind in kinds.items():
        _give(walk, function, number, kind)


def any_shared(given: list[Argument]) -> bool:
    """Return whether an argument may belong to the language."""
    return any(one.kind & SHARED for one in given)

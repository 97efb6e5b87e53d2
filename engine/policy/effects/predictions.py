"""Whether an observed effect is one of those that were predicted. Pure."""

from __future__ import annotations

import fnmatch
import glob
import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine.models import Certainty, EffectKind, PredictedEffect
from engine.models.observed import ObservedEffect, ObservedKind

_HOME = "/workspace"
_FILES = frozenset({EffectKind.READ, EffectKind.WRITE})
_CHANGES = frozenset({EffectKind.WRITE})
_NETWORK = frozenset({EffectKind.HOST, EffectKind.URL, EffectKind.PORT})
_COMMANDS = frozenset({EffectKind.COMMAND})
_KINDS: dict[ObservedKind, frozenset[EffectKind]] = {
    ObservedKind.READ: _FILES,
    ObservedKind.WRITE: _CHANGES,
    ObservedKind.DELETE: _CHANGES,
    ObservedKind.RENAME: _CHANGES,
    ObservedKind.LINK: _CHANGES,
    ObservedKind.FOLDER: _CHANGES,
    ObservedKind.ATTRIBUTES: _CHANGES,
    ObservedKind.CONNECT: _NETWORK,
    ObservedKind.SEND: _NETWORK,
    ObservedKind.LISTEN: _NETWORK,
    ObservedKind.PROCESS: _COMMANDS,
}
"""Which predictions an observed effect can fulfil; other kinds are never predicted."""
_SHELLS = frozenset({"sh", "bash", "dash"})


def predictions_of(
    effect: ObservedEffect, predicted: Iterable[PredictedEffect]
) -> tuple[PredictedEffect, ...]:
    """Return the predictions that an observed effect fulfils."""
    return tuple(one for one in _of_its_kind(effect, predicted) if _fits(effect, one))


def possible_predictions(
    effect: ObservedEffect, predicted: Iterable[PredictedEffect]
) -> tuple[PredictedEffect, ...]:
    """Return the predictions that an effect may fulfil whose target the kernel does not tell."""
    return () if effect.target else tuple(_of_its_kind(effect, predicted))


def _of_its_kind(effect: ObservedEffect, predicted: Iterable[PredictedEffect]) -> Iterator[PredictedEffect]:
    kinds = _KINDS.get(effect.kind, frozenset())
    return (one for one in predicted if one.kind in kinds)


def _fits(effect: ObservedEffect, prediction: PredictedEffect) -> bool:
    """Return whether an effect is the predicted one; without a target it is none in particular."""
    if prediction.certainty is Certainty.UNKNOWN or not effect.target:
        return prediction.certainty is Certainty.UNKNOWN
    value, target = prediction.value.text, effect.target.text
    match prediction.kind:
        case EffectKind.READ | EffectKind.WRITE:
            exact = prediction.certainty is Certainty.EXACT
            return _same_path(value, target, exact=exact)
        case EffectKind.COMMAND:
            return _same_command(value, effect)
        case EffectKind.PORT:
            return target.endswith(f":{value}")
        case EffectKind.HOST:
            return target.rpartition(":")[0].strip("[]") == value or _is_local(value, target)
        case _:
            return False


def _same_path(value: str, target: str, *, exact: bool) -> bool:
    """Return whether a path is the predicted one, lies below it, or matches its pattern.

    Only what is not known exactly has unknown parts: a file may be called `/…`, too.
    """
    path = posixpath.normpath(value if value.startswith("/") else f"{_HOME}/{value}")
    if target == path or target.startswith(f"{path}/"):
        return True
    first = path.split("/")[1]
    if ("…" in path and not exact) or ("**" in path and not glob.has_magic(first)):
        path = path.replace("…", "*")
        return fnmatch.fnmatchcase(target, path) or fnmatch.fnmatchcase(target, f"{path}/*")
    return glob.has_magic(path) and _fits_wildcards(path, target)


def _fits_wildcards(path: str, target: str) -> bool:
    """Return whether a path is, or lies below, one that the shell makes of a path with wildcards.

    A file may be called `/*`: where the first folder is a wildcard, nothing is predicted by it.
    """
    wanted, parts = path.split("/"), target.split("/")
    if glob.has_magic(wanted[1]) or len(parts) < len(wanted):
        return False
    return all(map(fnmatch.fnmatchcase, parts, wanted))


def _same_command(value: str, effect: ObservedEffect) -> bool:
    """Return whether a process is the predicted command, or the shell that runs it."""
    words = value.replace("…", "*").split()
    if not words:
        return False
    name = words[0].rpartition("/")[2]
    names = {part.rpartition("/")[2] for part in (effect.target.text, effect.detail.text.split(" ", 1)[0])}
    return bool(names & {name, *_aliases(name)}) or (bool(names & _SHELLS) and value in effect.detail.text)


def _aliases(name: str) -> tuple[str, ...]:
    return (f"{name}3",) if name == "python" else ("dash", "bash") if name == "sh" else ()


def _is_local(value: str, target: str) -> bool:
    return value == "localhost" and target.startswith(("127.", "[::1]"))


@dataclass(frozen=True)
class CommandScope:
    """Whose effects they are: those of a predicted command belong to it."""

    programs: frozenset[str]

    @classmethod
    def of(cls, effects: Iterable[ObservedEffect], predicted: tuple[PredictedEffect, ...]) -> CommandScope:
        """Return the programs that were started as predicted, and those that these started."""
        started = [one for one in effects if one.kind is ObservedKind.PROCESS]
        programs = {one.target.text for one in started if predictions_of(one, predicted)}
        while more := {one.target.text for one in started if one.process.text in programs} - programs:
            programs |= more
        return cls(frozenset(programs))

    def covers(self, effect: ObservedEffect) -> bool:
        """Return whether an effect on files or processes is a predicted command's."""
        local = effect.kind not in {ObservedKind.CONNECT, ObservedKind.SEND, ObservedKind.LISTEN}
        return local and effect.process.text in self.programs and effect.kind in _KINDS

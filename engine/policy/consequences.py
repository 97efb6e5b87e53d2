"""Which lines of code fail when a requested permission is not granted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath
from typing import TypeVar
from urllib.parse import urlsplit

from engine.common import hosts
from engine.common.text import Untrusted
from engine.models import Analysis, Certainty, Consequence, EffectKind, Limits, Permissions, PredictedEffect

T = TypeVar("T")
Fits = Callable[[str], bool]
WORKSPACE = PurePosixPath("/workspace")


def consequences(analysis: Analysis, asked: Permissions, given: Permissions) -> tuple[Consequence, ...]:
    """Return the consequences of each requested permission that is not granted, or only in part.

    Where the analysis is not exact, an effect counts as possible for every permission of its kind.
    """
    taken = _taken(asked, given)
    found = [_consequence(name, needs, fits, analysis.effects) for name, needs, fits in taken]
    found += (_plain(name) for name in _lowered(asked.limits, given.limits))
    if asked.session and not given.session:
        found.append(_plain("session"))
    return tuple(found)


def _taken(asked: Permissions, given: Permissions) -> Iterator[tuple[str, frozenset[EffectKind], Fits]]:
    for domain in _less(asked.domains, given.domains):
        yield f"domain {domain.text}", _NETWORK, _reaches(domain.text)
    for package in _less(asked.packages, given.packages):
        yield f"package {package.name.text}", _PACKAGES, _imports(package.name.text)
    for file in _less(asked.files, given.files):
        yield f"file {file.text}", _FILES, _opens(file.text)
    for secret in _less(asked.secrets, given.secrets):
        yield f"secret {secret.text}", _SECRETS, _named(secret.text)
    for build in _less(asked.builds, given.builds):
        yield f"build {build.text}", _PACKAGES, _imports(build.text)


def _less(asked: Iterable[T], given: Iterable[T]) -> Iterator[T]:
    kept = set(given)
    return (item for item in asked if item not in kept)


def _consequence(
    name: str, needs: frozenset[EffectKind], fits: Fits, effects: Iterable[PredictedEffect]
) -> Consequence:
    wanting = [one for one in effects if one.kind in needs]
    sure = [one for one in wanting if one.certainty is Certainty.EXACT and fits(one.value.text)]
    unsure = [one for one in wanting if one.certainty is not Certainty.EXACT]
    lines = sorted({line for one in (*sure, *unsure) for line in one.lines})
    return Consequence(permission=Untrusted(name), lines=tuple(lines), certain=not unsure)


def _plain(name: str) -> Consequence:
    return Consequence(permission=Untrusted(name), certain=False)


def _lowered(asked: Limits, given: Limits) -> Iterator[str]:
    for field in Limits.model_fields:
        if getattr(given, field) < getattr(asked, field):
            yield f"{field} {getattr(given, field):g} in place of {getattr(asked, field):g}"


def _reaches(domain: str) -> Fits:
    return lambda value: hosts.matches(domain, _host(value))


def _host(value: str) -> str:
    """Return the host of a URL, or of a name with or without a port; empty where there is none."""
    try:
        host = urlsplit(value).hostname if "://" in value else value.partition(":")[0]
    except ValueError:
        host = None
    return (host or "").rstrip(".").lower()


def _imports(package: str) -> Fits:
    name = _normal(package)
    return lambda value: _normal(value.split(".")[0]) == name


def _normal(name: str) -> str:
    return name.lower().replace("-", "_")


def _opens(name: str) -> Fits:
    wanted = WORKSPACE / name
    return lambda value: WORKSPACE / value == wanted


def _named(name: str) -> Fits:
    return lambda value: value == name


_NETWORK = frozenset({EffectKind.HOST, EffectKind.URL})
_PACKAGES = frozenset({EffectKind.PACKAGE, EffectKind.MODULE})
_FILES = frozenset({EffectKind.READ, EffectKind.WRITE})
_SECRETS = frozenset({EffectKind.ENVIRONMENT})

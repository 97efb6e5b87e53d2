"""Which granted files, domains, packages and secrets a run used. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.common import hosts
from engine.common.effects.package_places import comparable, package_folder, package_name
from engine.common.text import Untrusted
from engine.models import Package, Permissions
from engine.models.observed import EffectMatch, NetworkUse, ObservedEffect, ObservedKind, Relation

INPUT_FOLDER = "/workspace/"


def grants(
    granted: Permissions,
    effects: Sequence[ObservedEffect],
    network: Sequence[NetworkUse],
    *,
    complete: bool = True,
) -> Iterator[EffectMatch]:
    """Yield a row for each permission.

    `complete`: the effects are all that there were; otherwise what was not seen may have been used. Domains
    and secrets are the proxy's to tell, and it sees all.
    """
    read = {one.target.text for one in effects if _is_read(one)}
    unseen = Relation.UNUSED if complete else Relation.USE_UNKNOWN
    for file in granted.files:
        used = INPUT_FOLDER + file.text in read
        yield _row("file", file, Relation.USED if used else unseen)
    yield from _domains(granted, network)
    yield from _packages(granted.packages, read, unseen)
    yield from _secrets(granted, network)


def _is_read(effect: ObservedEffect) -> bool:
    return effect.kind is ObservedKind.READ and effect.count > effect.refused


def _domains(granted: Permissions, network: Sequence[NetworkUse]) -> Iterator[EffectMatch]:
    reached = [use.host.text for use in network if use.allowed]
    for domain in granted.domains:
        used = any(hosts.matches(domain.text, host) for host in reached)
        yield _row("domain", domain, Relation.USED if used else Relation.UNUSED)


def _packages(packages: Sequence[Package], read: set[str], unseen: Relation) -> Iterator[EffectMatch]:
    """Yield a row for each package.

    A package may be read under a name that is not its own. Where such a name was read, any package that was
    not seen may be the one.
    """
    names = {name for path in read if path == package_folder(path) and (name := package_name(path))}
    known = {comparable(one.name.text) for one in packages}
    unseen = unseen if names <= known else Relation.USE_UNKNOWN
    for one in packages:
        used = comparable(one.name.text) in names
        value = Untrusted(f"{one.name.text} {one.version.text}".strip())
        yield _row("package", value, Relation.USED if used else unseen)


def _secrets(granted: Permissions, network: Sequence[NetworkUse]) -> Iterator[EffectMatch]:
    allowed = [use for use in network if use.allowed]
    sent = {name for use in allowed for name in use.secrets or ()}
    unseen = Relation.UNUSED if all(use.secrets is not None for use in allowed) else Relation.USE_UNKNOWN
    for name in granted.secrets:
        yield _row("secret", name, Relation.USED if name in sent else unseen)


def _row(kind: str, value: Untrusted, relation: Relation) -> EffectMatch:
    return EffectMatch(relation=relation, kind=kind, value=value)

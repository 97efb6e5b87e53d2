"""Whether granted files, domains, packages and secrets were used."""

from __future__ import annotations

from typing import Any

import pytest

from engine.common.effects.package_places import package_folder
from engine.common.text import Untrusted
from engine.models import Analysis, Package, Permissions
from engine.models.observed import NetworkUse, ObservedEffect, ObservedKind, Relation
from engine.policy.effects.comparison import compare
from engine.sandbox.packages.npm import Npm
from engine.sandbox.packages.pip import Pip

KINDS = frozenset({"file", "domain", "package", "secret"})
PYTHON = Pip.target


def _read(path: str, **more: Any) -> ObservedEffect:
    """Return a read; of packages they are routine."""
    return ObservedEffect(number=1, kind=ObservedKind.READ, target=Untrusted(path), routine=True, **more)


def _package(name: str) -> Package:
    return Package(name=Untrusted(name), version=Untrusted("1.0"))


def _uses(granted: Permissions, *effects: ObservedEffect, **more: Any) -> dict[str, Relation]:
    """Return how each permission was used."""
    rows = compare(Analysis(), granted, effects, **more)
    return {row.value.text: row.relation for row in rows if row.kind in KINDS}


def test_packages_are_used_or_not() -> None:
    """By what was read of them: Python's under the name that it imports, npm's under their own."""
    python = Permissions(packages=tuple(map(_package, ("requests", "typing_extensions", "PyYAML", "idna"))))
    read = [f"{PYTHON}/{name}" for name in ("requests", "typing_extensions.py", "yaml", "idna-3.1.dist-info")]
    assert {
        "requests 1.0": Relation.USED,
        "typing_extensions 1.0": Relation.USED,
        "PyYAML 1.0": Relation.USED,
        "idna 1.0": Relation.UNUSED,
    } == _uses(python, *(_read(path) for path in read))
    node = Permissions(packages=tuple(map(_package, ("@scope/a", "b.js", "c"))))
    read = ["/node_modules/@scope/a", "/node_modules/@scope/a/node_modules/b.js"]
    assert {"@scope/a 1.0": Relation.USED, "b.js 1.0": Relation.USED, "c 1.0": Relation.UNUSED} == _uses(
        node, *(_read(path) for path in read)
    )


def test_a_package_whose_import_name_is_not_known_may_be_the_one_that_was_read() -> None:
    """What was read belongs to one of those that were not seen."""
    granted = Permissions(packages=(_package("protobuf"), _package("requests")))
    google, requests = (_read(f"{PYTHON}/{name}") for name in ("google", "requests"))
    assert {"protobuf 1.0": Relation.USE_UNKNOWN, "requests 1.0": Relation.USED} == _uses(
        granted, google, requests
    )


def test_what_was_not_seen_may_have_been_used_where_not_all_was_seen() -> None:
    """Files and packages; the proxy tells the use of domains, whatever the kernel told."""
    granted = Permissions(
        files=(Untrusted("a"),), packages=(_package("b"),), domains=(Untrusted("c.example"),)
    )
    assert {
        "a": Relation.USE_UNKNOWN,
        "b 1.0": Relation.USE_UNKNOWN,
        "c.example": Relation.UNUSED,
    } == _uses(granted, complete=False)


def test_a_file_that_could_not_be_read_was_not_used() -> None:
    """A read that was refused is none."""
    refused = _read("/workspace/a", refused=1)
    assert {"a": Relation.UNUSED} == _uses(Permissions(files=(Untrusted("a"),)), refused)


@pytest.mark.parametrize(
    ("network", "relation"),
    [
        ([], Relation.UNUSED),
        ([NetworkUse(host=Untrusted("h"), port=443, allowed=True)], Relation.UNUSED),
        (
            [NetworkUse(host=Untrusted("h"), port=443, allowed=True, secrets=(Untrusted("TOKEN"),))],
            Relation.USED,
        ),
        (
            [NetworkUse(host=Untrusted("h"), port=443, allowed=False, secrets=(Untrusted("TOKEN"),))],
            Relation.UNUSED,
        ),
        (
            [NetworkUse(host=Untrusted("h"), port=443, allowed=True, secrets=None)],
            Relation.USE_UNKNOWN,
        ),
    ],
)
def test_secrets_are_used_or_not(network: list[NetworkUse], relation: Relation) -> None:
    """By what the proxy put into requests; of old records it is not known."""
    assert {"TOKEN": relation} == _uses(Permissions(secrets=(Untrusted("TOKEN"),)), network=network)


@pytest.mark.parametrize("folder", [Pip.target, Npm.target])
def test_packages_are_known_where_they_are_installed(folder: str) -> None:
    """Each language has a place of its own."""
    assert f"{folder}/name" == package_folder(f"{folder}/name/file")


@pytest.mark.parametrize(
    "path", [Pip.target, f"{Npm.target}/", "/usr/lib/python3/dist-packages/numpy/x", "/a"]
)
def test_other_places_hold_no_granted_package(path: str) -> None:
    """What an image has belongs to the installation of its language."""
    assert "" == package_folder(path)

"""What exactly is installed: names, versions, hashes. Pure."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any

from engine.models import Language, Package
from engine.text import Untrusted, visible

MOST = 200
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9])?")
_VERSION = re.compile(r"[0-9][0-9A-Za-z.!+_-]{0,98}")
_HASH = re.compile(r"sha256:[0-9a-f]{64}")
_REGISTRIES = {"", "pypi"}


class BadLock(ValueError):
    """Something is no package of an exact version, or not locked; the message says what."""


def check(packages: Sequence[Package], language: Language) -> None:
    """Let packages be installed for a run. Raises BadLock."""
    check_names(packages, language)
    for package in packages:
        if not package.hashes:
            raise BadLock(f"{visible(package.name)} has no hashes: no registry was there to look them up")


def check_names(packages: Sequence[Package], language: Language) -> None:
    """Let packages be looked up. Raises BadLock."""
    if language is not Language.PYTHON:
        raise BadLock(f"packages are given to Python alone, and this is {language}")
    if len(packages) > MOST:
        raise BadLock(f"more than {MOST} packages")
    for package in packages:
        _check(package)
    if len({_plain(package.name.text) for package in packages}) < len(packages):
        raise BadLock("a package is named twice")


def _check(package: Package) -> None:
    name = visible(package.name)
    if not _NAME.fullmatch(package.name.text) or not _VERSION.fullmatch(package.version.text):
        raise BadLock(f"{name} is no package of an exact version")
    if package.registry.text not in _REGISTRIES:
        raise BadLock(f"{name} is from {visible(package.registry)}, which is no registry of this house")
    if not all(_HASH.fullmatch(one) for one in package.hashes):
        raise BadLock(f"a hash of {name} is not sha256: and 64 digits")


def requirements(packages: Sequence[Package]) -> str:
    """Return the lines that pip takes, in order, so that one set has one text."""
    return "".join(sorted(_line(package) for package in packages))


def _line(package: Package) -> str:
    hashes = "".join(f" --hash={one}" for one in sorted(package.hashes))
    return f"{_plain(package.name.text)}=={package.version.text}{hashes}\n"


def _plain(name: str) -> str:
    """Return the name as registries compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def key(packages: Sequence[Package], image: str) -> str:
    """Return the hash that a layer is kept by: what is in it, and the image that it was made in."""
    return hashlib.sha256(f"{image}\n{requirements(packages)}".encode()).hexdigest()


def found(report: bytes) -> tuple[Package, ...]:
    """Return the packages of pip's installation report, dependencies included. Raises BadLock."""
    try:
        items = json.loads(report)["install"]
        packages = tuple(sorted((_found(item) for item in items), key=lambda package: package.name))
    except (ValueError, KeyError, TypeError) as error:
        raise BadLock(f"the registry's answer cannot be read: {error}") from None
    check(packages, Language.PYTHON)
    return packages


def _found(item: dict[str, Any]) -> Package:
    about, archive = item["metadata"], item["download_info"]["archive_info"]
    return Package(
        name=Untrusted(_plain(about["name"])),
        version=Untrusted(about["version"]),
        hashes=(f"sha256:{archive['hashes']['sha256']}",),
    )

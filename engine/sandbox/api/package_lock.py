"""The exact packages to install: names, versions and hashes. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from engine.common.text import visible
from engine.models import Language, Package

MAX_PACKAGES = 500


class PackageLockError(ValueError):
    """A package has no exact version or is not locked; the message says which."""


@dataclass(frozen=True, slots=True)
class LockFormat:
    """How packages of one language are written."""

    registry: str
    """The name of its default registry."""
    name: re.Pattern[str]
    version: re.Pattern[str]
    hash: re.Pattern[str]
    hash_format: str
    """A description of the hash format."""
    normalizes_names: bool
    """Whether names are compared regardless of case and punctuation (PEP 503)."""
    place: re.Pattern[str]

    def comparable_name(self, name: str) -> str:
        """Return a name as the registry compares it."""
        return normalized(name) if self.normalizes_names else name

    def location(self, package: Package) -> str:
        """Return where a package is installed: unique within a lock."""
        return package.place.text or self.comparable_name(package.name.text)


_NPM_NAME = r"(?:@[a-z0-9~][a-z0-9._~-]*/)?[A-Za-z0-9~][A-Za-z0-9._~-]*"
"""A name of an npm package. One that begins with a dash would be read as an option."""
LOCK_FORMATS = {
    Language.PYTHON: LockFormat(
        registry="pypi",
        name=re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?"),
        version=re.compile(r"[0-9][0-9A-Za-z.!+_-]{0,98}"),
        hash=re.compile(r"sha256:[0-9a-f]{64}"),
        hash_format="sha256: and 64 digits",
        normalizes_names=True,
        place=re.compile(r""),
    ),
    Language.JAVASCRIPT: LockFormat(
        registry="npm",
        name=re.compile(rf"(?=.{{1,214}}\Z){_NPM_NAME}"),
        version=re.compile(r"[0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9}(?:[-+][0-9A-Za-z.+-]{1,60})?"),
        hash=re.compile(r"sha512-[A-Za-z0-9+/]{86}=="),
        hash_format="sha512- and 88 characters",
        normalizes_names=False,
        place=re.compile(rf"(?=.{{0,1024}}\Z)(?:{_NPM_NAME}(?:/node_modules/{_NPM_NAME})*)?"),
    ),
}
"""The languages for which packages can be installed."""


def lock_format(language: Language) -> LockFormat:
    """Return how packages of a language are written. Raises PackageLockError."""
    if language not in LOCK_FORMATS:
        raise PackageLockError(
            f"packages can be installed for Python and JavaScript only, not for {language}"
        )
    return LOCK_FORMATS[language]


def check(packages: Sequence[Package], language: Language) -> None:
    """Check that packages can be installed. Raises PackageLockError."""
    check_names(packages, language)
    for package in packages:
        if not package.hashes:
            raise PackageLockError(
                f"{visible(package.name)} has no hashes, and no registry was available to look them up"
            )


def check_names(packages: Sequence[Package], language: Language) -> None:
    """Check that packages can be looked up. Raises PackageLockError."""
    form = lock_format(language)
    if len(packages) > MAX_PACKAGES:
        raise PackageLockError(f"more than {MAX_PACKAGES} packages")
    for package in packages:
        _check(package, form)
    if len({form.location(package) for package in packages}) < len(packages):
        raise PackageLockError("a package is listed twice")


def _check(package: Package, form: LockFormat) -> None:
    name = visible(package.name)
    if not form.name.fullmatch(package.name.text) or not form.version.fullmatch(package.version.text):
        raise PackageLockError(f"{name} does not have a valid name and an exact version")
    if not form.place.fullmatch(package.place.text):
        raise PackageLockError(f"{name} has the invalid install path {visible(package.place)}")
    if package.registry.text not in {"", form.registry}:
        raise PackageLockError(
            f"{name} is from {visible(package.registry)}, which is not a configured registry"
        )
    if not all(form.hash.fullmatch(one) for one in package.hashes):
        raise PackageLockError(f"a hash of {name} is not {form.hash_format}")


def normalized(name: str) -> str:
    """Return a Python package name in normalized form (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def built(packages: Sequence[Package], language: Language, builds: Collection[str]) -> tuple[Package, ...]:
    """Return the packages that may run their own code during installation."""
    form = lock_format(language)
    names = {form.comparable_name(name) for name in builds}
    return tuple(package for package in packages if form.comparable_name(package.name.text) in names)


def key(packages: Sequence[Package], language: Language, image: str, builds: Collection[str] = ()) -> str:
    """Return the cache key of a layer: a hash of its packages, their builds, and the image."""
    form = lock_format(language)
    lines = sorted(_line(package, form) for package in packages)
    ran = sorted(form.location(package) for package in built(packages, language, builds))
    return hashlib.sha256("\n".join([image, *lines, *(f"builds {one}" for one in ran)]).encode()).hexdigest()


def _line(package: Package, form: LockFormat) -> str:
    hashes = " ".join(sorted(package.hashes))
    name = form.comparable_name(package.name.text)
    return f"{form.location(package)} {name} {package.version.text} {hashes}"

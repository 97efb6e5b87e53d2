"""What exactly is installed: names, versions, hashes. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from engine.common.text import visible
from engine.models import Language, Package

MOST = 500


class PackageLockError(ValueError):
    """Something is no package of an exact version, or not locked; the message says what."""


@dataclass(frozen=True, slots=True)
class LockFormat:
    """How packages of one language are written."""

    registry: str
    """What its usual registry is called."""
    name: re.Pattern[str]
    version: re.Pattern[str]
    hash: re.Pattern[str]
    hashed: str
    """The form of a hash, in words."""
    folds: bool
    """Whether names are compared without regard to case and punctuation (PEP 503)."""
    place: re.Pattern[str]

    def folded(self, name: str) -> str:
        """Return a name as the registry compares it."""
        return plain(name) if self.folds else name

    def placed(self, package: Package) -> str:
        """Return what no two packages of one lock have in common: where it lies."""
        return package.place.text or self.folded(package.name.text)


_PLACED = r"(?:@[a-z0-9~][a-z0-9._~-]*/)?[A-Za-z0-9~][A-Za-z0-9._~-]*"
"""A name of npm. Those that begin with a dash, of which there are a few, would be options."""
LOCK_FORMATS = {
    Language.PYTHON: LockFormat(
        registry="pypi",
        name=re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?"),
        version=re.compile(r"[0-9][0-9A-Za-z.!+_-]{0,98}"),
        hash=re.compile(r"sha256:[0-9a-f]{64}"),
        hashed="sha256: and 64 digits",
        folds=True,
        place=re.compile(r""),
    ),
    Language.JAVASCRIPT: LockFormat(
        registry="npm",
        name=re.compile(rf"(?=.{{1,214}}\Z){_PLACED}"),
        version=re.compile(r"[0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9}(?:[-+][0-9A-Za-z.+-]{1,60})?"),
        hash=re.compile(r"sha512-[A-Za-z0-9+/]{86}=="),
        hashed="sha512- and 88 characters",
        folds=False,
        place=re.compile(rf"(?=.{{0,1024}}\Z)(?:{_PLACED}(?:/node_modules/{_PLACED})*)?"),
    ),
}
"""The languages that packages are given to."""


def lock_format(language: Language) -> LockFormat:
    """Return how packages of a language are written. Raises PackageLockError."""
    if language not in LOCK_FORMATS:
        raise PackageLockError(f"packages are given to Python and JavaScript alone, and this is {language}")
    return LOCK_FORMATS[language]


def check(packages: Sequence[Package], language: Language) -> None:
    """Let packages be installed for a run. Raises PackageLockError."""
    check_names(packages, language)
    for package in packages:
        if not package.hashes:
            raise PackageLockError(
                f"{visible(package.name)} has no hashes: no registry was there to look them up"
            )


def check_names(packages: Sequence[Package], language: Language) -> None:
    """Let packages be looked up. Raises PackageLockError."""
    form = lock_format(language)
    if len(packages) > MOST:
        raise PackageLockError(f"more than {MOST} packages")
    for package in packages:
        _check(package, form)
    if len({form.placed(package) for package in packages}) < len(packages):
        raise PackageLockError("a package is named twice")


def _check(package: Package, form: LockFormat) -> None:
    name = visible(package.name)
    if not form.name.fullmatch(package.name.text) or not form.version.fullmatch(package.version.text):
        raise PackageLockError(f"{name} is no package of an exact version")
    if not form.place.fullmatch(package.place.text):
        raise PackageLockError(
            f"{name} is to lie in {visible(package.place)}, which is no place of a package"
        )
    if package.registry.text not in {"", form.registry}:
        raise PackageLockError(
            f"{name} is from {visible(package.registry)}, which is not a configured registry"
        )
    if not all(form.hash.fullmatch(one) for one in package.hashes):
        raise PackageLockError(f"a hash of {name} is not {form.hashed}")


def plain(name: str) -> str:
    """Return the name as Python's registries compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def built(packages: Sequence[Package], language: Language, builds: Collection[str]) -> tuple[Package, ...]:
    """Return those of the packages that may run code of their own while they are installed."""
    form = lock_format(language)
    names = {form.folded(name) for name in builds}
    return tuple(package for package in packages if form.folded(package.name.text) in names)


def key(packages: Sequence[Package], language: Language, image: str, builds: Collection[str] = ()) -> str:
    """Return the hash that a layer is kept by: what is in it, how, and the image that it was made in."""
    form = lock_format(language)
    lines = sorted(_line(package, form) for package in packages)
    ran = sorted(form.placed(package) for package in built(packages, language, builds))
    return hashlib.sha256("\n".join([image, *lines, *(f"builds {one}" for one in ran)]).encode()).hexdigest()


def _line(package: Package, form: LockFormat) -> str:
    hashes = " ".join(sorted(package.hashes))
    name = form.folded(package.name.text)
    return f"{form.placed(package)} {name} {package.version.text} {hashes}"

"""JavaScript packages: npm of this machine, copied in, and one short program."""

from __future__ import annotations

import functools
import json
import shutil
from collections.abc import Collection, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from engine.common.text import Untrusted
from engine.models import InputFile, Language, Package
from engine.sandbox.api import package_lock as lock
from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.packages.installer import LAYER, InstallRequest
from engine.sandbox.packages.registry import Registry, of_javascript
from engine.settings import SandboxSettings

_PROGRAM = resources.files("engine.sandbox.guest_protocol").joinpath("guest/npm.js").read_text()
_SUFFIXES = {".js", ".cjs", ".mjs", ".json"}
_INSIDE = "/node_modules/"
_MEND = "sudo npm install --global npm   (or sudo apt-get install npm first)"


class Npm:
    """Installs packages by their integrity; install scripts need a grant of their own."""

    target = "/node_modules"
    """Where Node looks last, from wherever the program lies."""

    async def registry(self, settings: SandboxSettings) -> Registry:
        """Return the registry of the settings, or else the one of npm on this machine."""
        return await of_javascript(settings.packages)

    def look_up(self, registry: Registry, packages: Sequence[Package]) -> InstallRequest:
        """Return the order to find the whole tree, without running a script."""
        return _order(registry, {"package.json": _manifest(packages)}, layer="", scripts=[])

    def build(
        self, registry: Registry, packages: Sequence[Package], builds: Collection[str]
    ) -> InstallRequest:
        """Return the order to install a tree, and to run the install scripts that may run."""
        ran = lock.built(packages, Language.JAVASCRIPT, builds)
        names = sorted({one.place.text.rpartition(_INSIDE)[2] or one.name.text for one in ran})
        files = {"package.json": _manifest(packages), "package-lock.json": tree(packages, builds)}
        return _order(registry, files, layer=LAYER, scripts=names)

    def found(self, report: bytes) -> tuple[Package, ...]:
        """Read the tree that npm laid out."""
        try:
            entries = json.loads(report)["packages"].items()
            packages = tuple(_found(place.removeprefix("node_modules/"), one) for place, one in entries)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise lock.PackageLockError(f"the registry's answer cannot be read: {error}") from None
        lock.check(packages, Language.JAVASCRIPT)
        return packages


@functools.cache
def npm() -> tuple[InputFile, ...]:
    """Return npm of this machine, as files of a workspace. Raises SandboxUnavailable."""
    found = shutil.which("npm")
    if found is None:
        raise SandboxUnavailable("npm is not on this machine, and installs packages", _MEND)
    folder = Path(found).resolve().parent.parent
    if not (folder / "bin" / "npm-cli.js").is_file() or not (folder / "node_modules" / "semver").is_dir():
        raise SandboxUnavailable("this machine's npm is not in one piece", _MEND)
    return tuple(
        InputFile(name=Untrusted(f"npm/{path.relative_to(folder)}"), content=path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.suffix in _SUFFIXES and path.is_file() and not path.is_symlink()
    )


def tree(packages: Sequence[Package], builds: Collection[str] = ()) -> dict[str, Any]:
    """Return npm's lock file of packages. One that lies inside another that is missing is left out."""
    ran = set(lock.built(packages, Language.JAVASCRIPT, builds))
    laid = {_place(one): one for one in packages}
    whole = {place: one for place, one in laid.items() if all(each in laid for each in _around(place))}
    entries = {place: _entry(one, scripts=one in ran) for place, one in whole.items()}
    for place, one in whole.items():
        outer, _, name = place.rpartition(_INSIDE)
        if outer:
            entries[outer].setdefault("dependencies", {})[name] = _wanted(one, name)
    locked = {f"node_modules/{place}": entry for place, entry in entries.items()}
    return {"lockfileVersion": 3, "packages": {"": _manifest(packages), **locked}}


def _around(place: str) -> list[str]:
    parts = place.split(_INSIDE)
    return [_INSIDE.join(parts[:count]) for count in range(1, len(parts))]


def _manifest(packages: Sequence[Package]) -> dict[str, Any]:
    """Return the manifest of a program that needs what lies on top."""
    tops = {_place(one): one for one in packages if _INSIDE not in _place(one)}
    return {"dependencies": {name: _wanted(one, name) for name, one in sorted(tops.items())}}


def _place(package: Package) -> str:
    return package.place.text or package.name.text


def _wanted(package: Package, name: str) -> str:
    """Return what npm asks for by `name`, which may be another than the package's own."""
    other = f"npm:{package.name.text}@" if name != package.name.text else ""
    return f"{other}{package.version.text}"


def _entry(package: Package, *, scripts: bool) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "name": package.name.text,
        "version": package.version.text,
        "integrity": " ".join(package.hashes),
    }
    return entry | ({"hasInstallScript": True} if scripts else {})


def _found(place: str, entry: dict[str, Any]) -> Package:
    named = entry.get("name") or place.rpartition(_INSIDE)[2]
    best = [one for one in entry["integrity"].split() if one.startswith("sha512-")]
    return Package(
        name=Untrusted(named),
        version=Untrusted(entry["version"]),
        hashes=tuple(best),
        place=Untrusted("" if place == named else place),
    )


def _order(registry: Registry, files: dict[str, Any], *, layer: str, scripts: list[str]) -> InstallRequest:
    wanted = {"registry": registry.index, "files": files, "layer": layer, "scripts": scripts}
    program = f"const ORDER = {json.dumps(wanted)};\n{_PROGRAM}"
    return InstallRequest(program.encode(), npm())

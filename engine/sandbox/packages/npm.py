"""Installs JavaScript packages with the npm of this host, copied into the sandbox."""

from __future__ import annotations

import functools
import json
import shutil
from collections.abc import Collection, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from engine.common.text import Untrusted, visible
from engine.models import InputFile, Language, Package
from engine.sandbox.api import package_lock as lock
from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.packages.installer import LAYER, InstallRequest
from engine.sandbox.packages.registry import Registry, npm_registry
from engine.settings import SandboxSettings

_PROGRAM = resources.files("engine.sandbox.guest_protocol").joinpath("guest/npm.js").read_text()
_SUFFIXES = {".js", ".cjs", ".mjs", ".json"}
_INSIDE = "/node_modules/"
_HINT = "sudo npm install --global npm   (or sudo apt-get install npm first)"


class Npm:
    """Installs packages by their integrity hashes; install scripts need a separate permission."""

    target = "/node_modules"
    """The last folder in which Node.js looks, wherever the program is."""

    async def registry(self, settings: SandboxSettings) -> Registry:
        """Return the registry in the settings, or the one that npm uses on this host."""
        return await npm_registry(settings.packages)

    def look_up(self, registry: Registry, packages: Sequence[Package]) -> InstallRequest:
        """Return the request to resolve the whole tree, without running a script."""
        return _request(registry, {"package.json": _manifest(packages)}, layer="", scripts=[])

    def build(
        self, registry: Registry, packages: Sequence[Package], builds: Collection[str]
    ) -> InstallRequest:
        """Return the request to install a tree, and to run the permitted install scripts."""
        ran = lock.built(packages, Language.JAVASCRIPT, builds)
        places = sorted(_place(one) for one in ran)
        files = {"package.json": _manifest(packages), "package-lock.json": npm_lock_file(packages, builds)}
        return _request(registry, files, layer=LAYER, scripts=places)

    def parse_found(self, report: bytes) -> tuple[Package, ...]:
        """Read the lock file that npm wrote. Raises PackageLockError."""
        try:
            entries = json.loads(report)["packages"].items()
            packages = tuple(_package(place.removeprefix("node_modules/"), one) for place, one in entries)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise lock.PackageLockError(f"the response of the registry cannot be read: {error}") from None
        lock.check(packages, Language.JAVASCRIPT)
        return packages


@functools.cache
def npm_files() -> tuple[InputFile, ...]:
    """Return the npm of this host, as workspace files. Raises SandboxUnavailable."""
    found = shutil.which("npm")
    if found is None:
        raise SandboxUnavailable("npm is not installed on this host", _HINT)
    folder = Path(found).resolve().parent.parent
    if not (folder / "bin" / "npm-cli.js").is_file() or not (folder / "node_modules" / "semver").is_dir():
        raise SandboxUnavailable("the npm of this host is not a complete npm package", _HINT)
    return tuple(
        InputFile(name=Untrusted(f"npm/{path.relative_to(folder)}"), content=path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.suffix in _SUFFIXES and path.is_file() and not path.is_symlink()
    )


def npm_lock_file(packages: Sequence[Package], builds: Collection[str] = ()) -> dict[str, Any]:
    """Return npm's lock file of packages. A package nested in one that is missing is left out."""
    ran = set(lock.built(packages, Language.JAVASCRIPT, builds))
    by_place = {_place(one): one for one in packages}
    whole = {
        place: one for place, one in by_place.items() if all(each in by_place for each in _parents(place))
    }
    entries = {place: _entry(one, scripts=one in ran) for place, one in whole.items()}
    for place, one in whole.items():
        outer, _, name = place.rpartition(_INSIDE)
        if outer:
            entries[outer].setdefault("dependencies", {})[name] = _dependency(one, name)
    locked = {f"node_modules/{place}": entry for place, entry in entries.items()}
    return {"lockfileVersion": 3, "packages": {"": _manifest(packages), **locked}}


def _parents(place: str) -> list[str]:
    parts = place.split(_INSIDE)
    return [_INSIDE.join(parts[:count]) for count in range(1, len(parts))]


def _manifest(packages: Sequence[Package]) -> dict[str, Any]:
    """Return a manifest that depends on the top-level packages."""
    tops = {_place(one): one for one in packages if _INSIDE not in _place(one)}
    return {"dependencies": {name: _dependency(one, name) for name, one in sorted(tops.items())}}


def _place(package: Package) -> str:
    return package.place.text or package.name.text


def _dependency(package: Package, name: str) -> str:
    """Return the version to depend on under `name`, which may be an alias of the package."""
    other = f"npm:{package.name.text}@" if name != package.name.text else ""
    return f"{other}{package.version.text}"


def _entry(package: Package, *, scripts: bool) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "name": package.name.text,
        "version": package.version.text,
        "integrity": " ".join(package.hashes),
    }
    return entry | ({"hasInstallScript": True} if scripts else {})


def _package(place: str, entry: dict[str, Any]) -> Package:
    if entry.get("inBundle"):
        raise lock.PackageLockError(
            f"{visible(Untrusted(place))} is bundled with another package, and has no hash of its own"
        )
    named = entry.get("name") or place.rpartition(_INSIDE)[2]
    best = [one for one in entry["integrity"].split() if one.startswith("sha512-")]
    return Package(
        name=Untrusted(named),
        version=Untrusted(entry["version"]),
        hashes=tuple(best),
        place=Untrusted("" if place == named else place),
    )


def _request(registry: Registry, files: dict[str, Any], *, layer: str, scripts: list[str]) -> InstallRequest:
    request = {"registry": registry.index, "files": files, "layer": layer, "scripts": scripts}
    program = f"const REQUEST = {json.dumps(request)};\n{_PROGRAM}"
    return InstallRequest(program.encode(), npm_files())

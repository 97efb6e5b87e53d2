"""What a developer asks for beside the code, as lines that they type."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from console.narrow import TITLES
from engine.models import Capabilities, InputFile, Limits, Package
from engine.text import Untrusted

MAX_BYTES = 32 * 1024 * 1024
_PACKAGE = re.compile(r"^(?P<name>\S+?)(?:==|@)(?P<version>[^\s@=]+)(?:\s+from\s+(?P<registry>\S+))?$")
FIELDS: dict[str, tuple[str, str]] = {
    "domains": ("Domains", "api.example.org, data.example.org:443"),
    "packages": ("Packages", "numpy==2.1.0, left-pad==1.3.0"),
    "paths": ("Input files", "~/sales.csv, notes.txt"),
    **{
        name: (f"{title[0].upper()}{title[1:]}{f', {unit}' if unit else ''}", "")
        for name, (title, unit) in TITLES.items()
    },
}
"""The lines of the form: name, label, and an example."""


@dataclass(frozen=True)
class Wishes:
    """What is asked for: capabilities, and files of this machine that are to lie in `/workspace`."""

    capabilities: Capabilities = field(default_factory=Capabilities)
    paths: tuple[str, ...] = ()

    @property
    def many(self) -> int:
        """Return how many things beyond the usual limits are asked for."""
        asked = self.capabilities
        return len(asked.domains) + len(asked.packages) + len(self.paths) + (asked.limits != Limits())


def filled(wishes: Wishes) -> dict[str, str]:
    """Return the lines that say `wishes`."""
    asked = wishes.capabilities
    limits = {name: f"{value:g}" for name, value in asked.limits.model_dump().items()}
    return limits | {
        "domains": ", ".join(each.text for each in asked.domains),
        "packages": ", ".join(_said(each) for each in asked.packages),
        "paths": ", ".join(wishes.paths),
    }


def understood(lines: Mapping[str, str]) -> Wishes:
    """Return what the lines say. Raises ValueError with a sentence that names the line."""
    domains = tuple(Untrusted(each) for each in _parts(lines.get("domains", "")))
    packages = tuple(_package(each) for each in _parts(lines.get("packages", "")))
    capabilities = Capabilities(domains=domains, packages=packages, limits=_limits(lines))
    return Wishes(capabilities, tuple(_parts(lines.get("paths", ""))))


def read(paths: tuple[str, ...]) -> tuple[InputFile, ...]:
    """Read the input files as they are now. Raises ValueError with a sentence that names the file."""
    files = tuple(_read(Path(path).expanduser()) for path in paths)
    if len({file.name.text for file in files}) < len(files):
        raise ValueError("Two input files have the same name; rename one")
    return files


def _read(path: Path) -> InputFile:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ValueError(f"{path.name} is larger than {MAX_BYTES >> 20} MiB")
        return InputFile(name=Untrusted(path.name), content=path.read_bytes())
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None


def _parts(line: str) -> list[str]:
    return [part.strip() for part in line.split(",") if part.strip()]


def _package(said: str) -> Package:
    found = _PACKAGE.match(said)
    if found is None:
        raise ValueError(f"Packages: {said}: name and version are wanted, such as numpy==2.1.0")
    return Package(name=Untrusted(found["name"]), version=Untrusted(found["version"]),
                   registry=Untrusted(found["registry"] or ""))  # fmt: skip


def _said(package: Package) -> str:
    registry = f" from {package.registry.text}" if package.registry else ""
    return f"{package.name.text}=={package.version.text}{registry}"


def _limits(lines: Mapping[str, str]) -> Limits:
    said = {name: lines[name].strip() for name in TITLES if lines.get(name, "").strip()}
    try:
        return Limits.model_validate(said)
    except ValidationError as error:
        first = error.errors()[0]
        label = FIELDS[str(first["loc"][0])][0]
        raise ValueError(f"{label}: {first['msg'].removeprefix('Input ')}") from None

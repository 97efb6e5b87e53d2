"""The fields of the permissions form, and their conversion from and to typed text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from console.review.grant_reduction import TITLES
from engine.common.local_files import read_file
from engine.common.text import Untrusted
from engine.models import Draft, ExpectedOutput, InputFile, Language, Limits, Package, Permissions

MAX_BYTES = 32 * 1024 * 1024
_PACKAGE = re.compile(
    r"^(?P<name>\S+?)(?:==|@)(?P<version>[^\s@=]+)(?P<hashes>(?:@[^\s@]+)*)(?:\s+from\s+(?P<registry>\S+))?$"
)
FIELDS: dict[str, tuple[str, str]] = {
    "domains": ("Domains", "api.example.org, data.example.org:443"),
    "packages": ("Packages", "numpy==2.1.0, left-pad==1.3.0"),
    "builds": ("Install scripts", "packages that may run their install scripts"),
    "secrets": ("Secrets", "names, as stored with `pratique secret set`"),
    "paths": ("Input files", "~/sales.csv, notes.txt"),
    **{
        name: (f"{title[0].upper()}{title[1:]}{f', {unit}' if unit else ''}", "")
        for name, (title, unit) in TITLES.items()
    },
    "image": ("Image", "empty: the default of the language"),
    "expect": ("Output format", "json, number or table; empty: anything"),
    "verify": ("Output assertion", "value == 42.5 within 1e-9"),
}
"""The fields of the form: name, label and example."""


_N = TypeVar("_N", bound=BaseModel)


class _DraftFields(Draft):
    """The fields of the form that belong to the draft, validated as a draft validates them."""

    code: Untrusted = Untrusted("")
    language: Language = Language.PYTHON


@dataclass(frozen=True)
class RequestOptions:
    """What is requested beside the code: permissions, input files, an image and checks of the output."""

    permissions: Permissions = field(default_factory=Permissions)
    paths: tuple[str, ...] = ()
    image: str = ""
    expect: ExpectedOutput = ExpectedOutput.ANYTHING
    verify: str = ""

    @property
    def count(self) -> int:
        """How many permissions are requested beyond the defaults."""
        asked = self.permissions
        lists = (asked.domains, asked.packages, asked.builds, asked.secrets, self.paths)
        return sum(map(len, lists)) + (asked.limits != Limits()) + bool(self.image)


def to_fields(options: RequestOptions) -> dict[str, str]:
    """Return the options as field texts."""
    asked = options.permissions
    limits = {name: f"{value:g}" for name, value in asked.limits.model_dump().items()}
    return limits | {
        "domains": ", ".join(each.text for each in asked.domains),
        "packages": ", ".join(_format_package(each) for each in asked.packages),
        "builds": ", ".join(each.text for each in asked.builds),
        "secrets": ", ".join(each.text for each in asked.secrets),
        "paths": ", ".join(options.paths),
        "image": options.image,
        "expect": options.expect.value,
        "verify": options.verify,
    }


def from_fields(lines: Mapping[str, str]) -> RequestOptions:
    """Return what the lines say. Raises ValueError with a sentence that names the line."""
    named = {kind: _named(lines.get(kind, "")) for kind in ("domains", "builds", "secrets")}
    packages = tuple(_parse_package(each) for each in _parts(lines.get("packages", "")))
    limits = _validated(Limits, lines, tuple(TITLES))
    draft = _validated(_DraftFields, lines, ("image", "expect", "verify"))
    paths = tuple(_parts(lines.get("paths", "")))
    permissions = Permissions(packages=packages, limits=limits, **named)
    return RequestOptions(permissions, paths, draft.image, draft.expect, draft.verify)


def read(paths: tuple[str, ...]) -> tuple[InputFile, ...]:
    """Return the input files as they are now. Raises ValueError, naming the file."""
    files = tuple(_read(Path(path).expanduser()) for path in paths)
    if len({file.name.text for file in files}) < len(files):
        raise ValueError("Two input files have the same name; rename one")
    return files


def _read(path: Path) -> InputFile:
    try:
        return InputFile(name=Untrusted(path.name), content=read_file(path, MAX_BYTES, follow=False))
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None


def _parts(line: str) -> list[str]:
    return [part.strip() for part in line.split(",") if part.strip()]


def _named(line: str) -> tuple[Untrusted, ...]:
    return tuple(Untrusted(each) for each in _parts(line))


def _parse_package(text: str) -> Package:
    found = _PACKAGE.match(text)
    if found is None:
        raise ValueError(f"Packages: {text}: expected a name and a version, such as numpy==2.1.0")
    return Package(name=Untrusted(found["name"]), version=Untrusted(found["version"]),
                   registry=Untrusted(found["registry"] or ""),
                   hashes=tuple(found["hashes"].split("@")[1:]))  # fmt: skip


def _format_package(package: Package) -> str:
    hashes = "".join(f"@{each}" for each in package.hashes)
    registry = f" from {package.registry.text}" if package.registry else ""
    return f"{package.name.text}=={package.version.text}{hashes}{registry}"


def _validated(model: type[_N], lines: Mapping[str, str], names: tuple[str, ...]) -> _N:
    values = {name: lines[name].strip() for name in names if lines.get(name, "").strip()}
    try:
        return model.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        label = FIELDS[str(first["loc"][0])][0]
        raise ValueError(f"{label}: {first['msg'].removeprefix('Input ')}") from None

"""What `submit` and `run` take: a file of code, and all that a draft may ask for."""

from __future__ import annotations

import stat
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from engine.common.draft_files import read_draft
from engine.common.errors import Problem
from engine.common.text import Untrusted, visible
from engine.models import Draft, ExpectedOutput, InputFile, Language, Limits, Package, Permissions

MAX_BYTES = 32 * 1024 * 1024

CodeArgument = Annotated[str, typer.Argument(help="A file of code, or - for standard input.")]
LanguageOption = Annotated[Language | None, typer.Option(help="Where the suffix does not say it.")]
PurposeOption = Annotated[str, typer.Option(help="What the code is for, in the agent's words.")]
FileOptions = Annotated[list[Path] | None, typer.Option("--with", help="A file for /workspace.")]
DomainOptions = Annotated[list[str] | None, typer.Option("--domain", help="A host that it has to reach.")]
PackageOptions = Annotated[
    list[str] | None, typer.Option("--package", help="NAME==VERSION, with @HASH where its hash is known.")
]
BuildOptions = Annotated[
    list[str] | None, typer.Option("--build", help="A package that may run its own code as it is installed.")
]
SecretOptions = Annotated[list[str] | None, typer.Option("--secret", help="Secret to request, by name.")]
LimitOptions = Annotated[
    list[str] | None, typer.Option("--limit", help="Resource limit: memory_mb=256, seconds=60, …")
]
ImageOption = Annotated[str, typer.Option(help="The image to run in; empty: the language's own.")]
SessionOption = Annotated[str, typer.Option("--session", help="One of your sessions to run in.")]
ExpectOption = Annotated[ExpectedOutput, typer.Option(help="What the last output is to be.")]
VerifyOption = Annotated[str, typer.Option(help='An assertion about it: "value == 42.5 within 1e-9".')]


@dataclass(frozen=True)
class DraftOptions:
    """What is asked for beside the code."""

    purpose: str = ""
    inputs: Iterable[Path] = ()
    domains: Iterable[str] = ()
    packages: Iterable[str] = ()
    secrets: Iterable[str] = ()
    limits: Iterable[str] = ()
    image: str = ""
    session: str = ""
    expect: ExpectedOutput = ExpectedOutput.ANYTHING
    verify: str = ""
    builds: Iterable[str] = ()


def build_draft(file: str, language: Language | None, wishes: DraftOptions) -> Draft:
    """Return the draft that the arguments describe.

    Raises:
        Problem: a file cannot be read, is not UTF-8, or is in no known language; a wish has no meaning.
    """
    draft = _from_input(language) if file == "-" else read_draft(Path(file), MAX_BYTES, language)
    plain = draft.model_dump() | {
        "purpose": Untrusted(wishes.purpose),
        "files": tuple(_input(path) for path in wishes.inputs),
        "permissions": _permissions(wishes),
        "image": wishes.image,
        "session": wishes.session,
        "expect": wishes.expect,
        "verify": wishes.verify,
    }
    try:
        return Draft.model_validate(plain)
    except ValidationError as error:
        first = error.errors()[0]
        raise Problem(422, visible(f"--{'.'.join(map(str, first['loc']))}: {first['msg']}")) from None


def with_limit(limits: Limits, text: str) -> Limits:
    """Return limits with one of them set by `NAME=NUMBER`.

    Raises:
        Problem: there is no such limit, or it cannot be that.
    """
    name, _, value = text.partition("=")
    known = ", ".join(Limits.model_fields)
    try:
        return Limits.model_validate({**limits.model_dump(), name: float(value)})
    except ValueError:
        raise Problem(422, f"{visible(text)} is no limit", hint=f"Write NAME=NUMBER: {known}") from None


def _permissions(wishes: DraftOptions) -> Permissions:
    limits = Limits()
    for text in wishes.limits:
        limits = with_limit(limits, text)
    return Permissions(
        domains=tuple(Untrusted(one) for one in wishes.domains),
        packages=tuple(parse_package(one) for one in wishes.packages),
        builds=tuple(Untrusted(one) for one in wishes.builds),
        secrets=tuple(Untrusted(one) for one in wishes.secrets),
        limits=limits,
    )


def parse_package(text: str) -> Package:
    """Return the package that `NAME==VERSION` or `NAME==VERSION@HASH` names.

    Raises:
        Problem: it names no exact version.
    """
    name, _, rest = text.partition("==")
    version, _, hash_ = rest.partition("@")
    if not name or not version:
        raise Problem(422, f"{visible(text)} names no exact version", hint="Write NAME==VERSION.")
    hashes = (hash_,) if hash_ else ()
    return Package(name=Untrusted(name), version=Untrusted(version), hashes=hashes)


def _from_input(language: Language | None) -> Draft:
    if language is None:
        raise Problem(415, "standard input has no suffix", hint="Add --language python")
    content = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise Problem(413, f"standard input is over {MAX_BYTES} bytes")
    try:
        code = content.decode()
    except UnicodeDecodeError as error:
        raise Problem(422, f"standard input is not UTF-8 text, from byte {error.start} on") from None
    return Draft(code=Untrusted(code), language=language)


def _input(path: Path) -> InputFile:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise Problem(422, f"{visible(str(path))} is not a regular file")
        return InputFile(name=Untrusted(path.name), content=path.read_bytes())
    except OSError as error:
        raise Problem(422, f"{visible(str(path))} cannot be read: {error.strerror}") from None

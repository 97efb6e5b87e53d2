"""The options of `submit` and `run`, and the draft that they describe."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from engine.common.draft_files import read_draft
from engine.common.errors import Problem
from engine.common.local_files import read_file
from engine.common.text import Untrusted, visible
from engine.models import Draft, ExpectedOutput, InputFile, Language, Limits, Package, Permissions

MAX_BYTES = 32 * 1024 * 1024

CodeArgument = Annotated[str, typer.Argument(help="Code file; - reads standard input.")]
LanguageOption = Annotated[Language | None, typer.Option(help="Language; default: by the file suffix.")]
PurposeOption = Annotated[str, typer.Option(help="What the code is for, shown to the reviewer.")]
FileOptions = Annotated[
    list[Path] | None, typer.Option("--with", help="Input file to copy to /workspace; repeatable.")
]
DomainOptions = Annotated[
    list[str] | None, typer.Option("--domain", help="Request access to this host; repeatable.")
]
PackageOptions = Annotated[
    list[str] | None,
    typer.Option("--package", help="Request this package, NAME==VERSION or NAME==VERSION@HASH; repeatable."),
]
BuildOptions = Annotated[
    list[str] | None,
    typer.Option("--build", help="Request permission for this package to run code when it is installed."),
]
SecretOptions = Annotated[
    list[str] | None, typer.Option("--secret", help="Request this secret, by name; repeatable.")
]
LimitOptions = Annotated[
    list[str] | None, typer.Option("--limit", help="Set a resource limit: memory_mb=256, seconds=60, …")
]
ImageOption = Annotated[str, typer.Option(help="Sandbox image; default: the image of the language.")]
SessionOption = Annotated[str, typer.Option("--session", help="Run in this session of yours.")]
ExpectOption = Annotated[ExpectedOutput, typer.Option(help="Required form of the output value.")]
AssertOption = Annotated[
    str, typer.Option("--assert", help='Assertion about the output: "value == 42.5 within 1e-9".')
]
RevisesOption = Annotated[str, typer.Option(help="Your earlier submission that this one revises.")]
ReplyOptions = Annotated[
    list[str] | None, typer.Option("--reply", help="Reply to a comment on it: 1:TEXT; 0 is the general one.")
]


@dataclass(frozen=True)
class DraftOptions:
    """Everything that is submitted with the code."""

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
    revises: str = ""
    replies: Iterable[str] = ()


def build_draft(file: str, language: Language | None, options: DraftOptions) -> Draft:
    """Return the draft that file and options describe.

    Raises:
        Problem: a file cannot be read or is not UTF-8, the language is unknown, or an option is invalid.
    """
    draft = _from_input(language) if file == "-" else read_draft(Path(file), MAX_BYTES, language)
    plain = draft.model_dump() | {
        "purpose": Untrusted(options.purpose),
        "files": tuple(_input(path) for path in options.inputs),
        "permissions": _permissions(options),
        "image": options.image,
        "session": options.session,
        "expect": options.expect,
        "verify": options.verify,
        "revises": options.revises,
        "replies": tuple(_reply(text) for text in options.replies),
    }
    try:
        return Draft.model_validate(plain)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])).replace("verify", "assert")
        raise Problem(422, visible(f"--{field}: {first['msg']}")) from None


def with_limit(limits: Limits, text: str) -> Limits:
    """Return the limits with one replaced, given as `NAME=NUMBER`.

    Raises:
        Problem: the name or the number is invalid.
    """
    name, _, value = text.partition("=")
    known = ", ".join(Limits.model_fields)
    try:
        return Limits.model_validate({**limits.model_dump(), name: float(value)})
    except ValueError:
        raise Problem(
            422, f"{visible(text)} is not a limit", hint=f"Write NAME=NUMBER; names: {known}"
        ) from None


def _permissions(options: DraftOptions) -> Permissions:
    limits = Limits()
    for text in options.limits:
        limits = with_limit(limits, text)
    return Permissions(
        domains=tuple(Untrusted(one) for one in options.domains),
        packages=tuple(parse_package(one) for one in options.packages),
        builds=tuple(Untrusted(one) for one in options.builds),
        secrets=tuple(Untrusted(one) for one in options.secrets),
        limits=limits,
    )


def parse_package(text: str) -> Package:
    """Parse `NAME==VERSION` or `NAME==VERSION@HASH`.

    Raises:
        Problem: the exact version is missing.
    """
    name, _, rest = text.partition("==")
    version, _, hash_ = rest.partition("@")
    if not name or not version:
        raise Problem(422, f"{visible(text)} has no exact version", hint="Write NAME==VERSION")
    hashes = (hash_,) if hash_ else ()
    return Package(name=Untrusted(name), version=Untrusted(version), hashes=hashes)


def _reply(text: str) -> dict[str, object]:
    number, colon, said = text.partition(":")
    if not colon or not number.isascii() or not number.isdigit() or len(number) > 3:
        raise Problem(
            422, f"{visible(text)[:200]} is no reply", hint="Write NUMBER:TEXT; 0 is the general comment"
        )
    return {"comment": int(number), "text": Untrusted(said.strip())}


def _from_input(language: Language | None) -> Draft:
    if language is None:
        raise Problem(415, "the language of standard input is unknown", hint="Add --language python")
    content = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise Problem(413, f"standard input is larger than {MAX_BYTES} bytes")
    try:
        code = content.decode()
    except UnicodeDecodeError as error:
        raise Problem(422, f"standard input is not UTF-8 text, from byte {error.start} on") from None
    return Draft(code=Untrusted(code), language=language)


def _input(path: Path) -> InputFile:
    try:
        return InputFile(name=Untrusted(path.name), content=read_file(path, MAX_BYTES))
    except OSError as error:
        raise Problem(422, f"{visible(str(path))} cannot be read: {error.strerror}") from None

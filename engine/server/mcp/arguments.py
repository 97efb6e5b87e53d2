"""The arguments of the tools as models, and the drafts that they describe."""

from __future__ import annotations

from base64 import b64decode
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue

from engine.common.text import Untrusted
from engine.models import (
    CommentReply,
    Draft,
    ExpectedOutput,
    InputFile,
    Language,
    Limits,
    Operation,
    OperationKind,
    Package,
    Permissions,
    Session,
)
from engine.models.comments import MOST_COMMENTS, MOST_TEXT

MOST_FILES = 64
MOST_BYTES = 16 * 1024 * 1024
ID = r"^s-[0-9a-z]{1,32}$"
NEW = "new"
SESSION = r"^ses-[0-9a-f]{4,32}$"
KEY = r"^[!-~]{0,255}$"


class Arguments(BaseModel):
    """The arguments of a tool; unknown names are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _decoded(value: object) -> object:
    try:
        return b64decode(value, validate=True) if isinstance(value, str) else value
    except ValueError:
        raise ValueError("this is not base64") from None


Base64 = Annotated[bytes | None, BeforeValidator(_decoded)]
_AS_BASE64: dict[str, JsonValue] = {"contentEncoding": "base64"}


class FileArgument(Arguments):
    """A file for `/workspace`: `text`, or `base64` if it is binary."""

    name: str = Field(min_length=1, max_length=255)
    text: str = Field("", max_length=MOST_BYTES)
    base64: Base64 = Field(None, json_schema_extra=_AS_BASE64)

    def input(self) -> InputFile:
        """Return it as an input file."""
        content = self.text.encode() if self.base64 is None else self.base64
        return InputFile(name=Untrusted(self.name), content=content)


class PackageArgument(Arguments):
    """A package, by name and exact version."""

    name: str = Field(min_length=1, max_length=214)
    version: str = Field(min_length=1, max_length=64, description="Exact: 2.1.0")
    registry: str = Field("", max_length=200, description="Empty: the default of the language.")
    hashes: tuple[str, ...] = Field((), max_length=64, description="sha256:HEX; required for builds.")
    builds: bool = Field(False, description="Build it from source (pip), run its install scripts (npm).")

    def package(self) -> Package:
        """Return it as a model."""
        name, version = Untrusted(self.name), Untrusted(self.version)
        return Package(name=name, version=version, registry=Untrusted(self.registry), hashes=self.hashes)


Packages = Annotated[tuple[PackageArgument, ...], Field(max_length=64)]


def builds_of(packages: tuple[PackageArgument, ...]) -> tuple[Untrusted, ...]:
    """Return the names of packages that may run code of their own while they are installed."""
    return tuple(Untrusted(one.name) for one in packages if one.builds)


Names = Annotated[tuple[str, ...], Field(max_length=64)]
Path = Annotated[str, Field(min_length=1, max_length=1024, description="Below /workspace.")]
Own = Annotated[str, Field(pattern=SESSION, description="The id of a session from an earlier result.")]
OwnOrNew = Annotated[
    str,
    Field(
        pattern=f"{SESSION}|^{NEW}$",
        description="The id of a session from an earlier result, or new to create one.",
    ),
]


class SubmissionArguments(Arguments):
    """The arguments of every call that creates a submission."""

    purpose: str = Field("", max_length=2000, description="What the code is for. The reviewer reads this.")
    idempotency_key: str = Field(
        "", pattern=KEY, description="The same key within 24 hours returns the same submission."
    )


class ReplyArgument(Arguments):
    """What you reply to a reviewer's comment."""

    comment: int = Field(ge=0, le=MOST_COMMENTS, description="Its number; 0 is the general comment.")
    text: str = Field(min_length=1, max_length=MOST_TEXT)

    def reply(self) -> CommentReply:
        """Return it as a model."""
        return CommentReply(comment=self.comment, text=Untrusted(self.text))


class ExecuteArguments(SubmissionArguments):
    """The arguments of `code_execute`."""

    code: str = Field(min_length=1, max_length=512 * 1024, description="The whole program.")
    language: Language = Language.PYTHON
    files: tuple[FileArgument, ...] = Field((), max_length=MOST_FILES, description="Files for /workspace.")
    session: str = Field(
        "",
        pattern=f"{SESSION}|^{NEW}$|^$",
        description="Empty: a fresh sandbox for this call. new: create a session. Or the id of a session.",
    )
    image: str = Field(
        "", pattern=r"^[a-z][a-z0-9-]{0,31}$|^$", description="Empty: the default of the language."
    )
    packages: Packages = ()
    domains: Names = Field((), description="Hosts that the code needs to reach.")
    secrets: Names = Field((), description="Names of secrets that it uses; it never sees their values.")
    expect: ExpectedOutput = Field(ExpectedOutput.ANYTHING, description="The expected form of the output.")
    verify: str = Field("", max_length=200, description="An assertion: value == 42.5 within 1e-9")
    revises: str = Field(
        "",
        pattern=f"{ID}|^$",
        description="The id of your earlier submission that this one revises, where changes were requested.",
    )
    replies: tuple[ReplyArgument, ...] = Field(
        (), max_length=MOST_COMMENTS + 1, description="What you say to the reviewer's comments."
    )
    memory_mb: int = Field(Limits().memory_mb, ge=64)
    cpus: float = Field(Limits().cpus, gt=0)
    seconds: float = Field(Limits().seconds, gt=0, description="Wall-clock time of the run.")
    disk_mb: int = Field(Limits().disk_mb, ge=1)
    output_kb: int = Field(Limits().output_kb, ge=1)
    processes: int = Field(Limits().processes, ge=1)

    def draft(self, session: Session | None = None) -> Draft:
        """Return the draft that these arguments ask for."""
        limits = Limits.model_validate({name: getattr(self, name) for name in Limits.model_fields})
        permissions = Permissions(
            limits=limits,
            packages=tuple(one.package() for one in self.packages),
            builds=builds_of(self.packages),
            domains=tuple(Untrusted(one) for one in self.domains),
            secrets=tuple(Untrusted(one) for one in self.secrets),
        )
        return Draft(
            code=Untrusted(self.code),
            language=self.language,
            files=tuple(file.input() for file in self.files),
            permissions=permissions,
            purpose=Untrusted(self.purpose),
            image=self.image,
            session=session.id if session else "",
            expect=self.expect,
            verify=self.verify,
            revises=self.revises,
            replies=tuple(one.reply() for one in self.replies),
        )


class SessionCallArguments(SubmissionArguments):
    """The arguments of a call in a session."""

    session: OwnOrNew
    language: Language = Field(Language.PYTHON, description="The language of a new session.")

    def operation(self) -> Operation:
        """Return the operation of this call."""
        raise NotImplementedError

    def draft(self, session: Session | None = None) -> Draft:
        """Return the draft that this call asks for in a session."""
        if session is None:
            raise ValueError("a session is needed")
        operation = self.operation()
        return Draft(
            code=Untrusted(""),
            language=session.language,
            permissions=operation.permissions,
            purpose=Untrusted(self.purpose),
            image=session.image,
            session=session.id,
            operation=operation,
        )


class InstallArguments(SessionCallArguments):
    """The arguments of `code_install_package`."""

    packages: Annotated[tuple[PackageArgument, ...], Field(min_length=1, max_length=64)]

    def operation(self) -> Operation:
        """Return the operation of this call."""
        packages = tuple(one.package() for one in self.packages)
        wanted = Permissions(packages=packages, builds=builds_of(self.packages))
        return Operation(kind=OperationKind.INSTALL, permissions=wanted)


class WriteFileArguments(SessionCallArguments):
    """The arguments of `code_write_file`: `text`, or `base64` where it is no text."""

    path: Path
    text: str = Field("", max_length=MOST_BYTES)
    base64: Base64 = Field(None, json_schema_extra=_AS_BASE64)
    executable: bool = False

    def operation(self) -> Operation:
        """Return the operation of this call."""
        return Operation(kind=OperationKind.WRITE, path=Untrusted(self.path), executable=self.executable)

    def draft(self, session: Session | None = None) -> Draft:
        """Return the draft that this call asks for, with the content as its one file."""
        content = self.text.encode() if self.base64 is None else self.base64
        written = InputFile(name=Untrusted(self.path), content=content)
        return super().draft(session).with_files((written,))


class ReadFileArguments(SessionCallArguments):
    """The arguments of `code_read_file`."""

    session: Own
    path: Path

    def operation(self) -> Operation:
        """Return the operation of this call."""
        return Operation(kind=OperationKind.READ, path=Untrusted(self.path))


class ListFilesArguments(SessionCallArguments):
    """The arguments of `code_list_files`."""

    session: Own
    path: str = Field("", max_length=1024, description="Below /workspace; empty: all of it.")

    def operation(self) -> Operation:
        """Return the operation of this call."""
        return Operation(kind=OperationKind.LIST, path=Untrusted(self.path))


class CloseSessionArguments(Arguments):
    """The arguments of `code_close_session`."""

    session: Own


class ResultArguments(Arguments):
    """The arguments of `code_result`."""

    id: str = Field(pattern=ID, description="The id of an earlier result.")


class ArtifactArguments(Arguments):
    """The arguments of `code_read_artifact`."""

    id: str = Field(pattern=ID, description="The id of an earlier result.")
    name: str = Field(min_length=1, max_length=1024, description="Its name or sha256, as in artifacts.")
    offset: int = Field(0, ge=0, description="next_offset of the part before.")


class CancelArguments(Arguments):
    """The arguments of `code_cancel`."""

    id: str = Field(pattern=ID, description="The id of an earlier result.")


SUBMITTING_TOOLS: dict[str, type[ExecuteArguments | SessionCallArguments]] = {
    "code_execute": ExecuteArguments,
    "code_install_package": InstallArguments,
    "code_write_file": WriteFileArguments,
    "code_read_file": ReadFileArguments,
    "code_list_files": ListFilesArguments,
}
"""The tools whose calls are submissions."""

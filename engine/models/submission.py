"""Submissions: drafts, permissions, limits and operations."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from engine.common.backports import StrEnum
from engine.common.text import Untrusted
from engine.models.base import Digest, FrozenModel, Language, Principal
from engine.models.comments import MOST_COMMENTS, CommentReply


class Limits(FrozenModel):
    """The bounds of one run, each enforced from outside the guest."""

    memory_mb: int = Field(512, ge=64)
    cpus: float = Field(0.5, gt=0)
    seconds: float = Field(30, gt=0)
    disk_mb: int = Field(1024, ge=1)
    output_kb: int = Field(1024, ge=1)
    processes: int = Field(64, ge=1)

    def within_seconds(self, most: float) -> Limits:
        """Return the limits with so many seconds at most."""
        return self._with(seconds=min(self.seconds, most))


def _unused(value: object) -> bool:
    """Return whether an optional field is unset: it is then left out of the digest."""
    return not value


class Package(FrozenModel):
    """A package requested by name and exact version."""

    name: Untrusted
    version: Untrusted
    registry: Untrusted = Untrusted("")
    hashes: tuple[str, ...] = Field((), exclude_if=_unused)
    """What files of this version hash to, `sha256:` and 64 digits or npm's `sha512-` and base64.

    Without any it is not installed.
    """
    place: Untrusted = Field(Untrusted(""), exclude_if=_unused)
    """Where npm lays it below `node_modules`, where that is not its name: `a/node_modules/b`."""


class Permissions(FrozenModel):
    """Permissions, denied by default: requested in a submission, granted at most as requested."""

    domains: tuple[Untrusted, ...] = ()
    packages: tuple[Package, ...] = ()
    files: tuple[Untrusted, ...] = ()
    secrets: tuple[Untrusted, ...] = ()
    limits: Limits = Limits()
    session: bool = False
    builds: tuple[Untrusted, ...] = Field((), exclude_if=_unused)
    """Names of packages that may run code of their own while they are installed."""

    def with_inputs(self, files: tuple[Untrusted, ...], *, session: bool) -> Permissions:
        """Return the permissions with these input files, and with a session where one is used."""
        return self._with(files=files, session=session or self.session)

    def with_limits(self, limits: Limits) -> Permissions:
        """Return the permissions with other limits."""
        return self._with(limits=limits)

    def without_session(self) -> Permissions:
        """Return the permissions without a session."""
        return self._with(session=False)

    def with_names(self, kind: str, names: tuple[Untrusted | Package, ...]) -> Permissions:
        """Return the permissions with other names of one kind, such as `domains`."""
        return self._with(**{kind: names})

    def with_packages(self, packages: tuple[Package, ...]) -> Permissions:
        """Return the permissions with other packages."""
        return self._with(packages=packages)


class Grant(FrozenModel):
    """What the run may have."""

    permissions: Permissions


class InputFile(FrozenModel):
    """A file that is put into `/workspace` before the code starts."""

    name: Untrusted
    content: bytes


class Consequence(FrozenModel):
    """The effect of withholding one permission: the lines that will fail, or may."""

    permission: Untrusted
    lines: tuple[int, ...] = ()
    certain: bool = True
    """False where the analysis does not know exactly what a line needs."""


class OperationKind(StrEnum):
    """What is done in a session. `run` runs code; the others are single tool calls."""

    RUN = "run"
    INSTALL = "install"
    WRITE = "write"
    READ = "read"
    LIST = "list"
    REMOVE = "remove"
    METADATA = "metadata"
    DESTROY = "destroy"


class Operation(FrozenModel):
    """One tool call on a session: what it does, to which file, and what it requests.

    What a write writes is the one input file of its draft, so that the digest covers it and it is shown.
    """

    kind: OperationKind
    path: Untrusted = Untrusted("")
    executable: bool = False
    """Whether a file that is written may be executed."""
    permissions: Permissions = Permissions()


class ExpectedOutput(StrEnum):
    """What a requester expects the output to hold."""

    ANYTHING = ""
    JSON = "json"
    NUMBER = "number"
    TABLE = "table"


class Draft(FrozenModel):
    """What an agent submits: the part of a submission that its digest covers, except the requester."""

    code: Untrusted
    language: Language
    files: tuple[InputFile, ...] = ()
    permissions: Permissions = Permissions()
    purpose: Untrusted = Untrusted("")
    image: str = Field(
        "", pattern=r"^[a-z][a-z0-9-]{0,31}$|^$", description="empty: the language's own image"
    )
    session: str = Field(
        "",
        pattern=r"^[a-z0-9-]{0,32}$",
        description="the session to run in; empty: a sandbox of its own",
        exclude_if=_unused,
    )
    operation: Operation | None = Field(
        None, description="a tool call on `session`, in place of code", exclude_if=_unused
    )
    expect: ExpectedOutput = Field(
        ExpectedOutput.ANYTHING, description="what the output is to hold", exclude_if=_unused
    )
    verify: str = Field(
        "",
        max_length=200,
        description="an assertion about the value that is expected: value == 42.5 within 1e-9",
        exclude_if=_unused,
    )

    revises: str = Field(
        "",
        pattern=r"^s-[0-9a-z]{1,32}$|^$",
        description="an earlier submission of yours, not approved, that this one takes the place of",
        exclude_if=_unused,
    )
    replies: tuple[CommentReply, ...] = Field(
        (),
        max_length=MOST_COMMENTS + 1,
        description="what you say to the comments on the submission that this one revises",
        exclude_if=_unused,
    )

    def without_thread(self) -> Draft:
        """Return the draft as if it revised nothing."""
        return self._with(revises="", replies=())

    def with_permissions(self, permissions: Permissions) -> Draft:
        """Return the draft requesting other permissions."""
        return self._with(permissions=permissions)

    def with_files(self, files: tuple[InputFile, ...]) -> Draft:
        """Return the draft with other input files."""
        return self._with(files=files)

    def with_contents(self, code: Untrusted, files: tuple[InputFile, ...]) -> Draft:
        """Return the draft with its code and files, which are stored apart."""
        return self._with(code=code, files=files)

    def with_image(self, image: str) -> Draft:
        """Return the draft for another image."""
        return self._with(image=image)

    def in_session(self, session: str, image: str) -> Draft:
        """Return the draft for a session, which has its image."""
        return self._with(session=session, image=image)


class Submission(FrozenModel):
    """A draft, its requester, and the digest over both."""

    id: str
    draft: Draft
    requester: Principal
    submitted_at: datetime
    digest: Digest
    original_digest: Digest | None = Field(
        None,
        description="the digest of the draft as it came in, where its packages were locked since",
        exclude_if=_unused,
    )
    revives: str = Field(
        "", description="the expired submission that it makes wait again", exclude_if=_unused
    )

    def with_draft(self, draft: Draft) -> Submission:
        """Return the submission with its draft, whose code and files are stored apart."""
        return self._with(draft=draft)

    @property
    def request_digest(self) -> str:
        """The digest by which the same request, made again, is known."""
        return self.original_digest or self.digest


class SecretReference(FrozenModel):
    """A secret without its value: its name, and the only host that it is sent to."""

    name: str
    host: str

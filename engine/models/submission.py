"""What is asked for, and what is given."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from engine.models.base import Digest, Language, Noun, Principal
from engine.text import Untrusted


class Limits(Noun):
    """The bounds of one run, each enforced from outside the guest."""

    memory_mb: int = Field(512, ge=64)
    cpus: float = Field(0.5, gt=0)
    seconds: float = Field(30, gt=0)
    disk_mb: int = Field(1024, ge=1)
    output_kb: int = Field(1024, ge=1)
    processes: int = Field(64, ge=1)


class Package(Noun):
    """A package asked for by name and exact version."""

    name: Untrusted
    version: Untrusted
    registry: Untrusted = Untrusted("")


class Capabilities(Noun):
    """What is default-deny: asked for in a submission, and given, never more, in a grant."""

    domains: tuple[Untrusted, ...] = ()
    packages: tuple[Package, ...] = ()
    files: tuple[Untrusted, ...] = ()
    secrets: tuple[Untrusted, ...] = ()
    limits: Limits = Limits()
    session: bool = False


class Grant(Noun):
    """What the run may have."""

    capabilities: Capabilities


class InputFile(Noun):
    """A file that is put into `/workspace` before the code starts."""

    name: Untrusted
    content: bytes


class Consequence(Noun):
    """What comes of taking one capability away: the lines that will fail, or may."""

    capability: Untrusted
    lines: tuple[int, ...] = ()
    certain: bool = True
    """False where the analysis could not tell exactly what a line wants."""


class Draft(Noun):
    """What an agent hands in: the part of a submission that its digest covers, without who asked."""

    code: Untrusted
    language: Language
    files: tuple[InputFile, ...] = ()
    capabilities: Capabilities = Capabilities()
    purpose: Untrusted = Untrusted("")
    image: str = Field(
        "", pattern=r"^[a-z][a-z0-9-]{0,31}$|^$", description="empty: the language's own image"
    )


class Submission(Noun):
    """A draft, who asked, and the digest over both."""

    id: str
    draft: Draft
    requester: Principal
    submitted_at: datetime
    digest: Digest


class Act(StrEnum):
    """What is done in a sandbox. `run` is what a submission asks for; the others are single tool calls."""

    RUN = "run"
    INSTALL = "install"
    WRITE = "write"
    READ = "read"
    LIST = "list"
    METADATA = "metadata"
    DESTROY = "destroy"


class Operation(Noun):
    """One tool call on a sandbox: what it does, to which file, and what it asks for."""

    act: Act
    path: Untrusted = Untrusted("")
    executable: bool = False
    """Whether a file that is written may be executed."""
    capabilities: Capabilities = Capabilities()

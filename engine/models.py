"""The nouns of the house. Frozen, strict, and without behaviour beyond what their own fields say."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer

from engine.text import Untrusted

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 in lower-case hexadecimal."""


class Noun(BaseModel):
    """What every noun is: immutable, and refusing fields that it does not know."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", ser_json_bytes="base64", val_json_bytes="base64", allow_inf_nan=False
    )


class Level(StrEnum):
    """How bad: the scale of both a violation's severity and a submission's risk."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """0 for LOW up to 3 for CRITICAL."""
        return _RANKS[self]


_RANKS = {level: rank for rank, level in enumerate(Level)}


class Language(StrEnum):
    """What a submission is written in."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"
    SHELL = "shell"


class Role(StrEnum):
    """What a principal may do."""

    REQUESTER = "requester"
    REVIEWER = "reviewer"
    AUDITOR = "auditor"
    ADMIN = "admin"


Roles = Annotated[frozenset[Role], PlainSerializer(sorted, return_type=list[Role], when_used="json")]
"""Roles travel in order, so that what is hashed or signed is the same in every process."""


class Principal(Noun):
    """Who acts. The name of an agent is the agent's own word."""

    name: Untrusted
    roles: Roles = frozenset({Role.REQUESTER})


# --- what is asked for, and what is given ---------------------------------------------------------


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


# --- what the analysis says -----------------------------------------------------------------------


class Span(Noun):
    """A stretch of code. Lines and columns count from 1, columns in characters; the end is exclusive."""

    line: int = Field(ge=1)
    column: int = Field(ge=1)
    end_line: int = Field(ge=1)
    end_column: int = Field(ge=1)


class Confidence(StrEnum):
    """How sure a rule is that the construct is what it says."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Evidence(Noun):
    """One step of the chain from where a value came from to where it is used."""

    span: Span
    text: Untrusted


class Violation(Noun):
    """One finding of the static analysis."""

    rule: str
    severity: Level
    confidence: Confidence
    category: str
    span: Span
    message: Untrusted
    attack: str = ""
    """What an attacker does with it."""
    why: str = ""
    """Why the severity is not higher or lower."""
    fix: str = ""
    cwe: int | None = None
    owasp: str | None = None
    evidence: tuple[Evidence, ...] = ()
    related: tuple[Span, ...] = ()
    """Other places of the same construct, grouped into this violation."""
    layers: tuple[str, ...] = ()
    """What was peeled to find it, outermost first: `base64`, `zlib`, `exec`, `shell`."""


class Certainty(StrEnum):
    """How well a predicted value is known."""

    EXACT = "exact"
    PATTERN = "pattern"
    UNKNOWN = "unknown"


class Need(StrEnum):
    """The kinds of things that code is predicted to want."""

    HOST = "host"
    URL = "url"
    PORT = "port"
    READ = "read"
    WRITE = "write"
    COMMAND = "command"
    ENVIRONMENT = "environment"
    MODULE = "module"
    PACKAGE = "package"
    SIZE = "size"


class Prediction(Noun):
    """One thing that the code will want, and the lines that say so."""

    need: Need
    value: Untrusted
    certainty: Certainty
    lines: tuple[int, ...]
    note: str = ""


class Analysis(Noun):
    """All violations of a submission and what it is predicted to want."""

    violations: tuple[Violation, ...] = ()
    predictions: tuple[Prediction, ...] = ()
    complete: bool = True
    """False where something could not be read or judged: policy then holds it HIGH at least."""
    seconds: float = 0.0


# --- what is decided ------------------------------------------------------------------------------


class RuleMatch(Noun):
    """A policy rule that matched, and the construct or the request that made it match."""

    rule: str
    level: Level
    reason: Untrusted
    refuses: bool = False
    """True where the rule leaves nobody anything to decide."""


class Assessment(Noun):
    """The risk of a submission, the rules that made it so, and how long a person has to decide."""

    risk: Level
    matches: tuple[RuleMatch, ...]
    deadline_seconds: float | None
    """None: approved at once, and recorded."""


class Verdict(StrEnum):
    """How a decision ends. `expired` is nobody's no; `refused` is the policy's."""

    APPROVED = "approved"
    DENIED = "denied"
    EXPIRED = "expired"
    REFUSED = "refused"


WITHDRAWN = "withdrawn by its requester"
"""The reason of a denial that is the requester's own."""


class Disposition(StrEnum):
    """What a reviewer makes of a violation."""

    ACCEPTED = "accepted"
    MITIGATED = "mitigated"
    FALSE_POSITIVE = "false-positive"


class Disposed(Noun):
    """A violation, by its place in the analysis (counted from 0), and what the reviewer made of it."""

    violation: int = Field(ge=0)
    disposition: Disposition


class EyesOn(Noun):
    """What a reviewer had on screen before deciding, and for how long."""

    seconds: float = Field(ge=0)
    lines: tuple[tuple[int, int], ...] = ()
    """Stretches of lines that were on screen: first and last, counted from 1."""
    violations: tuple[int, ...] = ()
    """Violations that were on screen, by their place in the analysis, counted from 0."""
    dispositions: tuple[Disposed, ...] = ()


class Signature(Noun):
    """An Ed25519 signature over a decision's canonical bytes, and the public key that verifies it."""

    key: str = Field(pattern=r"^[0-9a-f]{64}$")
    value: str = Field(pattern=r"^[0-9a-f]{128}$")


class Claim(Noun):
    """A reviewer works on a submission; the claim lapses."""

    by: Untrusted
    until: datetime


class Decision(Noun):
    """Who let a submission run, or did not, and what exactly was allowed."""

    submission: str
    digest: Digest
    verdict: Verdict
    by: Principal
    at: datetime
    reason: Untrusted = Untrusted("")
    grant: Grant | None = None
    image: str = ""
    """The digest of the image that the grant is for."""
    policy: str = ""
    """The hash of the policy in force."""
    analysis: str = ""
    """The hash of the analysis that was decided upon."""
    seen: EyesOn | None = None
    standing: str = ""
    """The id of the standing approval that it rests on."""
    signature: Signature | None = None


class Sameness(StrEnum):
    """What has to be the same for a standing approval to hold."""

    DIGEST = "digest"
    SHAPE = "shape"


class Standing(Noun):
    """An approval given beforehand, for submissions that are the same, of one requester."""

    id: str
    sameness: Sameness
    value: Digest
    """The digest, or the hash of the shape."""
    requester: Untrusted
    ceiling: Level
    """Nothing of a higher risk rests on it."""
    uses: int = Field(ge=1)
    """How many submissions may rest on it in all."""
    until: datetime
    grant: Grant
    basis: str
    """The submission that it was given for."""
    by: Principal
    at: datetime
    used: int = 0
    revoked: bool = False


# --- what happened --------------------------------------------------------------------------------


class KillReason(StrEnum):
    """Why a run ended early, decided from evidence."""

    NONE = "none"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    PROCESSES = "processes"
    DISK = "disk"
    OUTPUT = "output"
    POLICY = "policy"
    OPERATOR = "operator"
    ENGINE_LOST = "engine-lost"
    INTERRUPTED = "interrupted"
    SANDBOX_FAILED = "sandbox-failed"


class Stream(StrEnum):
    """Which of the guest's outputs."""

    STDOUT = "stdout"
    STDERR = "stderr"


class OutputChunk(Noun):
    """Bytes that a guest wrote, `at` seconds after its code went in, from `offset` bytes of all output on."""

    stream: Stream
    at: float
    offset: int
    data: bytes


class Meters(Noun):
    """What a run uses, `at` seconds after its code went in."""

    at: float
    cpu: float
    """Cores in use since the last sample: 0.5 is half a core."""
    memory: int
    """Bytes."""
    memory_peak: int
    processes: int
    disk: int | None = None
    """Bytes in `/workspace` and `/tmp`, where known."""
    output: int = 0
    """Bytes written so far."""


class Artifact(Noun):
    """A file that a run left in `/workspace`."""

    name: Untrusted
    size: int
    digest: Digest


class Proof(Noun):
    """What a real sandbox said of the kernel it runs on."""

    isolated: bool
    """True only where the guest saw gVisor's kernel."""
    runtime: str
    kernel: Untrusted
    detail: Untrusted
    version: str = ""
    """The runtime's own version."""


class Result(Noun):
    """The envelope of one run."""

    exit_code: int | None
    kill_reason: KillReason
    evidence: tuple[str, ...] = ()
    """What the engine did and saw that decided the kill reason."""
    duration: float
    first_byte: float | None = None
    """Seconds from the code going in to the first output."""
    memory_peak: int
    cpu_seconds: float = 0.0
    stdout_bytes: int
    stderr_bytes: int
    truncated: bool
    image_digest: str
    runtime: str
    artifacts: tuple[Artifact, ...] = ()


class Status(StrEnum):
    """Where a submission stands. Waiting is before the decision; queued and running are after an approval."""

    WAITING = "waiting"
    DENIED = "denied"
    EXPIRED = "expired"
    REFUSED = "refused"
    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    KILLED = "killed"


class Case(Noun):
    """Everything known about one submission: what doors answer and what screens show.

    The run of a submission has the submission's id: one approval, one run.
    """

    submission: Submission
    status: Status
    analysis: Analysis
    assessment: Assessment
    deadline: datetime | None = None
    decision: Decision | None = None
    reviews: tuple[Decision, ...] = ()
    """Approvals given while another reviewer's is still wanted."""
    claim: Claim | None = None
    started_at: datetime | None = None
    result: Result | None = None


class Summary(Noun):
    """One line about a submission, for queues and histories."""

    id: str
    digest: Digest
    status: Status
    risk: Level
    language: Language
    requester: Untrusted
    first_line: Untrusted
    lines: int
    violations: int
    submitted_at: datetime
    deadline: datetime | None = None
    reviewer: Untrusted = Untrusted("")
    kill_reason: KillReason | None = None
    exit_code: int | None = None
    duration: float | None = None
    memory_peak: int | None = None


class Event(Noun):
    """One record of the audit log, chained to the record before by its hash."""

    seq: int = Field(ge=1)
    at: datetime
    type: str
    subject: str
    """The id of what it happened to; empty for the engine itself."""
    actor: Untrusted
    data: dict[str, Any]
    previous: Digest
    hash: Digest


class Verification(Noun):
    """What reading the whole audit log found: intact, or the first record that is not as it was written."""

    events: int
    intact: bool
    checkpoints: int = 0
    """How many signed checkpoints agree with the events."""
    seq: int | None = None
    problem: str = ""


class Facets(Noun):
    """How many submissions there are of each kind."""

    total: int
    exact: bool
    """False where more fit than were counted."""
    counts: dict[str, dict[str, int]]
    """By kind (`risk`, `status`, `kill`, `lang`, `day`, `requester`) and value, the most frequent first."""


class Check(Noun):
    """One row of Health: what was looked at, whether it is well, and what to type where it is not."""

    name: str
    ok: bool
    detail: Untrusted
    mend: str = ""


class Health(Noun):
    """How the house stands."""

    checks: tuple[Check, ...]
    proof: Proof | None = None

    @property
    def can_run(self) -> bool:
        """Whether code may run at all: only with a proof of isolation."""
        return self.proof is not None and self.proof.isolated

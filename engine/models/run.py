"""What happened in a sandbox."""

from __future__ import annotations

from engine.common.backports import StrEnum
from engine.common.text import Untrusted
from engine.models.base import Digest, FrozenModel


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


class OutputChunk(FrozenModel):
    """Bytes that a guest wrote, `at` seconds after its code went in, from `offset` bytes of all output on."""

    stream: Stream
    at: float
    offset: int
    data: bytes

    def with_data(self, data: bytes) -> OutputChunk:
        """Return a chunk at the same place that holds other bytes."""
        return self._with(data=data)

    def part(self, first: int, last: int) -> OutputChunk:
        """Return the bytes from `first` up to `last` of this chunk."""
        return self._with(offset=self.offset + first, data=self.data[first:last])


class Meters(FrozenModel):
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
    network: int | None = None
    """Bytes to and from granted hosts so far; None without a granted network."""

    def with_network(self, used: int) -> Meters:
        """Return the sample with the bytes to and from granted hosts."""
        return self._with(network=used)


class Artifact(FrozenModel):
    """A file that a run left in `/workspace`."""

    name: Untrusted
    size: int
    digest: Digest


class WorkspaceFile(FrozenModel):
    """A file in `/workspace` while the run goes on, as the guest reports it."""

    name: Untrusted
    size: int
    """Bytes at that moment."""
    modified: int
    """Seconds since 1970, by the guest's clock."""


class AssertionOutcome(StrEnum):
    """What became of an assertion about a run's value."""

    VERIFIED = "verified"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


class Display(FrozenModel):
    """A rich result that a notebook's execution showed, in the order in which it came.

    `text` is the guest's own text, HTML and SVG included, which are never rendered as markup. A picture has
    a `digest` by which its bytes are fetched like those of an artifact. A `table` is JSON: `columns`, `rows`.
    """

    mime: str
    """`text/plain`, `text/html`, `image/png`, `image/svg+xml`, `application/json` or `table`."""
    text: Untrusted = Untrusted("")
    digest: Digest | None = None
    size: int = 0
    final: bool = False
    """Whether it is the value of the last expression."""


class IsolationProof(FrozenModel):
    """What a real sandbox reported about the kernel that it runs on."""

    isolated: bool
    """True only where the guest saw gVisor's kernel."""
    runtime: str
    kernel: Untrusted
    detail: Untrusted
    version: str = ""
    """The runtime's own version."""

    def with_version(self, version: str) -> IsolationProof:
        """Return the proof with the runtime's version."""
        return self._with(version=version)

    def refuted(self, detail: Untrusted) -> IsolationProof:
        """Return the proof that there is no isolation, and why."""
        return self._with(isolated=False, detail=detail)


class Result(FrozenModel):
    """The result of one run."""

    exit_code: int | None
    kill_reason: KillReason
    evidence: tuple[str, ...] = ()
    """What the engine did and saw that decided the kill reason."""
    duration: float
    first_byte: float | None = None
    """Seconds from the code going in to the first output."""
    memory_peak: int
    cpu_seconds: float = 0.0
    """Of the run: what the start of its sandbox took is left out where this host shows it."""
    stdout_bytes: int
    stderr_bytes: int
    truncated: bool
    image_digest: str
    runtime: str
    artifacts: tuple[Artifact, ...] = ()
    displays: tuple[Display, ...] = ()
    """What a notebook showed beside its output."""
    value: Untrusted | None = None
    """What was expected of the output and found there, as JSON."""
    verified: AssertionOutcome | None = None
    """What became of the assertion, where there was one."""
    why: Untrusted = Untrusted("")
    """Why the value or the assertion could not be had, where it could not."""
    surprises: tuple[Untrusted, ...] = ()
    """What the code did that was not predicted or not granted, as far as the policy tells its agent."""

    def with_value(
        self, value: Untrusted | None, verified: AssertionOutcome | None, why: Untrusted
    ) -> Result:
        """Return the result with the expected value and the outcome of the assertion."""
        return self._with(value=value, verified=verified, why=why)

    def with_evidence(self, *evidence: str) -> Result:
        """Return the result with more evidence."""
        return self._with(evidence=(*self.evidence, *evidence))

    def with_surprises(self, surprises: tuple[Untrusted, ...]) -> Result:
        """Return the result with what its agent is told of the surprises."""
        return self._with(surprises=surprises)

    def with_artifacts(self, artifacts: tuple[Artifact, ...]) -> Result:
        """Return the result with the files that the run left."""
        return self._with(artifacts=artifacts)

    def with_displays(self, displays: tuple[Display, ...]) -> Result:
        """Return the result with what a notebook showed."""
        return self._with(displays=displays)

    def with_cpu_seconds(self, cpu_seconds: float) -> Result:
        """Return the result with another CPU time."""
        return self._with(cpu_seconds=cpu_seconds)

"""The one settings model: YAML file < environment < what a command line passes in.

Each group is passed to the package that it is named after, and to no other.
"""

from __future__ import annotations

from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    YamlConfigSettingsSource,
)

from engine import locations
from engine.common.local_files import read_file
from engine.common.log import LogFormat, LogLevel
from engine.models import Language, Level, Limits
from engine.notifications.settings import NotificationSettings

MOST_BYTES = 1 << 20
"""Bytes of the settings file."""


class Group(BaseModel):
    """A group of settings; a key that it does not know is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class AnalysisSettings(Group):
    """How code is read."""

    max_bytes: int = Field(512 * 1024, ge=1024)
    """Larger code is not parsed: it is a violation of its own."""
    deadline_seconds: float = Field(5.0, gt=0)
    """An analysis that takes longer is killed, which is a violation of its own."""
    memory_mb: int = Field(1024, ge=256)
    """Memory of the process that analyses."""
    profile: Literal["block", "allow"] = "block"
    """`block` reports what is dangerous; `allow` reports every module that is not on the list."""
    allowed_modules: tuple[str, ...] = (
        "math", "cmath", "statistics", "decimal", "fractions", "random", "datetime", "calendar", "time",
        "re", "string", "textwrap", "unicodedata", "collections", "heapq", "bisect", "itertools",
        "functools", "operator", "dataclasses", "enum", "typing", "abc", "json", "csv",
        "numpy", "pandas", "scipy", "sympy", "matplotlib",
    )  # fmt: skip
    """What the `allow` profile lets pass."""
    severities: dict[str, Level] = {}
    """Severity by rule id, in place of the rule's own."""


def _decided(level: Level) -> Level:
    if level is Level.LOW:
        raise ValueError("LOW has no deadline: it is approved at once")
    return level


Decided = Annotated[Level, AfterValidator(_decided)]
"""A risk that a person decides about."""


PolicyBase = Literal["standard", "strict"]


class PolicySettings(Group):
    """How risk becomes a deadline."""

    base: PolicyBase = "standard"
    """The shipped policy that the owner's `policy.yaml` is applied on top of: `standard` weighs evidence and
    leaves minutes to an hour; with `strict` all code is HIGH and has a minute."""

    deadlines: dict[Decided, Annotated[float, Field(ge=0.1, le=7 * 86400, allow_inf_nan=False)]] = {}
    """Seconds until nobody's decision becomes a deny, by risk, in place of the policy file's."""
    ceiling: Limits = Limits(
        memory_mb=4096, cpus=2.0, seconds=600, disk_mb=8192, output_kb=65536, processes=512
    )
    """What no grant may exceed."""
    profile: Literal["solo", "team"] = "solo"
    """`team`: CRITICAL takes two reviewers, neither the requester."""
    second_reviewer: bool | None = None
    """Whether CRITICAL takes two reviewers, in place of what the profile says."""
    require_full_review: bool = True
    """Whether HIGH and CRITICAL are approved only with a record that all of it was displayed, or that the
    reviewer states to have reviewed all of it, with the outcome of each grave violation."""
    drill_every: int = Field(0, ge=0)
    """How many submissions come, on average, until a drill is slipped in: known-bad code that never runs, of
    whose score only the reviewer is told. 0: none. Not where several engines share a history."""
    claim_seconds: float = Field(300.0, gt=0)
    """How long a reviewer's claim on a submission holds; the submission's clock stands meanwhile."""
    extension_seconds: float = Field(600.0, ge=1)
    """How much more time `extend` gives."""
    most_extra_seconds: float = Field(4 * 3600.0, ge=0)
    """How much time claims and extensions together may add to a deadline."""
    max_code_bytes: int = Field(4 * 1024 * 1024, ge=1)
    """Larger code is not taken in."""
    max_files: int = Field(256, ge=0)
    """More input files are not taken in."""
    submissions_per_minute: float = Field(120.0, gt=0)
    """How many submissions each principal may submit per minute on average."""
    submissions_burst: int = Field(60, ge=1)
    """How many submissions each principal may submit at once."""
    session_submissions_per_minute: float = Field(60.0, gt=0)
    """How many submissions may come for each session, in the long run."""
    session_submissions_burst: int = Field(30, ge=1)
    """How many submissions may come for each session at once."""

    @property
    def requires_second_reviewer(self) -> bool:
        """Whether CRITICAL takes two reviewers."""
        return self.profile == "team" if self.second_reviewer is None else self.second_reviewer


Address = Annotated[str, AfterValidator(lambda text: str(ip_network(text)))]
"""A network, as `10.1.0.0/16`, or one address."""


class NetworkSettings(Group):
    """What granted names lead to, and how much a run may use of it."""

    ports: tuple[int, ...] = (80, 443)
    """Ports that may be connected to."""
    addresses: tuple[Address, ...] = ()
    """Networks that granted names may lead to although they are not public: `[10.1.0.0/16]`."""
    names: dict[str, str] = {}
    """Addresses of names that are not looked up, as in a hosts file."""
    plain_secrets: tuple[str, ...] = ()
    """Hosts that receive their secrets over http, too, where everybody on the way can read them."""
    requests: int = Field(1000, ge=1)
    """How many requests or connections a run may ask for."""
    megabytes: int = Field(256, ge=1)
    """How much a run may send and receive in all."""
    seconds: float = Field(10.0, gt=0)
    """How long looking a name up, connecting, or a handshake may take."""


class PackageSettings(Group):
    """Where packages of granted names come from, and how long they are kept."""

    index: str = ""
    """The index of Python packages, `https://host/simple`; empty: the one of pip on this machine."""
    npm_registry: str = ""
    """The registry of npm packages, `https://host/`; empty: the one of npm on this machine."""
    hosts: tuple[str, ...] = ()
    """Further hosts that these send to for files."""
    look_up: bool = True
    """Whether versions and hashes that a submission does not name are looked up when it comes in."""
    seconds: float = Field(300.0, gt=0)
    """How long fetching the packages of one run may take."""
    megabytes: int = Field(512, ge=1)
    """How much fetching them may bring in; unpacked it may be twice as much."""
    keep_days: float = Field(30.0, gt=0)
    """How long fetched packages are kept for the next run that is granted the same."""
    keep_megabytes: int = Field(4096, ge=0)
    """How much of them is kept in all, the newest."""


Digest = Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]


class KubernetesSettings(Group):
    """The cluster that sandboxes run on, where the backend is `kubernetes`."""

    kubeconfig: Path | None = None
    """The kubeconfig file. None: the service account of the engine's own Pod, else `KUBECONFIG`."""
    context: str = ""
    """The context of that file. Empty: its current one."""
    namespace: str = Field("pratique", pattern=r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$")
    """The namespace of the sandboxes. Nothing else should run in it."""
    runtime_class: str = "gvisor"
    """The RuntimeClass of the sandboxes. Any but gVisor's fails the proof, and nothing runs."""
    registry: str = Field("", pattern=r"^[A-Za-z0-9._:/-]*$")
    """What the nodes pull images from, as `registry.example.com/pratique`."""
    images: dict[str, Digest] = {}
    """The digest of each image in that registry, as `docker push` prints it: `{python: "sha256:…"}`."""
    image_pull_secret: str = ""
    """The Secret with the login of the registry. Empty: none is needed."""
    node_selector: dict[str, str] = {}
    """Labels of the nodes that sandboxes may run on, beside what the RuntimeClass asks for."""
    requested_share: float = Field(0.25, gt=0, le=1)
    """How much of its limits of memory and CPU a sandbox reserves on its node."""
    starting: int = Field(4, ge=1)
    """How many sandboxes start at once; more of them start no sooner."""
    start_seconds: float = Field(90.0, gt=0)
    """How long a sandbox may take to start, its image pulled included."""


class SandboxSettings(Group):
    """Where and how approved code runs."""

    backend: Literal["docker", "kubernetes"] = "docker"
    """What creates sandboxes: the Docker Engine, or a Kubernetes cluster."""
    kubernetes: KubernetesSettings = KubernetesSettings()
    """The cluster, where the backend is `kubernetes`."""
    runtime: str = "runsc"
    """The Docker runtime. Any but gVisor's fails the proof, and nothing runs."""
    call_deadline_seconds: float = Field(20.0, gt=0)
    """How long one call to Docker or Kubernetes may take."""
    concurrent: int = Field(4, ge=1)
    """How many sandboxes run at once."""
    pool: int = Field(1, ge=0)
    """How many ready sandboxes wait for each image at least; 0: none ever."""
    pool_most: int = Field(3, ge=0)
    """How many wait at most, where more were asked for of late than were ready."""
    pool_memory_mb: int = Field(256, ge=0)
    """How much memory all ready sandboxes beyond the least may take."""
    grace_seconds: float = Field(2.0, ge=0)
    """From TERM to KILL."""
    images: dict[str, str] = {"python": "python", "javascript": "node", "shell": "shell"}
    """The image of each language."""
    data_image: str = "python-data"
    """The image of Python code that imports numpy, pandas, scipy, sympy or matplotlib."""
    line_marks: tuple[Language, ...] = (Language.PYTHON, Language.JAVASCRIPT)
    """The languages whose lines are marked as they run. Shell becomes several times slower."""
    network: NetworkSettings = NetworkSettings()
    """What a granted network may reach."""
    packages: PackageSettings = PackageSettings()
    """Where granted packages come from."""
    session_images: dict[str, str] = {"python": "notebook", "javascript": "node", "shell": "shell"}
    """The image of each language's sessions."""
    session_pool: int = Field(0, ge=0)
    """How many notebook kernels wait ready, so that the first execution in one that stays answers at once."""
    sessions: int = Field(8, ge=0)
    """How many sessions may be open at once."""
    sessions_each: int = Field(2, ge=0)
    """How many of them one principal may have."""
    session_idle_seconds: float = Field(900.0, gt=0)
    """After how long without an execution a session is closed."""
    session_life_seconds: float = Field(7200.0, gt=0)
    """After how long a session is closed in any case."""

    def with_pool(self, size: int) -> SandboxSettings:
        """Return the settings with another number of ready sandboxes for each image."""
        return SandboxSettings.model_validate(dict(self) | {"pool": size})


class EraseRule(Group):
    """A rule by which the texts of old submissions are erased; what a legal hold keeps is not."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9 ._-]{0,59}$")
    """What people are told by what something was erased."""
    query: str = Field("", max_length=900)
    """Which submissions, in the query language of the history: `risk:low`, `agent:ci-*`. Empty: all."""
    days: int = Field(ge=1)
    """After how many days."""


class HistorySettings(Group):
    """How the history is kept."""

    database: str = Field("", repr=False)
    """The URL of a PostgreSQL database that keeps it, without a password. Empty: the state folder."""
    engines: Literal["one", "several"] = "one"
    """Whether several engines serve at the same time over that database; each says so."""
    engine_name: str = Field("", pattern=r"^[a-z0-9.-]{0,40}$")
    """The name of this engine among them. Empty: one made from this machine and the state folder."""
    standby: bool = False
    """Whether `pratique serve` waits while another engine writes that database, to take over from it."""
    batch_milliseconds: int = Field(100, ge=1, le=200)
    """How long an event that no answer waits for may stay in memory."""
    write_deadline_seconds: float = Field(10.0, gt=0)
    """How long an answer waits for the disk."""
    checkpoint_events: int = Field(1000, ge=1)
    """After how many records a signed checkpoint is made."""
    checkpoint_seconds: float = Field(60.0, gt=0)
    """After how many seconds what was recorded since the last checkpoint gets one."""
    retain_days: int | None = Field(None, ge=1)
    """After how many days code, files and output are erased; the events stay. None: never."""
    retain_mb: int | None = Field(None, ge=1)
    """How many megabytes of code, files and output are kept, the newest. None: all."""
    retain_newest_seconds: float = Field(3600.0, ge=0)
    """How long before the newest code, file or output nothing is erased for its size."""
    erase: tuple[EraseRule, ...] = Field((), max_length=20)
    """Rules by which everything but the proof of a submission is erased: code, output, purposes, reasons."""
    read_deadline_seconds: float = Field(5.0, gt=0)
    """How long one search of the history may take."""
    witness_file: bool = True
    """Whether the newest signed head is kept in a second file, outside the state folder."""
    witness_url: str = Field("", pattern=r"^(https?://[^\s/?#]+\S*)?$")
    """Where each signed checkpoint is posted to, as text. Empty: nowhere."""
    witness_git: Path | None = None
    """A folder of a git repository in which each signed checkpoint is committed, as a line of a file."""
    witness_deadline_seconds: float = Field(10.0, gt=0)
    """How long a witness may take for one checkpoint."""


class ServerSettings(Group):
    """How code gets in."""

    log_format: LogFormat = "text"
    """How the engine writes its log: `text`, or `json` for one JSON object a line."""
    log_level: LogLevel = "info"
    """The least severe level that is logged: `debug`, `info`, `warning` or `error`."""
    inbox: bool = True
    """Whether files in the inbox folder become submissions."""
    max_request_bytes: int = Field(32 * 1024 * 1024, ge=1024)
    """Larger requests are refused."""
    max_requests: int = Field(4000, ge=1)
    """More concurrent requests are refused at an endpoint; each open stream counts."""
    listen: str = Field("", pattern=r"^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+):[0-9]{1,5}$|^$")
    """A TCP address as HOST:PORT, for programs with tokens; on loopback, or with TLS. Empty: none."""
    tls_certificate: Path | None = None
    """The certificate that the TCP address shows, as PEM."""
    tls_key: Path | None = None
    """Its private key, as PEM."""
    hosts: tuple[str, ...] = ()
    """Names by which the TCP address is called, beside those of this machine."""
    requests_per_minute: float = Field(1200, gt=0)
    """How many requests each token may make, in the long run."""
    requests_burst: int = Field(200, ge=1)
    """How many requests each token may make at once."""
    max_pending: int = Field(1000, ge=1)
    """More waiting submissions are refused, with when to come back."""
    max_pending_each: int = Field(500, ge=1)
    """How many of them one principal may have, so that nobody fills the queue alone."""
    withdraw_seconds: float = Field(60, ge=0)
    """How long what waits outlives a client that went away, where the client said that it would stay."""
    mcp_wait_seconds: float = Field(45, ge=0, le=3600)
    """How long an MCP call waits for a person before it answers `pending_approval`; clients give up at 60."""
    mcp_silent_wait_seconds: float = Field(4, ge=0, le=3600)
    """The same for clients that do not ask for progress: some of them give up at 5."""
    mcp_output_kb: int = Field(64, ge=1, le=4096)
    """How much of each output stream an MCP result carries."""
    idle_minutes: float = Field(30, ge=0)
    """An engine that a console started ends after so long without a request or open submission; 0: never."""


class TraceSettings(Group):
    """Where the traces of submissions go."""

    url: str = Field("", pattern=r"^(https?://[^\s/?#@]+(/\S*)?)?$")
    """Where OTLP is taken over HTTP, with its path: `http://127.0.0.1:4318/v1/traces`. Empty: nowhere."""
    token_file: Path | None = None
    """A file with a token that is sent as `Authorization: Bearer`."""
    seconds: float = Field(10.0, gt=0, le=120)
    """How long one attempt may take."""


class Settings(BaseSettings):
    """All settings."""

    model_config = SettingsConfigDict(
        env_prefix="PRATIQUE_",
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
    )

    analysis: AnalysisSettings = AnalysisSettings()
    policy: PolicySettings = PolicySettings()
    sandbox: SandboxSettings = SandboxSettings()
    history: HistorySettings = HistorySettings()
    server: ServerSettings = ServerSettings()
    notifications: NotificationSettings = NotificationSettings()
    traces: TraceSettings = TraceSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Order the sources, the strongest first."""
        return (
            init_settings,
            env_settings,
            YamlConfigSettingsSource(settings_cls, _existing(locations.settings_file())),
        )


def _existing(path: Path) -> Path | None:
    """Return the settings file; None where there is none. Raises ValueError: it cannot be read."""
    try:
        read_file(path, MOST_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    return path

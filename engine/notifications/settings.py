"""Who is told what, and how."""

from __future__ import annotations

from datetime import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from engine.models import Level


class NoticeKind(StrEnum):
    """What a notice is about."""

    WAITING = "waiting"
    EXPIRING = "expiring"
    SURPRISE = "surprise"
    ALERT = "alert"


class ReceiverSettings(BaseModel):
    """What every receiver has; a key that it does not know is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,31}$")
    """Its name, in Health and in the history."""
    events: tuple[NoticeKind, ...] = tuple(NoticeKind)
    """What it is told: `waiting`, `expiring`, `surprise`, `alert`."""
    risk: Level = Level.LOW
    """The lowest risk of a submission that it is told about, and the lowest severity of a surprise."""
    agents: tuple[str, ...] = ("*",)
    """The agents that it is told about, as patterns: `build-*`."""
    after_seconds: float = Field(0, ge=0)
    """How long a submission waits before it is told about."""
    expiring_seconds: float = Field(300, gt=0)
    """How long before its deadline a submission is told about as expiring; half of its time at most."""
    quiet_from: time | None = None
    """When it is left alone, in the machine's local time: `22:00`."""
    quiet_until: time | None = None
    """When that ends: `07:00`. What still waits then is told."""
    urgent: Level = Level.CRITICAL
    """The lowest risk that is told in spite of that."""
    code: bool = False
    """Whether the first lines of the code are sent along. They may hold secrets."""
    seconds: float = Field(10, gt=0, le=120)
    """How long one attempt may take."""

    @model_validator(mode="after")
    def _quiet_is_whole(self) -> ReceiverSettings:
        if (self.quiet_from is None) != (self.quiet_until is None):
            raise ValueError("quiet_from and quiet_until go together")
        return self


class WebhookSettings(ReceiverSettings):
    """A URL that notices are posted to, in the form of a service."""

    kind: Literal["webhook", "slack", "discord", "ntfy", "teams"]
    url: str = Field(pattern=r"^https?://[^\s/?#@]+(/\S*)?$")
    """Where to. No redirect is followed."""
    key_file: Path | None = None
    """A file with the key that the notices are signed with (HMAC-SHA256)."""
    token_file: Path | None = None
    """A file with a token that is sent as `Authorization: Bearer`."""


class CommandSettings(ReceiverSettings):
    """A program that gets each notice as JSON on standard input."""

    kind: Literal["command"]
    command: tuple[str, ...] = Field(min_length=1)
    """The program and its arguments; no shell is involved."""


class DesktopSettings(ReceiverSettings):
    """Notifications of this machine's desktop, by `notify-send`."""

    kind: Literal["desktop"]


class MailSettings(ReceiverSettings):
    """E-mail by SMTP."""

    kind: Literal["email"]
    host: str
    """The mail server."""
    port: int = Field(587, ge=1, le=65535)
    """Its port."""
    tls: Literal["starttls", "tls", "none"] = "starttls"
    """How the connection is protected; without, no password is sent."""
    sender: str = Field(pattern=r"^[^\s<>,;:\"()]+@[^\s<>,;:\"()]+$")
    """The address that it comes from."""
    to: tuple[Annotated[str, Field(pattern=r"^[^\s<>,;:\"()]+@[^\s<>,;:\"()]+$")], ...] = Field(min_length=1)
    """Where it goes."""
    user: str = ""
    """The name to log in with; empty: without."""
    password_file: Path | None = None
    """A file with the password."""


Receiver = Annotated[
    WebhookSettings | CommandSettings | DesktopSettings | MailSettings, Field(discriminator="kind")
]


class NotificationSettings(BaseModel):
    """Who is told what waits, expires, surprises or is wrong."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    receivers: tuple[Receiver, ...] = ()
    """The receivers; see docs/notifications.md."""

    @model_validator(mode="after")
    def _names_differ(self) -> NotificationSettings:
        names = [receiver.name for receiver in self.receivers]
        if len(set(names)) < len(names):
            raise ValueError("two receivers have the same name")
        return self

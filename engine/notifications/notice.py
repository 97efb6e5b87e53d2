"""What a receiver is told, made of what the engine knows: texts of agents are visible and short. Pure."""

from __future__ import annotations

from datetime import UTC, datetime

from engine.common.level_reason import level_reason
from engine.common.text import Untrusted, many, visible
from engine.models import Case, Event, FrozenModel, Level
from engine.notifications.settings import NoticeKind

MOST_NAME = 60
MOST_TEXT = 240
MOST_CODE_LINES = 10

ALERTS = {
    "history.contradicted": "The history contradicts itself",
    "history.replaced": "The history was replaced by another one",
    "policy.refused": "The policy file is wrong, and the one before stays in force",
    "authentication.failed": "Somebody failed to prove who they are",
    "witness.failed": "A witness of the history takes no checkpoints",
    "health.failed": "A check of Health fails",
}
"""The events that somebody should know of at once, in words."""


class Notice(FrozenModel):
    """One thing that a receiver is told. Its texts hold nothing that steers a screen."""

    id: str
    """The same for the same thing to the same receiver, however often it is sent."""
    kind: NoticeKind
    at: datetime
    title: str
    """What happened, in fixed words."""
    risk: Level | None = None
    submission: str = ""
    agent: str = ""
    purpose: str = ""
    why: str = ""
    """Why it has its risk."""
    deadline: datetime | None = None
    command: str = ""
    """What to type to see it."""
    code: str = ""
    """The first lines of the code, where the receiver's settings ask for them."""

    @property
    def lines(self) -> tuple[str, ...]:
        """What it says, line by line."""
        told = (
            ("From", self.agent),
            ("For", self.purpose),
            ("Why", self.why),
            ("Until", f"{self.deadline:%Y-%m-%d %H:%M:%S} UTC" if self.deadline else ""),
            ("See it", self.command),
        )
        return (*(f"{name}: {text}" for name, text in told if text), *self.code.splitlines())

    @property
    def text(self) -> str:
        """All of it as plain text."""
        return "\n".join((self.title, *self.lines))


def about_pending(kind: NoticeKind, case: Case, *, code: bool) -> Notice:
    """Return the notice that a submission waits, or expires soon."""
    id, risk = case.submission.id, case.assessment.risk
    what = "waits for you" if kind is NoticeKind.WAITING else "expires soon"
    return Notice(
        id=f"{kind.value}-{id}",
        kind=kind,
        at=datetime.now(UTC),
        title=f"{risk.value.upper()}: {id} {what}",
        risk=risk,
        submission=id,
        agent=_short(case.submission.requester.name, MOST_NAME),
        purpose=_short(case.submission.draft.purpose, MOST_TEXT),
        why=_short(level_reason(case), MOST_TEXT),
        deadline=case.deadline,
        command=f"pratique show {id}",
        code=_first_lines(case) if code else "",
    )


def about_surprise(event: Event, severity: Level) -> Notice:
    """Return the notice that a run did what nobody predicted or granted."""
    found = many(len(event.data.get("surprises", ())), "surprise")
    return Notice(
        id=f"surprise-{event.seq}",
        kind=NoticeKind.SURPRISE,
        at=event.at,
        title=f"{severity.value.upper()}: {event.subject} did what was not expected ({found})",
        risk=severity,
        submission=event.subject,
        why=f"The policy's answer: {_short(str(event.data.get('action', '')), MOST_NAME)}",
        command=f"pratique effects {event.subject}",
    )


def about_alert(event: Event) -> Notice:
    """Return the notice about an event of the engine."""
    return Notice(
        id=f"alert-{event.seq}",
        kind=NoticeKind.ALERT,
        at=event.at,
        title=ALERTS[event.type],
        why=_why(event),
        command=_short(str(event.data.get("hint", "")), MOST_TEXT) or "pratique doctor",
    )


def _why(event: Event) -> str:
    if event.type == "health.failed":
        return _short(f"{event.data.get('check', '')}: {event.data.get('detail', '')}", MOST_TEXT)
    return _short(str(event.data.get("address", event.actor.text)), MOST_NAME)


def severity_of(event: Event) -> Level:
    """Return the gravest severity of a surprise; HIGH where it names none."""
    given = [one.get("severity") for one in event.data.get("surprises", ()) if isinstance(one, dict)]
    known = [level for level in Level if level.value in given]
    return max(known, key=lambda level: level.rank, default=Level.HIGH)


def _short(text: Untrusted | str, most: int) -> str:
    shown = " ".join(visible(text, keep="\n\t").split())
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def _first_lines(case: Case) -> str:
    lines = case.submission.draft.code.text.splitlines()[:MOST_CODE_LINES]
    return "\n".join(visible(line)[:MOST_TEXT] for line in lines)

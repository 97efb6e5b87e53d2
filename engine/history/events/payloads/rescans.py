"""Payloads of events about rescans of stored code."""

from __future__ import annotations

from typing import Literal

from engine.history.events.payloads.base import EventPayload
from engine.models import Level
from engine.models.rescan import RescanOutcome


class RescanPayload(EventPayload):
    """A rescan began, came so far, or ended; beside its ID stands all that is known of it then."""

    type: Literal["rescan.started", "rescan.progressed", "rescan.ended"]
    rescan: str


class SubmissionRescannedPayload(EventPayload):
    """Today's analysis and policy say something else of a submission than was said of it."""

    type: Literal["submission.rescanned"]
    rescan: str
    outcome: RescanOutcome
    risk: Level
    was: Level
    rules: tuple[str, ...] = ()

"""Approvals that look careless, and the figures of the reviewers who gave them."""

from __future__ import annotations

from datetime import datetime

from engine.common.backports import StrEnum
from engine.common.text import Untrusted
from engine.models.base import FrozenModel


class CarelessSign(StrEnum):
    """Why an approval looks careless. None of them proves that it was."""

    HASTY = "approved within two seconds of its display"
    SURPRISE = "its run did what was not predicted or not granted"
    KILLED = "its run was killed"


class CarelessApproval(FrozenModel):
    """An approval that looks careless."""

    id: str
    reviewer: Untrusted
    at: datetime
    seconds: float
    """How long it was displayed before, as the review record says."""
    signs: tuple[CarelessSign, ...]


class CarelessReport(FrozenModel):
    """The approvals of a period that look careless: a reviewer's own, or everybody's."""

    approvals: int
    """How many approvals by people were looked at."""
    careless: tuple[CarelessApproval, ...]
    """The latest first."""

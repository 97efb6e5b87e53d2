"""Asks, once the engine responds, about decisions that a console left unsent when it was killed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from console.review.decisions import Batch, outcome_word
from console.review.unsent import drafts
from console.review.unsent.journal import DecisionJournal, UnsentDecision
from engine.common.errors import Problem
from engine.common.text import visible
from engine.models import Case, Status

if TYPE_CHECKING:
    from console.app.app import ConsoleApp


async def left_behind(app: ConsoleApp, journal: DecisionJournal) -> Batch:
    """Return the decisions to ask about; what the engine has, or cannot take any more, is forgotten."""
    try:
        unsent = await asyncio.to_thread(journal.take_over)
        await asyncio.to_thread(drafts.prune)
    except OSError as error:
        app.notify(f"Decisions of an earlier console cannot be read: {error.strerror}", severity="warning")
        return ()
    found = [(each, await _case(app, each, journal)) for each in unsent]
    return tuple(each.about(case) for each, case in found if case is not None)


async def _case(app: ConsoleApp, unsent: UnsentDecision, journal: DecisionJournal) -> Case | None:
    """Return the case of a decision that can still be sent."""
    try:
        case = await app.connection.client.case(unsent.id)
    except Problem as problem:
        if problem.status != 404:
            return None
        problem_words = f"{unsent.id} is gone"
    else:
        problem_words = _obstacle(unsent, case)
        if not problem_words:
            return case
    journal.drop(unsent.id)
    if problem_words != SENT:
        words = (
            f"Not sent before the console ended: {unsent.id} {outcome_word(unsent.outcome)}. {problem_words}"
        )
        app.notify(words, severity="warning", timeout=15)
    return None


SENT = "sent"


def _obstacle(unsent: UnsentDecision, case: Case) -> str:
    """Return why a decision cannot be sent any more: `SENT` where the engine has it."""
    if case.submission.digest != unsent.digest:
        return "Another submission has this ID now."
    if case.status is Status.PENDING:
        return ""
    decision = case.decision
    if decision is not None and decision.outcome is unsent.outcome:
        return SENT
    who = f" by {visible(decision.by.name)}" if decision is not None else ""
    return f"It is {case.status.value} now{who}."

"""A case as lines: the facts of a submission, its decisions and its run; and its events."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from console.review.rehearsal.words import rehearsal_paragraphs
from console.review.requests import asked, limits
from console.review.review_record import review_record_line
from console.run.result_text import outcome_line
from console.run.snapshot_text import look_paragraphs
from console.safety.text import Part, clip
from console.widgets.formatting import full_badge, lasted, size
from engine.common.presentation import verdict_text
from engine.common.rehearsal_lines import verdict_line
from engine.common.snapshot_lines import headline
from engine.common.text import Untrusted, many
from engine.models import Case, Decision, Event, Result, Verdict
from engine.models.rehearsal import Rehearsal
from engine.models.snapshot import RunSnapshot

NAME_CELLS = 14
_INDENT = " " * 8
REHEARSED = "rehearsal.ended"
SNAPSHOT = "run.snapshot"


def case_lines(case: Case) -> list[list[Part]]:
    """Return the facts of a case: submission, decisions, run, permissions and violations."""
    submission = case.submission
    draft = submission.draft
    lines: list[list[Part]] = [
        [full_badge(case.assessment.risk), "  ", (submission.id, "bold")],
        [*outcome_line(case)],
        _fact("submitted", _moment(submission.submitted_at)),
        _fact("requested by", submission.requester.name),
        _fact("purpose", (draft.purpose or "(none)", "italic")),
        _fact("digest", (submission.digest, "faint")),
    ]
    lines += [line for review in case.reviews for line in _decision(review)]
    lines += _decision(case.decision) if case.decision else [_fact("decision", "none yet")]
    lines += _result(case.result) if case.result else []
    lines += [[], [("Requested permissions", "bold muted")], *asked(draft.permissions, case.analysis.effects)]
    lines += [[], [(many(len(case.analysis.violations), "violation"), "bold muted")]]
    if case.analysis.verdict is not Verdict.VIOLATIONS:
        lines += [[(verdict_text(case.analysis), "muted")]]
    lines += [
        [(f" {each.severity.value:<9}", f"risk-{each.severity.value}"),
         f"{each.span.line}:{each.span.column}  ",
         each.rule]
        for each in case.analysis.violations
    ]  # fmt: skip
    return lines


def _fact(name: str, *value: Part) -> list[Part]:
    return [(f"{name:<{NAME_CELLS}}", "muted"), *value]


def _moment(at: datetime) -> str:
    return at.astimezone().strftime("%Y-%m-%d %H:%M:%S")


def _decision(decision: Decision) -> list[list[Part]]:
    style = "success" if decision.outcome.value == "approved" else "error"
    outcome: Part = (decision.outcome.value, f"bold {style}")
    lines: list[list[Part]] = [
        [],
        _fact("decision", outcome, (" by ", "muted"), decision.by.name),
        _fact("decided", _moment(decision.at)),
    ]
    if decision.reason:
        lines.append(_fact("reason", decision.reason))
    if decision.grant is not None:
        few, more = limits(decision.grant.permissions.limits)
        lines += [_fact("granted", few), _fact("", more)]
    if decision.review_record is not None:
        lines.append(_fact("reviewed", review_record_line(decision.review_record)))
    return lines


def _result(result: Result) -> list[list[Part]]:
    lines: list[list[Part]] = [
        [],
        _fact("duration", lasted(result.duration)),
        _fact("first output", lasted(result.first_byte)),
        _fact("peak memory", size(result.memory_peak)),
        _fact("CPU time", f"{result.cpu_seconds:.2f} s"),
        _fact("output", f"stdout {size(result.stdout_bytes)}, stderr {size(result.stderr_bytes)}"),
        _fact("runtime", result.runtime),
        _fact("image", (clip(result.image_digest, 40), "faint")),
    ]  # fmt: skip
    return lines + [_fact("artifact", each.name, f"  {size(each.size)}") for each in result.artifacts]


def event_lines(event: Event) -> list[list[Part]]:
    """Return an event and its data as lines."""
    at = event.at.astimezone().strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
    if event.type == REHEARSED:
        return [_head(event, at), *([_INDENT, *line] for line in _rehearsal(event)), []]
    if event.type == SNAPSHOT:
        return [_head(event, at), *([_INDENT, *line] for line in _snapshot(event)), []]
    data = [part for key, value in event.data.items() for part in _data(key, value)]
    return [_head(event, at), [_INDENT, *data], []] if data else [_head(event, at), []]


def rehearsal_fact(trail: Sequence[Event]) -> list[list[Part]]:
    """Return what the last rehearsal found, as a fact; nothing where there was none."""
    last = next((event for event in reversed(trail) if event.type == REHEARSED), None)
    if last is None:
        return []
    found = Rehearsal.model_validate(last.data["rehearsal"])
    style = "risk-critical" if found.convicted else "foreground"
    return [_fact("rehearsal", (verdict_line(found), style), ("  (e: events)", "muted"))]


def paused_fact(trail: Sequence[Event]) -> list[list[Part]]:
    """Return what a run was doing when the policy last paused it, as a fact; nothing where it never did."""
    last = next((event for event in reversed(trail) if event.type == SNAPSHOT), None)
    if last is None:
        return []
    seen = RunSnapshot.model_validate(last.data["snapshot"])
    return [_fact("at a surprise", (headline(seen), "warning"), ("  (e: events)", "muted"))]


def _snapshot(event: Event) -> list[list[Part]]:
    return look_paragraphs(RunSnapshot.model_validate(event.data["snapshot"]), [], Untrusted(""))


def _rehearsal(event: Event) -> list[list[Part]]:
    return rehearsal_paragraphs(Rehearsal.model_validate(event.data["rehearsal"]))


def _head(event: Event, at: str) -> list[Part]:
    return [(f"{event.seq:>6}  ", "faint"), (at, "muted"), "  ", (event.type, "bold primary"),
            ("  by ", "muted"), event.actor]  # fmt: skip


def _data(key: str, value: object) -> list[Part]:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return [(f"{clip(key, 40)} ", "faint"), (clip(text, 400), "muted"), "   "]

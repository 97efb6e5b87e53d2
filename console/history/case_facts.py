"""What a case was, in lines: the facts of a submission, its decisions, its run, and its events."""

from __future__ import annotations

import json

from console.review.requests import asked, limits
from console.review.review_record import looked
from console.run.result_text import outcome_line
from console.safety.text import Part, clip
from console.widgets.formatting import full_badge, lasted, size
from engine.common.text import many
from engine.models import Case, Decision, Event, Result


def case_lines(case: Case) -> list[list[Part]]:
    """Return the lines that tell a case: what was handed in, who decided, how it ran."""
    submission = case.submission
    draft = submission.draft
    lines: list[list[Part]] = [
        [full_badge(case.assessment.risk), "  ", (submission.id, "bold")],
        [*outcome_line(case)],
        [("handed in  ", "muted"), submission.submitted_at.astimezone().strftime("%Y-%m-%d %H:%M:%S")],
        [("asked by   ", "muted"), submission.requester.name],
        [("says       ", "muted"), (draft.purpose or "(nothing)", "italic")],
        [("digest     ", "muted"), (submission.digest, "faint")],
    ]
    lines += [line for review in case.reviews for line in _decision(review)]
    lines += _decision(case.decision) if case.decision else [[("decision   ", "muted"), "none yet"]]
    lines += _result(case.result) if case.result else []
    lines += [[], [("Asked for", "bold muted")], *asked(draft.permissions, case.analysis.effects)]
    lines += [[], [(many(len(case.analysis.violations), "violation"), "bold muted")]]
    lines += [
        [(f" {each.severity.value:<9}", f"risk-{each.severity.value}"),
         f"{each.span.line}:{each.span.column}  ",
         each.rule]
        for each in case.analysis.violations
    ]  # fmt: skip
    return lines


def _decision(decision: Decision) -> list[list[Part]]:
    style = "success" if decision.outcome.value == "approved" else "error"
    lines: list[list[Part]] = [
        [],
        [
            ("decision   ", "muted"),
            (decision.outcome.value, f"bold {style}"),
            (" by ", "muted"),
            decision.by.name,
        ],
        [("at         ", "muted"), decision.at.astimezone().strftime("%Y-%m-%d %H:%M:%S")],
    ]
    if decision.reason:
        lines.append([("because    ", "muted"), decision.reason])
    if decision.grant is not None:
        few, more = limits(decision.grant.permissions.limits)
        lines += [[("given      ", "muted"), few], [("           ", "muted"), more]]
    if decision.review_record is not None:
        lines.append([("looked     ", "muted"), looked(decision.review_record)])
    return lines


def _result(result: Result) -> list[list[Part]]:
    lines: list[list[Part]] = [
        [],
        [("ran for    ", "muted"), lasted(result.duration), (", first output after ", "muted"),
         lasted(result.first_byte)],
        [("peak       ", "muted"), size(result.memory_peak), (" memory, ", "muted"),
         f"{result.cpu_seconds:.2f} s CPU"],
        [("wrote      ", "muted"), f"{size(result.stdout_bytes)} and {size(result.stderr_bytes)} of errors"],
        [("runtime    ", "muted"), result.runtime],
        [("image      ", "muted"), (clip(result.image_digest, 40), "faint")],
    ]  # fmt: skip
    lines += [[("left       ", "muted"), each.name, f"  {size(each.size)}"] for each in result.artifacts]
    return lines


def event_lines(event: Event) -> list[list[Part]]:
    """Return the lines that tell an event."""
    at = event.at.astimezone().strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
    said = [part for key, value in event.data.items() for part in _fact(key, value)]
    head: list[Part] = [(f"{event.seq:>6}  ", "faint"), (at, "muted"), "  ", (event.type, "bold primary"),
                        ("  by ", "muted"), event.actor]  # fmt: skip
    return [head, ["        ", *said], []] if said else [head, []]


def _fact(key: str, value: object) -> list[Part]:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return [(f"{clip(key, 40)} ", "faint"), (clip(text, 400), "muted"), "   "]

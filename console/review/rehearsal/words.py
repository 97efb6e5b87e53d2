"""A rehearsal in words: one line beside the answer, and everything on a sheet. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from console.review.rehearsal.known import RehearsalState
from console.review.rehearsal.seen import OTHER, SEEN, observed, place, seen
from console.safety.text import Part, visible_text
from engine.common.rehearsal_lines import (
    contact_line,
    contacts_line,
    ending_line,
    finding_line,
    verdict_line,
)
from engine.common.text import Untrusted, many
from engine.models import Case
from engine.models.observed import ObservationStatus, ObservedEffect
from engine.models.rehearsal import MOST_SECONDS, Contact, Rehearsal

MOST_ROWS = 100
_EXCERPT = 300
_OUTPUT = 1500
LABEL = 10
"""The cells of the label of a line."""


def state_line(state: RehearsalState, now: float) -> list[Part]:
    """Return what is known of a submission's rehearsals in one line; empty where nothing is."""
    if state.began is not None:
        return [
            ("Rehearsing ", "bold accent"),
            f"{state.seconds(now):.0f} s  ",
            ("R: progress, stop", "muted"),
        ]
    if state.refused:
        return [("No rehearsal ", "bold warning"), (state.refused, "warning")]
    if state.found is None:
        return []
    style = "bold risk-critical" if state.found.convicted else "foreground"
    return [("Rehearsal ", "bold muted"), (verdict_line(state.found), style), ("  R: all of it", "muted")]


def question(case: Case, *, withheld: bool) -> list[list[Part]]:
    """Return what starting a rehearsal means."""
    files = case.submission.draft.files
    given = "none" if not files else "withheld" if withheld else f"{many(len(files), 'file')} as given"
    key = ("  (w: withhold or give)", "muted") if files else ""
    return [
        ["Run it now, before deciding?"],
        [("Nothing is granted: credentials are decoys, every host is a sinkhole, nothing leaves.", "muted")],
        [(f"It takes {MOST_SECONDS:.0f} s at most, is recorded, and never counts as the run.", "muted")],
        [],
        [("input files  ", "muted"), given, key],
    ]


def again(case: Case, *, withheld: bool) -> list[list[Part]]:
    """Return what is different about the next rehearsal; nothing where nothing is."""
    if not withheld or not case.submission.draft.files:
        return []
    return [[("The next rehearsal has no input files.", "accent")]]


def progress(state: RehearsalState, now: float) -> list[list[Part]]:
    """Return how far it is."""
    return [
        [("Rehearsing … ", "bold accent"), f"{state.seconds(now):.0f} s of at most {MOST_SECONDS:.0f} s"],
        [("x stops it. Esc: back to Review, where it goes on and its result appears.", "muted")],
    ]


def rehearsal_paragraphs(found: Rehearsal) -> list[list[Part]]:
    """Return everything about a rehearsal, what proves harm first."""
    style = "bold risk-critical" if found.convicted else "bold"
    lines: list[list[Part]] = [[(verdict_line(found), style)], *_proof(found)]
    lines += [[(ending_line(found), "muted")], *_doubts(found)]
    lines += [[("note: ", "warning"), note] for note in found.notes]
    lines += [[], *_contacts(found)]
    groups = seen(found)
    known = observed(found)
    lines += [line for label in SEEN for line in _group(label, groups.get(label, []), known=known)]
    lines += _others(groups.get(OTHER, []))
    lines += [[], [("Printed", "bold muted")], *_printed(found.output)]
    return lines


def _proof(found: Rehearsal) -> Iterator[list[Part]]:
    """Yield each finding, and the beginning of what carried it."""
    carried = {contact.number: contact for contact in found.contacts}
    alone = len(found.findings) == 1 and found.convicted
    for one in found.findings:
        if not alone:
            yield [("  ■ " if one.convicts else "  · ", "risk-critical" if one.convicts else "muted"),
                   finding_line(one)]  # fmt: skip
        contact = carried.get(one.contact)
        if contact is not None and contact.excerpt.text:
            yield [(f"    {_excerpt(contact)}", "italic muted")]


def _contacts(found: Rehearsal) -> Iterator[list[Part]]:
    if not found.contacts:
        yield [(f"{'contacted':<{LABEL}}", "bold muted"), ("nobody", "faint")]
        return
    yield [(f"{'contacted':<{LABEL}}", "bold muted"), (contacts_line(found), "muted")]
    proof = {one.contact for one in found.findings if one.convicts}
    for contact in found.contacts:
        yield [(f"  {contact_line(contact)}", "risk-critical" if contact.number in proof else "foreground")]
        if contact.excerpt.text and contact.number not in proof:
            yield [(f"           {_excerpt(contact)}", "faint")]


def _excerpt(contact: Contact) -> str:
    return visible_text(" ".join(contact.excerpt.text[:_EXCERPT].split("\n")))


def _doubts(found: Rehearsal) -> Iterator[list[Part]]:
    """Yield why what it read, wrote and started may not be all."""
    known = found.observation
    if found.ran and (known is None or known.status is not ObservationStatus.COMPLETE):
        why = "; ".join(known.reasons) if known is not None else ""
        status = known.status.value if known is not None else ObservationStatus.NONE.value
        yield [(f"files and processes: {status}{f': {why}' if why else ''}", "warning")]


def _group(label: str, effects: list[ObservedEffect], *, known: bool) -> Iterator[list[Part]]:
    """Yield what it read, wrote or started, one line each."""
    if not effects:
        none: Part = ("nothing seen", "faint") if known else ("unknown: not observed", "warning")
        yield [(f"{label:<{LABEL}}", "bold muted"), none]
    for index, one in enumerate(effects[:MOST_ROWS]):
        yield [(f"{label if not index else '':<{LABEL}}", "bold muted"), *_effect(one)]
    if len(effects) > MOST_ROWS:
        yield [(f"{'':<{LABEL}}{len(effects) - MOST_ROWS:,} more", "muted")]


def _effect(one: ObservedEffect) -> list[Part]:
    said = [f"{one.count:,} times" if one.count > 1 else "", f"refused: {one.error}" if one.refused else ""]
    notes = ", ".join(each for each in said if each)
    by = visible_text(one.process)
    return [place(one), (f"  {notes}" if notes else "", "warning"), (f"  by {by}" if by else "", "faint")]


def _others(effects: list[ObservedEffect]) -> Iterator[list[Part]]:
    for one in effects[:MOST_ROWS]:
        yield [(f"{one.kind.value:<{LABEL}}", "bold warning"), *_effect(one)]


def _printed(output: Untrusted) -> Iterable[list[Part]]:
    lines = output.text[:_OUTPUT].rstrip("\n").split("\n") if output.text.strip() else []
    return [[("  ", ""), visible_text(line)] for line in lines] or [[("  nothing", "faint")]]

"""Rehearsals in words, the same in every place that shows them."""

from __future__ import annotations

from collections.abc import Iterator

from engine.common.text import many, visible
from engine.models.rehearsal import Contact, FindingKind, Rehearsal, RehearsalFinding

_MOST_NAMES = 3
NOTHING = "nothing seen that proves harm; that is no proof of the contrary"


def finding_line(finding: RehearsalFinding) -> str:
    """Return a finding in one sentence, as in "a decoy left: AWS key in POST to collect.example"."""
    subject, where = _shortened(finding.subject), visible(finding.where)
    hidden = f" ({finding.how})" if finding.how else ""
    match finding.kind:
        case FindingKind.LEAK:
            return f"a decoy left: {subject} in {where}{hidden}"
        case FindingKind.DESTROYED:
            return f"a decoy was destroyed: {subject} ({where})"
        case FindingKind.CONTROLLED:
            return f"it ran {subject} that a host sent: {where}"
        case _:
            return f"a credential at its own host: {subject} in {where}{hidden}"


def _shortened(subject: str) -> str:
    names = subject.split(", ")
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def verdict_line(rehearsal: Rehearsal) -> str:
    """Return in one line what a rehearsal says as a whole."""
    found = [one for one in rehearsal.findings if one.convicts]
    if not rehearsal.ran:
        return f"no result: {visible(rehearsal.notes[-1]) if rehearsal.notes else 'it did not run'}"
    if not found:
        return NOTHING
    more = f", and {len(found) - 1} more" if len(found) > 1 else ""
    return f"CONVICTED: {finding_line(found[0])}{more}"


def ending_line(rehearsal: Rehearsal) -> str:
    """Return how it ended."""
    ended = f"exit {rehearsal.exit_code}" if rehearsal.exit_code is not None else "no exit code"
    killed = "" if rehearsal.kill_reason.value == "none" else f", killed: {rehearsal.kill_reason.value}"
    files = ", without its input files" if rehearsal.withheld else ""
    by = visible(rehearsal.by)
    when = f"{rehearsal.at:%H:%M:%S} UTC for {rehearsal.seconds:.1f} s"
    sleeps = ", its sleeps shortened" if rehearsal.shortened_seconds else ""
    return f"rehearsed by {by} at {when}{files}{sleeps}: {ended}{killed}"


def contact_line(contact: Contact) -> str:
    """Return a contact in one line: when, how, with whom, how much."""
    what = f"{visible(contact.method)} {visible(contact.path)[:80]}".strip()
    place = f"{visible(contact.host)}:{contact.port}"
    return f"{contact.at:6.2f} s  {contact.protocol:<5} {place} {what}  {contact.sent:,} B".rstrip()


def contacts_line(rehearsal: Rehearsal) -> str:
    """Return how many contacts there were."""
    counted = many(len(rehearsal.contacts), "contact")
    return f"{counted}, {rehearsal.omitted:,} more not kept" if rehearsal.omitted else counted


def rehearsal_lines(rehearsal: Rehearsal) -> Iterator[str]:
    """Yield everything about a rehearsal, what proves harm first."""
    yield verdict_line(rehearsal)
    for finding in rehearsal.findings:
        yield f"  {finding_line(finding)}"
    yield ending_line(rehearsal)
    yield contacts_line(rehearsal)
    for contact in rehearsal.contacts:
        yield f"  {contact_line(contact)}"
    for name in rehearsal.changed:
        yield f"wrote {visible(name)}"
    for note in rehearsal.notes:
        yield f"note: {visible(note)}"

"""What a revision changes in the submission that it revises, in words and as lines. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from console.code_view.difference import Line
from console.safety.text import Part
from engine.common.text import Untrusted, many
from engine.models import AnsweredComment, Case, FileChange, FileDifference, Revision

_HUNK = re.compile(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@")
_SHOWN = {FileChange.CHANGED: "changed", FileChange.ADDED: "added", FileChange.REMOVED: "removed"}


def diff_lines(diff: Untrusted) -> tuple[Line, ...]:
    """Return the lines of a difference in the unified format; `…` stands where lines are left out."""
    return tuple(_lines(diff.text.split("\n"))) if diff else ()


def _lines(said: list[str]) -> Iterator[Line]:
    old = new = shown_to = 0
    for each in said:
        if found := _HUNK.fullmatch(each):
            old, new = int(found[1]), int(found[3])
            if new > shown_to + 1:
                yield Line("…", 0, Untrusted(f"{many(new - shown_to - 1, 'line')} the same"))
            continue
        sign, text = each[:1], Untrusted(each[1:])
        yield Line(sign or " ", old if sign == "-" else new, text)
        old, new = old + (sign != "+"), new + (sign != "-")
        shown_to = new - 1


def changed_lines(revision: Revision) -> frozenset[int]:
    """Return the lines of the code that are new or other ones, counted from 1."""
    code = next((each for each in revision.files if not each.file), None)
    return (
        frozenset(each.number for each in diff_lines(code.diff) if each.sign == "+") if code else frozenset()
    )


def is_answered(comment: AnsweredComment) -> bool:
    """Say whether the agent replied to a comment, or changed its lines."""
    return comment.reply is not None or comment.lines_changed


def summary_parts(revision: Revision) -> list[Part]:
    """Return in one line what a revision changes, which comments it answers, and what was read before."""
    signs = [line.sign for each in revision.files for line in diff_lines(each.diff)]
    changed = sum(each.change is not FileChange.UNCHANGED for each in revision.files if each.file)
    parts: list[Part] = [
        ("Revises ", "bold accent"), revision.revises, "  ",
        (f"+{signs.count('+')}", "success"), " ", (f"-{signs.count('-')}", "error"), (" lines", "muted"),
    ]  # fmt: skip
    if changed:
        parts.append((f", {many(changed, 'input file')} changed", "muted"))
    if count := len(revision.comments):
        answered = sum(map(is_answered, revision.comments))
        style = "muted" if answered == count else "warning"
        parts.append((f"  {answered} of {many(count, 'comment')} answered", style))
    if revision.carried is not None:
        read = sum(last - first + 1 for first, last in revision.carried.lines)
        parts.append((f"  {read:,} read before", "muted"))
    return [*parts, "  ", ("c", "bold accent"), (" shows", "muted")]


def comment_lines(revision: Revision, case: Case) -> list[list[Part]]:
    """Return each comment on the earlier submission, and what became of it."""
    lines: list[list[Part]] = []
    for each in revision.comments:
        answered: Part = ("● ", "bold success") if is_answered(each) else ("○ ", "bold warning")
        lines.append([answered, (_place(each), "muted"), each.text])
        if each.reply is not None:
            lines.append([("    reply ", "muted"), (each.reply, "italic")])
        if each.comment is not None:
            became = "its lines changed" if each.lines_changed else "its lines are the same"
            lines.append([(f"    {became}", "muted" if each.lines_changed else "warning")])
    return lines or [[(f"{revision.revises} had no comments.", "muted")]]


def file_title(each: FileDifference, case: Case) -> list[Part]:
    """Return what became of the code or of an input file."""
    code = f"code ({case.submission.draft.language.value})"
    no_text = "" if each.diff else ", no text to compare"
    name: Part = (each.file if each.file else code, "bold")
    return [name, (f"  {_SHOWN.get(each.change, 'the same')}", "muted"), (no_text, "warning")]


def _place(answered: AnsweredComment) -> str:
    comment = answered.comment
    if comment is None:
        return "general  "
    span = f"{comment.first}" if comment.first == comment.last else f"{comment.first}-{comment.last}"
    return f"line {span}  "

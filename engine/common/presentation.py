"""Texts about submissions and results, the same in every client."""

from __future__ import annotations

from engine.common.text import Untrusted, many, visible
from engine.models import Analysis, Draft, KillReason, OperationKind, Result, Summary, Verdict

_WORDS = {
    OperationKind.RUN: "run",
    OperationKind.INSTALL: "install",
    OperationKind.WRITE: "write",
    OperationKind.READ: "read",
    OperationKind.LIST: "list",
    OperationKind.REMOVE: "remove",
    OperationKind.METADATA: "look at",
    OperationKind.DESTROY: "destroy",
}


NAMED_FILES = 3
"""How many files are named before the rest is counted."""


def written_text(analysis: Analysis) -> str:
    """Return `writes only its workspace: a.csv, b.png` where that is proven, else an empty text."""
    names = analysis.writes
    more = f" and {len(names) - NAMED_FILES} more" if len(names) > NAMED_FILES else ""
    return f"writes only its workspace: {', '.join(names[:NAMED_FILES])}{more}" if names else ""


def proven_text(analysis: Analysis) -> str:
    """Return `Proven harmless`, and which libraries the proof takes for sound."""
    if not analysis.trusts:
        return "Proven harmless"
    *names, last = analysis.trusts
    return f"Proven harmless, trusting {', '.join(names)}{' and ' if names else ''}{last}"


def verdict_text(analysis: Analysis) -> str:
    """Return the verdict in a few words."""
    match analysis.verdict:
        case Verdict.HARMLESS:
            return proven_text(analysis)
        case Verdict.UNPROVEN if written := written_text(analysis):
            return f"Unproven; {written}"
        case Verdict.UNPROVEN if analysis.unproven:
            return f"Unproven: {many(len(analysis.unproven), 'expression')}"
        case Verdict.UNPROVEN:
            return "Unproven"
    return many(len(analysis.violations), "violation")


def headline(draft: Draft) -> Untrusted:
    """Return in one line what a draft would do: the first line of its code, or its tool call."""
    if draft.operation is None:
        lines = (line.strip() for line in draft.code.text.split("\n"))
        return Untrusted(next((line for line in lines if line), "")[:200])
    path = draft.operation.path.text or "/workspace"
    packages = ", ".join(f"{each.name.text} {each.version.text}" for each in draft.permissions.packages)
    what = packages if draft.operation.kind is OperationKind.INSTALL else path
    executable = ", executable" if draft.operation.executable else ""
    return Untrusted(f"{_WORDS[draft.operation.kind]} {what}{executable} in session {draft.session}")


def text_to_review(draft: Draft) -> Untrusted:
    """Return the text that has to be read before a draft is approved: code, or what would be written.

    Bytes that are no text become `\\xNN`.
    """
    if draft.operation is None:
        return draft.code
    if not is_file_write(draft):
        return headline(draft)
    return Untrusted("\n".join(file.content.decode("utf-8", "backslashreplace") for file in draft.files))


def is_file_write(draft: Draft) -> bool:
    """Return whether a draft is a tool call that writes its file, which `text_to_review` shows."""
    return draft.operation is not None and draft.operation.kind is OperationKind.WRITE and bool(draft.files)


def describe_result(run: Result | Summary) -> str:
    """Return how a run ended: `exit 0`, or `killed: memory`."""
    if run.kill_reason is not None and run.kill_reason is not KillReason.NONE:
        return f"killed: {run.kill_reason.value}"
    return f"exit {'?' if run.exit_code is None else run.exit_code}"


def describe_evidence(result: Result) -> str:
    """Return how a run ended, with the evidence where it was killed, for a terminal."""
    killed = result.kill_reason is not KillReason.NONE and result.evidence
    return describe_result(result) + (f" ({visible('; '.join(result.evidence))})" if killed else "")

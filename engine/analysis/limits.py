"""Rules for code that cannot be read or whose analysis cannot be finished."""

from __future__ import annotations

from collections.abc import Callable

from engine.analysis.positions import Lines
from engine.analysis.raw_analysis import RawAnalysis
from engine.analysis.rule import Rule
from engine.models import Analysis, Language, Level, Span, Violation
from engine.settings import AnalysisSettings

_START = Span(line=1, column=1, end_line=1, end_column=1)
_EVERY = frozenset(Language)


def _guard(name: str, title: str, attack: str, fix: str, match: tuple[str, ...] = ()) -> Rule:
    return Rule(
        id=name,
        title=title,
        category="unreadable",
        severity=Level.HIGH,
        languages=_EVERY,
        attack=attack,
        why="HIGH: the unread part of the code is unknown.",
        fix=fix,
        match=match,
        not_match=("print('hello')",) if match else (),
        cwe=693,
    )


ENCODING = _guard(
    "input-encoding",
    "The code is not valid UTF-8",
    (
        "Hides code from the reader: the interpreter may decode the bytes differently from the "
        "reviewer's screen."
    ),
    "Send the code as UTF-8.",
    ("print('\ud800')",),
)
TOO_LARGE = _guard(
    "input-too-large",
    "The code is larger than the size limit",
    "Hides the dangerous line where no reviewer and no analyser reads it.",
    "Send less code, or raise `analysis.max_bytes`.",
)
TOO_DEEP = _guard(
    "input-too-deep",
    "The code is nested too deeply to analyse",
    "Exhausts the analyser with nesting so that the rest of the code is not read.",
    "Flatten the code.",
)
LAYERS = _guard(
    "input-too-many-layers",
    "Code is embedded in code more deeply than the analysis decodes",
    ("Wraps the payload in so many encodings that an analyser gives up before it reaches the payload."),
    "Submit the inner code itself.",
)
CRASHED = _guard(
    "analysis-crashed",
    "The analysis failed",
    ("Crafts input that crashes the analyser, in the hope that no result counts as a clean result."),
    "Review the code manually, and report the failure of the analyser.",
)
DEADLINE = _guard(
    "analysis-deadline",
    "The analysis did not finish in time",
    ("Crafts input that keeps the analyser busy, in the hope that no result counts as a clean result."),
    "Review the code manually, or raise `analysis.deadline_seconds`.",
)
UNREAD = _guard(
    "input-file-unread",
    "An input file contains code that was not analysed",
    ("Puts the payload into a compiled or unreadable file next to harmless code that only loads it."),
    "Send the file as Python, JavaScript or shell source, or review it manually.",
)
NAMED = _guard(
    "input-file-name",
    "The name of an input file is misleading",
    "Makes a file look like another one, or like none, with invisible characters.",
    "Use plain file names.",
)

RULES = (ENCODING, TOO_LARGE, TOO_DEEP, LAYERS, CRASHED, DEADLINE, UNREAD, NAMED)


def readable(source: str | bytes, settings: AnalysisSettings) -> tuple[str, list[Violation]]:
    """Return the text of `source`, cut at the size limit, and what is wrong with it as text."""
    text, violations = _decoded(source)
    size = len(text) if text.isascii() else len(text.encode())
    if size > settings.max_bytes:
        limit = settings.max_bytes
        text = text.encode()[:limit].decode(errors="ignore")
        line, column = Lines(text).point(len(text))
        span = Span(line=line, column=column, end_line=line, end_column=column)
        message = f"{size:,} bytes of code; only the first {limit:,} were read"
        violations.append(TOO_LARGE.violation(span, message))
    return text, violations


def _decoded(source: str | bytes) -> tuple[str, list[Violation]]:
    if isinstance(source, str):
        try:
            source.encode()
        except UnicodeEncodeError as error:
            text = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in source)
            span = Lines(source).span(error.start, error.start + 1)
            return text, [ENCODING.violation(span, "A lone surrogate: not valid Unicode text")]
        return source, []
    try:
        return source.decode(), []
    except UnicodeDecodeError as error:
        before = source[: error.start].decode()
        line, column = Lines(before).point(len(before))
        span = Span(line=line, column=column, end_line=line, end_column=column + 1)
        message = f"Byte 0x{source[error.start]:02x} at offset {error.start} is not UTF-8"
        return source.decode(errors="replace"), [ENCODING.violation(span, message)]


def guarded(work: Callable[[], RawAnalysis], what: str) -> RawAnalysis:
    """Return what `work` finds; an exception in it becomes a violation, and never a silence."""
    try:
        return work()
    except (RecursionError, MemoryError):
        violation = TOO_DEEP.violation(_START, f"{what} cannot follow this nesting")
    except Exception as error:
        violation = CRASHED.violation(_START, f"{what} failed: {type(error).__name__}: {error}"[:300])
    return RawAnalysis([violation], complete=False)


def unfinished(rule: Rule, message: str) -> Analysis:
    """Return the analysis of code whose analysis did not finish."""
    return Analysis(violations=(rule.violation(_START, message),), complete=False)

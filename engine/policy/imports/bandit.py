"""Findings that bandit was told to accept: `nosec` comments in code, and baselines. None becomes a rule."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from engine.common.file_faults import Fault, Place, PolicyError
from engine.models import Level, Violation
from engine.policy.imports.imported import ImportedEntry, covered, left_out

Analyse = Callable[[str], Iterable[Violation]]
MAX_RESULTS = 2000
_NOSEC = re.compile(r"#\s*nosec\b:?([^#]*)")
_NUMBERED = re.compile(r"^(\d+) ?", re.MULTILINE)


def read_comments(code: str, analyse: Analyse) -> tuple[ImportedEntry, ...]:
    """Return what becomes of each `nosec` comment in Python code."""
    comments = [(number, found[1].strip()) for number, text in _lines(code) if (found := _NOSEC.search(text))]
    by_line = _by_line(analyse(code)) if comments else {}
    return tuple(
        _judged(number, f"nosec {names or '(all tests)'}", by_line.get(number, []))
        for number, names in comments[:MAX_RESULTS]
    )


def _lines(code: str) -> Iterable[tuple[int, str]]:
    return enumerate(code.split("\n"), 1)


def _by_line(violations: Iterable[Violation]) -> dict[int, list[Violation]]:
    found: dict[int, list[Violation]] = {}
    for violation in violations:
        found.setdefault(violation.span.line, []).append(violation)
    return found


def _judged(line: int, text: str, violations: list[Violation]) -> ImportedEntry:
    grave = sorted({f"{one.rule} ({one.severity})" for one in violations if one.severity is not Level.LOW})
    if not violations:
        return covered(line, text, "the analysis finds nothing here")
    if not grave:
        return covered(line, text, "what the analysis finds here is LOW, which nobody has to accept")
    reason = "stays a finding: its author wrote the comment, a reviewer accepts it with --triage"
    return left_out(line, text, f"{', '.join(grave)} {reason}")


def read_baseline(file: Path, content: bytes, analyse: Analyse) -> tuple[ImportedEntry, ...]:
    """Return what becomes of each result of a baseline; its code is analysed as far as the baseline has it.

    Raises:
        PolicyError: it is no baseline.
    """
    try:
        baseline = json.loads(content)
    except (ValueError, RecursionError):
        raise PolicyError(Fault(Place(file), "not JSON")) from None
    results = baseline.get("results") if isinstance(baseline, dict) else None
    if not isinstance(results, list):
        raise PolicyError(Fault(Place(file), "no baseline of bandit: there is no list `results`"))
    if len(results) > MAX_RESULTS:
        raise PolicyError(Fault(Place(file), f"more than {MAX_RESULTS} results"))
    return tuple(_results(results, analyse))


def _results(results: list[Any], analyse: Analyse) -> Iterator[ImportedEntry]:
    for number, result in enumerate(results, 1):
        said = result if isinstance(result, dict) else {}
        code = said.get("code")
        names = [_word(said.get(key)) for key in ("test_id", "filename", "line_number")]
        text = f"{names[0]} in {names[1]}:{names[2]}"
        if not isinstance(code, str) or not isinstance(said.get("line_number"), int):
            yield left_out(number, text, "the baseline does not have its code")
        else:
            yield _judged(number, text, _at(code, said["line_number"], analyse))


def _word(value: Any) -> str:
    return str(value) if isinstance(value, str | int) else "?"


def _at(code: str, line: int, analyse: Analyse) -> list[Violation]:
    """Return what the analysis finds in a line of a numbered excerpt."""
    numbers = [int(number[:9]) for number in _NUMBERED.findall(code)]
    plain = textwrap.dedent(_NUMBERED.sub("", code))
    found = _by_line(analyse(plain))
    return found.get(numbers.index(line) + 1, []) if line in numbers else []

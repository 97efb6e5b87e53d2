"""How much of what is found in risky code is found again where its functions and modules travel as values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from engine.analysis import analyse
from engine.models import Language, Level
from tests.benchmarks.corpora import Sample
from tests.benchmarks.detection import Measure, of
from tests.engine.analysis import passed_values, passed_values_javascript

_ASKED = 95.0
_REWRITES: Mapping[Language, Callable[[str], dict[tuple[str, str], str]]] = {
    Language.PYTHON: passed_values.passed,
    Language.JAVASCRIPT: passed_values_javascript.passed,
}


def kept(cases: Sequence[Sample]) -> Iterator[Measure]:
    """Yield the share of rewrites that keep a category of MEDIUM or above: of all, and of each way."""
    every: Counter[str] = Counter()
    same: Counter[str] = Counter()
    for case in of(cases, "core"):
        wanted = _categories(case.code, case.language)
        for (way, _), code in _rewritten(case).items() if wanted else ():
            every[way] += 1
            same[way] += bool(wanted & _categories(code, case.language))
    if every:
        yield Measure(f"rewrites ({every.total():,})", 100 * same.total() / every.total(), _ASKED)
    yield from (Measure(f"rewrites: {way}", 100 * same[way] / count, _ASKED) for way, count in every.items())


def _rewritten(case: Sample) -> dict[tuple[str, str], str]:
    """Return the rewrites of code; none of code that does not parse, or in another language."""
    rewrite = _REWRITES.get(case.language)
    try:
        return rewrite(case.code) if rewrite is not None else {}
    except (SyntaxError, ValueError, RecursionError):
        return {}


def _categories(code: str, language: Language) -> set[str]:
    violations = analyse(code, language).violations
    return {one.category for one in violations if one.severity.rank >= Level.MEDIUM.rank}

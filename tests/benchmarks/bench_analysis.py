"""Detection rate, false positives and speed of the analysis, compared with bandit and ruff.

python -m tests.benchmarks.bench_analysis [--corpus FOLDER]
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from statistics import mean

from engine.analysis import analyse
from engine.models import Language, Level
from tests.benchmarks import hostile_run
from tests.benchmarks.__main__ import table
from tests.benchmarks.corpora import Sample, folder, made_up, samples
from tests.benchmarks.peers import Bandit, ruff_flags
from tests.benchmarks.row import Row, percentiles

_NONE = -1
_HOSTILE = 10_000
_ASKED = {
    Language.PYTHON: (93.0, 1.0),
    Language.JAVASCRIPT: (80.0, 1.0),
    Language.SHELL: (75.0, 2.0),
}
_CATEGORIES = {"escape_gadget": 85.0, "resource": 80.0, "deserialization": 68.0}
_HEADINGS = ("tier", "category", "samples", "flagged", "by cluster", "bandit", "ruff")


class Verdicts:
    """The analyses of all samples of a language."""

    def __init__(self, cases: Sequence[Sample]) -> None:
        self.cases = cases
        self.levels: dict[str, int] = {}
        for case in cases:
            analysis = analyse(case.code, case.language)
            ranks = (violation.severity.rank for violation in analysis.violations)
            self.levels[case.id] = max(ranks, default=_NONE)

    def flagged(self, case: Sample, level: Level = Level.MEDIUM) -> bool:
        """Whether a sample has a violation of at least `level`."""
        return self.levels[case.id] >= level.rank


@cache
def _verdicts(language: Language, root: Path) -> Verdicts:
    return Verdicts(samples(root, language))


def share(flags: Iterable[bool]) -> float:
    """Return the share of true values, in percent."""
    values = list(flags)
    return 100 * mean(values) if values else 0.0


def by_cluster(cases: Iterable[Sample], flagged: Callable[[Sample], bool]) -> float:
    """Return the mean over near-duplicate clusters of the share that is flagged, in percent."""
    clusters: dict[str, list[bool]] = defaultdict(list)
    for case in cases:
        clusters[case.cluster].append(flagged(case))
    return 100 * mean(mean(flags) for flags in clusters.values()) if clusters else 0.0


def _of(cases: Sequence[Sample], tier: str, category: str = "") -> list[Sample]:
    return [case for case in cases if case.tier == tier and category in ("", case.category)]


# --- the report ---


def report(root: Path) -> Iterator[str]:
    """Yield the tables of every language."""
    for language in Language:
        cases = samples(root, language)
        if cases:
            yield from _language(language, root, cases)


def _language(language: Language, root: Path, cases: list[Sample]) -> Iterator[str]:
    verdicts = _verdicts(language, root)
    peers = _peers(cases) if language is Language.PYTHON else {}
    yield f"\n{language}: {len(cases)} samples"
    yield "".join(f"{heading:>18}" for heading in _HEADINGS)
    tiers = sorted({case.tier for case in cases})
    for tier in tiers:
        for category in ("", *sorted({case.category for case in _of(cases, tier)})):
            yield _line(verdicts, tier, category, peers)
    capable = _of(cases, "capability")
    high = share(verdicts.flagged(case, Level.HIGH) for case in capable)
    yield f"capability at HIGH or above: {high:.1f} % of {len(capable)}"
    for case in _of(cases, "core"):
        if not verdicts.flagged(case):
            yield f"  missed {case.category}: {case.id}"
    for case in _of(cases, "plain"):
        if verdicts.flagged(case):
            yield f"  false positive: {case.id}"


def _peers(cases: list[Sample]) -> dict[str, set[str]]:
    bandit = Bandit()
    flagged = ruff_flags([case.code for case in cases])
    return {
        "bandit": {case.id for case in cases if bandit.flags(case.code)},
        "ruff": {case.id for case, flag in zip(cases, flagged, strict=True) if flag},
    }


def _line(verdicts: Verdicts, tier: str, category: str, peers: dict[str, set[str]]) -> str:
    chosen = _of(verdicts.cases, tier, category)
    cells = [tier, category or "all", str(len(chosen))]
    cells.append(f"{share(map(verdicts.flagged, chosen)):.1f} %")
    cells.append(f"{by_cluster(chosen, verdicts.flagged):.1f} %")
    cells += [f"{share(case.id in found for case in chosen):.1f} %" for found in peers.values()]
    return "".join(f"{cell:>18}" for cell in cells)


# --- the rows ---


async def rows(root: Path | None = None) -> list[Row]:
    """Measure detection if there is a corpus, and speed."""
    root = root or folder()
    found = [row for language in Language for row in _recall(language, root)]
    return [*found, *_speed(), *_throughput(root)]


async def _all_rows(root: Path) -> list[Row]:
    """Measure everything, including hostile files, which take minutes."""
    return [*await rows(root), *await _hostile()]


async def _hostile() -> list[Row]:
    """Analyze files made to break an analyzer, and count those that do."""
    outcome = await hostile_run.run(_HOSTILE)
    sys.stdout.writelines(f"{line}\n" for line in outcome.lines())
    return [_count(f"hostile: {name}", len(ones)) for name, ones in outcome.faults.items()]


def _count(name: str, value: int) -> Row:
    return Row(name, value, value, value, f"of {_HOSTILE:,}", None, None, "0", value == 0)


def _recall(language: Language, root: Path) -> Iterator[Row]:
    cases = samples(root, language)
    if not cases:
        return
    verdicts = _verdicts(language, root)
    recall, alarms = _ASKED[language]
    core = _of(cases, "core")
    yield _percent(f"{language}: recall", share(map(verdicts.flagged, core)), at_least=recall)
    plain = share(map(verdicts.flagged, _of(cases, "plain")))
    yield _percent(f"{language}: false positives", plain, at_most=alarms)
    if language is not Language.PYTHON:
        return
    capable = share(verdicts.flagged(case, Level.HIGH) for case in _of(cases, "capability"))
    yield _percent("python: capable code at HIGH", capable, at_most=5.0)
    categories = sorted({case.category for case in core})
    clusters = {name: by_cluster(_of(cases, "core", name), verdicts.flagged) for name in categories}
    yield _percent("python: mean over clusters", mean(clusters.values()), at_least=90.0)
    for name, value in clusters.items():
        if name in _CATEGORIES:
            yield _percent(f"python: {name}", value, at_least=_CATEGORIES[name])


def _percent(name: str, value: float, *, at_least: float | None = None, at_most: float | None = None) -> Row:
    passed = value >= at_least if at_least is not None else value <= (at_most or 0.0)
    target = f">= {at_least:g} %" if at_least is not None else f"<= {at_most:g} %"
    return Row(name, value, value, value, "%", None, None, target, passed)


def _speed() -> Iterator[Row]:
    snippets = [made_up(lines) for lines in (20, 40, 60, 80, 120)] * 8
    bandit = Bandit()
    for code in snippets[:5]:
        analyse(code, Language.PYTHON)
        bandit.read(code)
    gc.collect()
    gc.freeze()
    ours, theirs = [], []
    for code in snippets:
        ours.append(_milliseconds(partial(analyse, code, Language.PYTHON)))
        theirs.append(_milliseconds(partial(bandit.read, code)))
    ratio = sum(theirs) / sum(ours)
    baseline = percentiles(theirs)[0]
    yield Row("analysis against bandit", *percentiles(ours), "ms", baseline, ratio, ">= 5x", ratio >= 5)
    p99 = percentiles(ours)[2]
    yield Row("analysis of a snippet", *percentiles(ours), "ms", None, None, "p99 <= 10 ms", p99 <= 10)
    yield _pace("analysis throughput, made-up code", snippets, sum(ours))
    for language in Language:
        large = made_up(5000, language)
        times = [_milliseconds(partial(analyse, large, language)) for _ in range(5)]
        p50 = percentiles(times)[0]
        name = f"analysis of 5,000 lines of {language}"
        yield Row(name, *percentiles(times), "ms", None, None, "< 250 ms", p50 < 250)


def _throughput(root: Path) -> Iterator[Row]:
    """Measure the benign code of the corpus."""
    ordinary = ("plain", "capability")
    codes = [case.code for case in samples(root, Language.PYTHON) if case.tier in ordinary]
    if codes:
        times = [_milliseconds(partial(analyse, code, Language.PYTHON)) for code in codes]
        yield _pace("analysis throughput, real code", codes, sum(times))


def _pace(name: str, codes: Sequence[str], milliseconds: float) -> Row:
    speed = sum(map(len, codes)) / 1e3 / milliseconds
    return Row(name, speed, speed, speed, "MB/s", None, None, ">= 3 MB/s", speed >= 3)


def _milliseconds(work: Callable[[], object]) -> float:
    """Return the CPU time of `work`."""
    started = time.process_time()
    work()
    return (time.process_time() - started) * 1000


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", help="the folder of the corpora")
    root = folder(parser.parse_args().corpus)
    if not root.is_dir():
        sys.stdout.write(f"no corpora in {root}: speed only\n")
    for line in report(root):
        sys.stdout.write(f"{line}\n")
    sys.stdout.writelines(f"{line}\n" for line in table(asyncio.run(_all_rows(root))))


if __name__ == "__main__":
    main()

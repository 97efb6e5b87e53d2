"""Detection rate, false positives and speed of the analysis, compared with bandit and ruff.

python -m tests.benchmarks.bench_analysis [--corpus FOLDER]
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import mean

from engine.analysis import analyse
from engine.models import Language
from tests.benchmarks import hostile_run
from tests.benchmarks.__main__ import table
from tests.benchmarks.corpora import Sample, folder, made_up, samples
from tests.benchmarks.detection import Measure, Verdicts, by_cluster, matrix, measures, of, share, verdicts
from tests.benchmarks.peers import Bandit, ruff_flags
from tests.benchmarks.rewrites import kept
from tests.benchmarks.row import Row, percentiles

_HOSTILE = 10_000
_CATEGORIES = {"escape_gadget": 85.0, "resource": 80.0, "deserialization": 68.0}
_HEADINGS = ("tier", "category", "samples", "flagged", "by cluster", "bandit", "ruff")


# --- the report ---


def report(root: Path) -> Iterator[str]:
    """Yield the tables of every language."""
    for language in Language:
        cases = samples(root, language)
        if cases:
            yield from _language(language, root, cases)
    yield from matrix({language: verdicts(language, root) for language in Language})


def _language(language: Language, root: Path, cases: list[Sample]) -> Iterator[str]:
    found = verdicts(language, root)
    peers = _peers(cases) if language is Language.PYTHON else {}
    yield f"\n{language}: {len(cases)} samples"
    yield "".join(f"{heading:>18}" for heading in _HEADINGS)
    tiers = sorted({case.tier for case in cases})
    for tier in tiers:
        for category in ("", *sorted({case.category for case in of(cases, tier)})):
            yield _line(found, tier, category, peers)
    for case in of(cases, "core"):
        if not found.flagged(case):
            yield f"  missed {case.category}: {case.id}"
    for case in of(cases, "plain"):
        if found.flagged(case):
            yield f"  false positive: {case.id}"


def _cell(value: float | None) -> str:
    return f"{value or 0.0:.1f} %"


def _peers(cases: list[Sample]) -> dict[str, set[str]]:
    bandit = Bandit()
    flagged = ruff_flags([case.code for case in cases])
    return {
        "bandit": {case.id for case in cases if bandit.flags(case.code)},
        "ruff": {case.id for case, flag in zip(cases, flagged, strict=True) if flag},
    }


def _line(found: Verdicts, tier: str, category: str, peers: dict[str, set[str]]) -> str:
    chosen = of(found.cases, tier, category)
    cells = [tier, category or "all", str(len(chosen))]
    cells.append(_cell(share(map(found.flagged, chosen))))
    cells.append(_cell(by_cluster(chosen, found.flagged)))
    cells += [_cell(share(case.id in flagged for case in chosen)) for flagged in peers.values()]
    return "".join(f"{cell:>18}" for cell in cells)


# --- the rows ---


async def rows(root: Path | None = None) -> list[Row]:
    """Measure detection if there is a corpus, and speed."""
    root = root or folder()
    found = [row for language in Language for row in _recall(language, root)]
    return [*found, *_speed(), *(row for language in Language for row in _real_code(language, root))]


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
    found = verdicts(language, root)
    yield from (_row(language, one) for one in measures(found, language) if one.value is not None)
    yield from (_row(language, one) for one in kept(cases))
    if language is not Language.PYTHON:
        return
    core = of(cases, "core")
    categories = sorted({case.category for case in core})
    clusters = {name: by_cluster(of(cases, "core", name), found.flagged) or 0.0 for name in categories}
    yield _row(language, Measure("mean over clusters", mean(clusters.values()), 90.0))
    for name, value in clusters.items():
        if name in _CATEGORIES:
            yield _row(language, Measure(name, value, _CATEGORIES[name]))


def _row(language: Language, one: Measure) -> Row:
    value = one.value or 0.0
    return Row(f"{language}: {one.name}", value, value, value, one.unit, None, None, one.target, one.passed)


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


def _real_code(language: Language, root: Path) -> Iterator[Row]:
    """Measure the benign code of the corpus, each Python sample next to bandit."""
    codes = [case.code for case in samples(root, language) if case.tier in ("plain", "capability")]
    if not codes:
        return
    times = [_milliseconds(partial(analyse, code, language)) for code in codes]
    p99 = percentiles(times)[2]
    yield Row(
        f"{language}: a benign sample", *percentiles(times), "ms", None, None, "p99 <= 20 ms", p99 <= 20
    )
    if language is Language.PYTHON:
        bandit = Bandit()
        theirs = sum(_milliseconds(partial(bandit.read, code)) for code in codes)
        ours = sum(_milliseconds(partial(analyse, code, language)) for code in codes)
        ratio = theirs / ours
        yield Row("python: benign code", ours, ours, ours, "ms", theirs, ratio, ">= 5x", ratio >= 5)
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

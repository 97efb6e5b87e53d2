"""`python -m tests.benchmarks [FILE [NAME...]]`: run benchmarks, print a table, write FILE (bench.json).

Every `bench_*.py` has `async def rows()`, which returns or yields rows; NAME is the part after `bench_`.
Each row is printed as it comes, and all of them at the end.
Without names, runs all but those that take minutes.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
import traceback
from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from tests.benchmarks.row import Row

LONG = frozenset({"drafts", "soak"})
"""Benchmarks that run only by name."""
_HEADINGS = ("", "p50", "p95", "p99", "unit", "baseline", "ratio", "target", "passed")


def main(target: Path, chosen: Sequence[str]) -> int:
    """Run the benchmarks; return 1 if one of them failed to run."""
    measured, broken = list[Row](), list[str]()
    for name in chosen or names():
        sys.stderr.write(f"measuring: {name}\n")
        try:
            found = importlib.import_module(f"tests.benchmarks.bench_{name}").rows()
            asyncio.run(_collect(found, measured))
        except Exception:
            traceback.print_exc()
            broken.append(name)
    target.write_text(json.dumps([asdict(row) for row in measured], indent=2) + "\n")
    sys.stdout.writelines(f"{line}\n" for line in table(measured))
    judged = [row for row in measured if row.passed is not None]
    sys.stdout.write(
        f"{sum(bool(row.passed) for row in judged)} of {len(judged)} targets reached: {target}\n"
    )
    if broken:
        sys.stdout.write(f"failed with the errors above: {', '.join(broken)}\n")
    return 1 if broken else 0


async def _collect(found: Awaitable[list[Row]] | AsyncIterator[Row], measured: list[Row]) -> None:
    """Take rows, and print each."""
    if isinstance(found, AsyncIterator):
        async for row in found:
            _take(row, measured)
    else:
        for row in await found:
            _take(row, measured)


def _take(row: Row, measured: list[Row]) -> None:
    measured.append(row)
    sys.stderr.write("  ".join(_cells(row)) + "\n")


def names() -> list[str]:
    """Return the names of all benchmarks except the long ones."""
    files = Path(__file__).parent.glob("bench_*.py")
    return sorted({file.stem.removeprefix("bench_") for file in files} - LONG)


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Return the aligned lines of a table: text to the left, numbers to the right."""
    cells = [_HEADINGS, *(_cells(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    left = {0, 4, 7, 8}
    for line in cells:
        padded = (
            cell.ljust(width) if index in left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        yield "  ".join(padded).rstrip()


def _cells(row: Row) -> tuple[str, ...]:
    passed = {None: "", True: "yes", False: "NO"}[row.passed]
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}x"
    numbers = (_number(value) for value in (row.p50, row.p95, row.p99))
    return (row.name, *numbers, row.unit, _number(row.baseline), ratio, row.target, passed)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


if __name__ == "__main__":
    file, *wanted = sys.argv[1:] or ["bench.json"]
    sys.exit(__doc__ if file.startswith("-") else main(Path(file), wanted))

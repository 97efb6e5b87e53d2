"""`python -m tests.benchmarks [FILE [NAME...]]`: measure, print a table, write FILE (bench.json).

Every `bench_*.py` beside this file has `async def rows() -> list[Row]`; NAMEs are those without prefix.
Without any, all are measured but those that take minutes.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from tests.benchmarks.row import Row

LONG = frozenset({"soak"})
"""Benchmarks that are measured only by name."""
_HEADINGS = ("", "p50", "p95", "p99", "unit", "baseline", "ratio", "asked", "holds")


def main(target: Path, chosen: Sequence[str]) -> int:
    """Run the benchmarks and return 1 where one of them failed to measure."""
    measured, broken = [], []
    for name in chosen or names():
        sys.stderr.write(f"measuring: {name}\n")
        try:
            measured += asyncio.run(importlib.import_module(f"tests.benchmarks.bench_{name}").rows())
        except Exception:
            traceback.print_exc()
            broken.append(name)
    target.write_text(json.dumps([asdict(row) for row in measured], indent=2) + "\n")
    sys.stdout.writelines(f"{line}\n" for line in table(measured))
    asked = [row for row in measured if row.holds is not None]
    sys.stdout.write(
        f"{sum(bool(row.holds) for row in asked)} of {len(asked)} asked numbers hold: {target}\n"
    )
    if broken:
        sys.stdout.write(f"not measured, for an error above: {', '.join(broken)}\n")
    return 1 if broken else 0


def names() -> list[str]:
    """Return the names of all benchmarks but the long ones."""
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
    holds = {None: "", True: "yes", False: "NO"}[row.holds]
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}x"
    numbers = (_number(value) for value in (row.p50, row.p95, row.p99))
    return (row.name, *numbers, row.unit, _number(row.baseline), ratio, row.asked, holds)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


if __name__ == "__main__":
    file, *wanted = sys.argv[1:] or ["bench.json"]
    sys.exit(__doc__ if file.startswith("-") else main(Path(file), wanted))

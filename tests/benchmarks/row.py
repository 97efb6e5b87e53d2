"""The result of a benchmark: measured values, target and baseline."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    p50: float
    p95: float
    p99: float
    unit: str
    baseline: float | None
    """The same work without Pratique, measured in the same run."""
    ratio: float | None
    """The baseline over the median: how many times better."""
    target: str
    passed: bool | None
    """None without a target."""


def percentiles(samples: Sequence[float]) -> tuple[float, float, float]:
    """Return the 50th, 95th and 99th percentile."""
    if len(samples) < 2:
        return samples[0], samples[0], samples[0]
    cuts = statistics.quantiles(samples, n=100, method="inclusive")
    return cuts[49], cuts[94], cuts[98]


def told(*rows: Row) -> list[Row]:
    """Print rows as soon as they are measured: a benchmark that is ended later has not measured in vain."""
    for row in rows:
        passed = {None: "", True: "reached", False: "MISSED"}[row.passed]
        sys.stderr.write(
            f"{row.name}: p50 {row.p50:.1f}, p95 {row.p95:.1f} {row.unit}  {row.target} {passed}\n"
        )
    return list(rows)

"""`python -m tests.faults`: every call site with every fault, as a table."""

from __future__ import annotations

import argparse
import asyncio
import logging
from collections.abc import Sequence

from engine.analysis_pool import AnalysisPool
from tests.faults.injection import FAULTS, bounded_faults
from tests.faults.scenario import Outcome, play, sites


async def _table(*, bounded: bool) -> list[Outcome]:
    pool = AnalysisPool()
    try:
        names, without = await sites(pool)
        print(f"{len(names)} call sites; without a fault: {without.result}")
        wanted = bounded_faults(names) if bounded else [(site, fault) for site in names for fault in FAULTS]
        outcomes = []
        for site, fault in wanted:
            outcomes.append(await play(pool, site, fault))
            print(_row(outcomes[-1]), flush=True)
    finally:
        await pool.close()
    return outcomes


def _row(one: Outcome) -> str:
    told = "told" if one.told else "nothing failed" if one.recovers_unseen else "NOT TOLD"
    kill = f"{one.brake_seconds:4.2f}" if one.brake_seconds else "   -"
    measured = f"{told:<14} {kill} {one.recovery_seconds:5.2f}"
    return f"{one.site:<88} {one.fault:<9} {one.hits:>3} {measured} {one.result}"


def _summary(outcomes: Sequence[Outcome]) -> str:
    broken = [one for one in outcomes if one.broken]
    kills = sorted(one.brake_seconds for one in outcomes if one.brake_seconds)
    recoveries = sorted(one.recovery_seconds for one in outcomes)
    return (
        f"{len({one.site for one in outcomes})} call sites, {len(outcomes)} faults, {len(broken)} broken; "
        f"kill to gone p95 {_p95(kills):.2f} s (asked 3), recovery p95 {_p95(recoveries):.2f} s (asked 10)"
    )


def _p95(sorted_values: Sequence[float]) -> float:
    return sorted_values[int(len(sorted_values) * 0.95)] if sorted_values else 0.0


def main() -> int:
    """Print the table; return 1 where an invariant is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bounded", action="store_true", help="the part that the tests run")
    logging.disable(logging.CRITICAL)
    print(f"{'call site':<88} {'fault':<9} hit {'told':<14} kill recov result")
    outcomes = asyncio.run(_table(bounded=parser.parse_args().bounded))
    print(_summary(outcomes))
    return int(any(one.broken for one in outcomes))


if __name__ == "__main__":
    raise SystemExit(main())

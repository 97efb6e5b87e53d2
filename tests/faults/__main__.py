"""`python -m tests.faults`: every call site with every fault, as a table."""

from __future__ import annotations

import argparse
import asyncio
import logging
from collections.abc import Sequence

from engine.analysis_pool import AnalysisPool
from tests.faults.egress import egress_sites, play_egress
from tests.faults.injection import FAULTS, bounded_faults
from tests.faults.outcome import Outcome
from tests.faults.scenario import in_postgres, play, postgres_sites, sites


async def _table(*, bounded: bool, postgres: bool) -> list[Outcome]:
    pool = AnalysisPool()
    outcomes: list[Outcome] = []

    def note(outcome: Outcome) -> None:
        outcomes.append(outcome)
        print(_row(outcome), flush=True)

    try:
        if postgres:
            for site in await postgres_sites(pool):
                note(await play(pool, site, "lost", open_history=in_postgres))
            return outcomes
        names, without = await sites(pool)
        print(f"{len(names)} call sites; without a fault: {without.result}")
        for site, fault in _wanted(names, bounded=bounded):
            note(await play(pool, site, fault))
        for site, fault in _wanted(await egress_sites(), bounded=bounded):
            note(await play_egress(site, fault))
    finally:
        await pool.close()
    return outcomes


def _wanted(names: Sequence[str], *, bounded: bool) -> list[tuple[str, str]]:
    return bounded_faults(names) if bounded else [(site, fault) for site in names for fault in FAULTS]


def _by_file(outcomes: Sequence[Outcome]) -> str:
    """Return how many call sites of each file were tried, with how many faults."""
    files: dict[str, list[Outcome]] = {}
    for one in outcomes:
        files.setdefault(one.site.rpartition("< ")[2].split(":")[0].split("] ")[-1], []).append(one)
    rows = (
        f"{file:<60} {len({one.site for one in of}):>5} {len(of):>6} {sum(bool(one.broken) for one in of):>6}"
        for file, of in sorted(files.items())
    )
    return "\n".join([f"{'file':<60} sites faults broken", *rows])


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
    parser.add_argument("--postgres", action="store_true", help="the calls of a history in PostgreSQL")
    logging.disable(logging.CRITICAL)
    print(f"{'call site':<88} {'fault':<9} hit {'told':<14} kill recov result")
    chosen = parser.parse_args()
    outcomes = asyncio.run(_table(bounded=chosen.bounded, postgres=chosen.postgres))
    print(_by_file(outcomes), _summary(outcomes), sep="\n")
    return int(any(one.broken for one in outcomes))


if __name__ == "__main__":
    raise SystemExit(main())

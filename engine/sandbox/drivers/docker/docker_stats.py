"""Resource use of a sandbox as Docker reports it, for an engine on another host. Pure."""

from __future__ import annotations

from typing import Any

from engine.sandbox.api.driver import ResourceUsage


def usage_of(stats: dict[str, Any]) -> ResourceUsage | None:
    """Read one answer of Docker's `stats`; None where the container is gone."""
    memory = stats.get("memory_stats") or {}
    if "usage" not in memory:
        return None
    now = int(memory["usage"])
    return ResourceUsage(
        cpu_seconds=stats["cpu_stats"]["cpu_usage"]["total_usage"] / 1e9,
        memory=now,
        memory_peak=max(now, int(memory.get("max_usage", 0))),
        tasks=int((stats.get("pids_stats") or {}).get("current", 0)),
        oom_kills=0,
        pids_limit_hits=0,
    )

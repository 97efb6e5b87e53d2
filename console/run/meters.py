"""The resource meters of a run: now, at peak, and over the last minute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from textual.widgets import Static

from console.run.usage import MEBI, UsageHistory, hosts_of, limits_of
from console.safety.text import Part, clip, paragraphs
from console.widgets.formatting import bar, clock, now, size
from engine.common.text import many
from engine.models import Case, Limits, Meters

FRAME_SECONDS = 0.2
"""Meters are drawn at most five times a second."""
TITLE_CELLS = 11
WORDS_CELLS = 34


@dataclass(frozen=True)
class Gauge:
    """One line of the panel: the share of its limit, the text, and the last minute."""

    title: str
    part: float
    words: str
    past: Callable[[Meters], float] | None = None
    short: str = ""
    """The text where space is short."""


class MeterPanel(Static):
    """CPU, memory, processes, disk, output, network and time; in two columns on a low screen."""

    DEFAULT_CSS = """
    MeterPanel { height: 7; padding: 0 1; background: $background; }
    MeterPanel.-short { height: 4; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._case: Case | None = None
        self._usage = UsageHistory()
        self.paused_seconds: Callable[[str, datetime], float] = lambda _id, _until: 0.0
        """How many seconds a run was paused; they do not count against its time limit."""
        self._drawn: list[list[Part]] = []

    def on_mount(self) -> None:
        """Draw the clock."""
        self.set_interval(FRAME_SECONDS, self._tick)

    def _tick(self) -> None:
        if self.screen.is_current:
            self._draw()

    def on_resize(self) -> None:
        """Fit to the new width."""
        self._drawn = []
        self._draw()

    def show(self, case: Case | None, usage: UsageHistory) -> None:
        """Show a run, running or ended."""
        self._case, self._usage = case, usage
        self._draw()

    def _draw(self) -> None:
        lines = self._lines(self._case) if self._case else []
        if lines != self._drawn:
            self._drawn = lines
            self.update(paragraphs(*lines), layout=False)

    def _lines(self, case: Case) -> list[list[Part]]:
        gauges = self.gauges(case)
        width = self.content_size.width
        if not self.has_class("-short"):
            return [self._line(each, width) for each in gauges]
        half = width // 2
        pairs = zip(gauges[::2], [*gauges[1::2], None], strict=True)
        return [
            [*self._half(left, half), *(self._half(right, half) if right else [])] for left, right in pairs
        ]

    def gauges(self, case: Case) -> list[Gauge]:
        """Return the gauges of a run, running or ended."""
        limits, last, result = limits_of(case), self._usage.last, case.result
        still = last if result is None else None
        cpu, memory = (still.cpu, still.memory) if still else (0.0, 0)
        processes, disk = (still.processes if still else 0), (last.disk if last else None)
        peak = max(last.memory_peak if last else 0, result.memory_peak if result else 0)
        written = result.stdout_bytes + result.stderr_bytes if result else last.output if last else 0
        return [
            Gauge("CPU", cpu / limits.cpus, _cpu(cpu, limits, case), lambda at: at.cpu / limits.cpus),
            Gauge("memory", (memory if result is None else peak) / (limits.memory_mb * MEBI),
                  f"{_mebi(memory)}, peak {_mebi(peak)} of {limits.memory_mb} MiB" if result is None
                  else f"peak {size(peak)} of {limits.memory_mb} MiB",
                  lambda at: at.memory / (limits.memory_mb * MEBI),
                  f"{_mebi(memory)} ↑{_mebi(peak)} of {limits.memory_mb} MiB" if result is None
                  else f"peak {_mebi(peak)} of {limits.memory_mb} MiB"),
            Gauge("processes", processes / limits.processes, f"{processes} of {limits.processes}",
                  lambda at: at.processes / limits.processes),
            Gauge("disk", (disk or 0) / (limits.disk_mb * MEBI), f"{size(disk)} of {limits.disk_mb} MiB",
                  lambda at: (at.disk or 0) / (limits.disk_mb * MEBI)),
            Gauge("output", written / (limits.output_kb * 1024), f"{size(written)} of {limits.output_kb} KiB",
                  lambda at: at.output / (limits.output_kb * 1024)),
            Gauge("network", 0, _network(hosts_of(case), last.network if last else None)),
            _time(case, limits, self.paused_seconds),
        ]  # fmt: skip

    def _line(self, gauge: Gauge, width: int) -> list[Part]:
        cells = max(8, min(30, width // 4))
        parts: list[Part] = [(f"{gauge.title:<{TITLE_CELLS}}", "muted"), *_bar(gauge, cells)]
        parts.append(f"  {clip(gauge.words, WORDS_CELLS - 1):<{WORDS_CELLS}}")
        if gauge.past is not None:
            left = width - cells - TITLE_CELLS - WORDS_CELLS - 3
            parts.append((self._usage.past(gauge.past, left), "primary"))
        return parts

    def _half(self, gauge: Gauge, width: int) -> list[Part]:
        cells = max(5, (width - TITLE_CELLS) // 4)
        left = width - cells - TITLE_CELLS
        words = gauge.words if len(gauge.words) < left else gauge.short or gauge.words
        return [
            (f"{gauge.title:<{TITLE_CELLS}}", "muted"),
            *_bar(gauge, cells),
            f" {clip(words, left - 2):<{left - 1}}",
        ]


def _bar(gauge: Gauge, cells: int) -> list[tuple[str, str]]:
    calm = "primary" if gauge.title == "time" else "success"
    style = "error" if gauge.part > 0.9 else "warning" if gauge.part > 0.7 else calm
    return bar(gauge.part, cells, style)


def _mebi(amount: int) -> int:
    return amount // MEBI


def _cpu(cpu: float, limits: Limits, case: Case) -> str:
    if case.result is not None:
        return f"total {case.result.cpu_seconds:.2f} s"
    return f"{cpu:.2f} of {limits.cpus:g} {'core' if limits.cpus == 1 else 'cores'}"


def _network(hosts: int, moved: int | None) -> str:
    if not hosts:
        return "none"
    granted = f"{many(hosts, 'host')} granted"
    return granted if moved is None else f"{size(moved)}, {granted}"


def _time(case: Case, limits: Limits, paused_seconds: Callable[[str, datetime], float]) -> Gauge:
    if case.result is not None:
        words = f"took {case.result.duration:.2f} s of {limits.seconds:g} s"
        return Gauge("time", case.result.duration / limits.seconds, words)
    if case.started_at is None:
        return Gauge("time", 0, f"not started, limit {limits.seconds:g} s")
    at = now()
    spent = (at - case.started_at).total_seconds() - paused_seconds(case.submission.id, at)
    return Gauge(
        "time", spent / limits.seconds, f"{clock(limits.seconds - spent)} left of {limits.seconds:g} s"
    )

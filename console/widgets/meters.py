"""What a run uses: now, at most, and over the last minute."""

from __future__ import annotations

from collections import deque

from textual.content import Content
from textual.widgets import Static

from console.text import Part, content
from console.units import bar, clock, now, size
from engine.models import Case, Limits, Meters

HISTORY = 60
BLOCKS = "▁▂▃▄▅▆▇█"
MEBI = 1024 * 1024


class MeterPanel(Static):
    """Five lines: CPU, memory, processes, output, and the time that is left."""

    DEFAULT_CSS = """
    MeterPanel { height: 5; padding: 0 1; background: $background; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._case: Case | None = None
        self._last: Meters | None = None
        self._cpu: deque[float] = deque(maxlen=HISTORY)
        self._memory: deque[float] = deque(maxlen=HISTORY)

    def on_mount(self) -> None:
        """Let the time run."""
        self.set_interval(0.5, self._tick)

    def _tick(self) -> None:
        if self.screen.is_current:
            self._draw()

    def on_resize(self) -> None:
        """Fit to the new width."""
        self._draw()

    def show(self, case: Case | None) -> None:
        """Show another run, or the same one at its end."""
        before = self._case.submission.id if self._case else None
        if case is None or case.submission.id != before:
            self._last = None
            self._cpu.clear()
            self._memory.clear()
        self._case = case
        self._draw()

    def take(self, meters: Meters) -> None:
        """Take a sample."""
        limits = self._limits()
        self._last = meters
        self._cpu.append(meters.cpu / limits.cpus)
        self._memory.append(meters.memory / (limits.memory_mb * MEBI))
        self._draw()

    def _limits(self) -> Limits:
        decision = self._case.decision if self._case else None
        if decision is not None and decision.grant is not None:
            return decision.grant.capabilities.limits
        return self._case.submission.draft.capabilities.limits if self._case else Limits()

    def _draw(self) -> None:
        self.update(
            Content("\n").join([content(*line) for line in self._lines()]) if self._case else content()
        )

    def _lines(self) -> list[list[Part]]:
        limits, last, case = self._limits(), self._last, self._case
        result = case.result if case else None
        memory = last.memory if last else 0
        peak = max(last.memory_peak if last else 0, result.memory_peak if result else 0)
        written = last.output if last else 0
        if result is not None:
            memory, written = 0, result.stdout_bytes + result.stderr_bytes
        cpu = 0.0 if result or last is None else last.cpu
        return [
            self._line("CPU", cpu / limits.cpus, f"{cpu:.2f} of {limits.cpus:g} cores", self._cpu),
            self._line("memory", memory / (limits.memory_mb * MEBI),
                       f"{size(memory)}, peak {size(peak)} of {limits.memory_mb} MiB", self._memory),
            self._line("processes", (last.processes if last and not result else 0) / limits.processes,
                       f"{last.processes if last and not result else 0} of {limits.processes}"),
            self._line("output", written / (limits.output_kb * 1024),
                       f"{size(written)} of {limits.output_kb} KiB"),
            self._time(limits),
        ]  # fmt: skip

    def _line(self, title: str, part: float, words: str, past: deque[float] | None = None) -> list[Part]:
        cells = max(8, min(30, self.content_size.width // 4))
        parts: list[Part] = [(f"{title:<10}", "muted"), *bar(part, cells, _ink(part)), f"  {words:<36}"]
        if past and self.content_size.width > 80:
            parts.append((spark(list(past), self.content_size.width - cells - 50), "primary"))
        return parts

    def _time(self, limits: Limits) -> list[Part]:
        case = self._case
        if case is None or case.started_at is None:
            return self._line("time", 0, "not started")
        spent = case.result.duration if case.result else (now() - case.started_at).total_seconds()
        left = max(0.0, limits.seconds - spent)
        words = f"took {spent:.2f} s" if case.result else f"{clock(left)} left of {limits.seconds:g} s"
        return self._line("time", spent / limits.seconds, words)


def spark(values: list[float], cells: int) -> str:
    """Return the last `cells` values, each a block as high as its part of the limit."""
    kept = values[-cells:] if cells > 0 else []
    return "".join(BLOCKS[min(7, max(0, int(value * 8)))] for value in kept)


def _ink(part: float) -> str:
    return "error" if part > 0.9 else "warning" if part > 0.7 else "success"

"""The timing of a replay: which output and samples belong to which time. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from engine.models import Meters, OutputChunk

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)


class Player:
    """A position in a run's time; moving it returns the output and samples in between."""

    def __init__(self, chunks: Sequence[OutputChunk], samples: Sequence[Meters], duration: float) -> None:
        self._chunks = sorted(chunks, key=lambda chunk: chunk.offset)
        self._times = _rising([chunk.at for chunk in self._chunks])
        self._samples = sorted(samples, key=lambda sample: sample.at)
        self._sampled = [sample.at for sample in self._samples]
        self.duration = max([duration, *self._times[-1:], *self._sampled[-1:]])
        self.at = 0.0
        self.speed = 1.0
        self.playing = True

    @property
    def over(self) -> bool:
        """Whether the position is at the end."""
        return self.at >= self.duration

    def advance(self, seconds: float) -> tuple[list[OutputChunk], list[Meters]]:
        """Advance by real seconds times the speed, and return what came; nothing while paused."""
        return self.go(self.at + seconds * self.speed) if self.playing else ([], [])

    def go(self, at: float) -> tuple[list[OutputChunk], list[Meters]]:
        """Advance to `at` and return what came since; from 0 this includes everything at 0."""
        before, self.at = self.at, min(max(at, self.at), self.duration)
        low = before if before > 0 else -1.0
        chunks = self._chunks[bisect_right(self._times, low) : bisect_right(self._times, self.at)]
        samples = self._samples[bisect_right(self._sampled, low) : bisect_right(self._sampled, self.at)]
        return chunks, samples

    def seek(self, at: float) -> tuple[list[OutputChunk], list[Meters]]:
        """Go to any position and return everything up to it."""
        self.at = 0.0
        return self.go(max(0.0, at)) if at > 0 else ([], [])

    def faster(self, step: int) -> None:
        """Take the next higher (1) or lower (-1) speed."""
        place = min(max(0, SPEEDS.index(self.speed) + step), len(SPEEDS) - 1)
        self.speed = SPEEDS[place]


def _rising(times: Sequence[float]) -> list[float]:
    """Return the times made non-decreasing, since output keeps the order of its bytes."""
    rising, last = [], 0.0
    for time in times:
        last = max(last, time)
        rising.append(last)
    return rising

"""A run to be played again: what it wrote and used, in the order of its own time. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from engine.models import Meters, OutputChunk

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)


class Player:
    """Stands at a place in a run's time, and says what came between two places."""

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
        """Whether it stands at the end."""
        return self.at >= self.duration

    def advance(self, seconds: float) -> tuple[list[OutputChunk], list[Meters]]:
        """Go on for so many seconds of the spectator's time, and return what came; nothing while paused."""
        return self.go(self.at + seconds * self.speed) if self.playing else ([], [])

    def go(self, at: float) -> tuple[list[OutputChunk], list[Meters]]:
        """Go on to a later place and return what came after this one; the beginning counts as before all."""
        before, self.at = self.at, min(max(at, self.at), self.duration)
        low = before if before > 0 else -1.0
        chunks = self._chunks[bisect_right(self._times, low) : bisect_right(self._times, self.at)]
        samples = self._samples[bisect_right(self._sampled, low) : bisect_right(self._sampled, self.at)]
        return chunks, samples

    def seek(self, at: float) -> tuple[list[OutputChunk], list[Meters]]:
        """Go to any place and return all that came up to it."""
        self.at = 0.0
        return self.go(max(0.0, at)) if at > 0 else ([], [])

    def faster(self, step: int) -> None:
        """Take the next speed above, or with -1 below."""
        place = min(max(0, SPEEDS.index(self.speed) + step), len(SPEEDS) - 1)
        self.speed = SPEEDS[place]


def _rising(times: Sequence[float]) -> list[float]:
    """Return the times such that none is before an earlier one: streams come in the order of their bytes."""
    rising, last = [], 0.0
    for time in times:
        last = max(last, time)
        rising.append(last)
    return rising

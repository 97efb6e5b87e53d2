"""How much may come in: the size of one submission, and how many of each principal."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from engine.models import Draft
from engine.settings import PolicySettings

MOST_PRINCIPALS = 10_000


def too_large(draft: Draft, settings: PolicySettings) -> str | None:
    """Return what of a draft is over the bounds; None where it is within."""
    size = len(draft.code.text.encode())
    if size > settings.max_code_bytes:
        return f"{size:,} bytes of code; at most {settings.max_code_bytes:,} are taken in"
    if len(draft.files) > settings.max_files:
        return f"{len(draft.files)} input files; at most {settings.max_files} are taken in"
    return None


@dataclass(frozen=True)
class Bucket:
    """A token bucket: how full it was, and when, in seconds of a clock that never goes back."""

    tokens: float
    at: float

    def take(self, now: float, per_second: float, burst: float) -> tuple[Bucket, float]:
        """Return the bucket without one token, and 0; or the bucket as it is, and the seconds to wait."""
        tokens = min(burst, self.tokens + max(0.0, now - self.at) * per_second)
        if tokens >= 1:
            return Bucket(tokens - 1, now), 0.0
        return Bucket(tokens, now), (1 - tokens) / per_second


class Buckets:
    """A bucket for each principal. Those that were used longest ago are forgotten, as they are full again."""

    def __init__(self, per_minute: float, burst: int) -> None:
        self._per_second = per_minute / 60
        self._burst = float(burst)
        self._by_name: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, name: str, now: float) -> float:
        """Take a token of `name`; return 0, or the seconds after which there is one."""
        before = self._by_name.pop(name, Bucket(self._burst, now))
        bucket, wait = before.take(now, self._per_second, self._burst)
        self._by_name[name] = bucket
        if len(self._by_name) > MOST_PRINCIPALS:
            self._by_name.popitem(last=False)
        return wait

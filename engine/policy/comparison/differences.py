"""What two texts have in common, line by line, in time linear in their length whatever they hold."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

Lines = Sequence[str]
Pairs = list[tuple[int, int]]
"""Places of equal lines in the earlier and in the later text, both rising."""
CONTEXT = 3


def matching_lines(before: Lines, after: Lines) -> Pairs:
    """Return which lines stayed: lines that are unique in both texts, and equal lines next to such."""
    start = _common_start(before, after)
    end = _common_start(
        before[: start - 1 if start else None : -1], after[: start - 1 if start else None : -1]
    )
    stop, to = len(before) - end, len(after) - end
    anchors = [(start - 1, start - 1), *_anchors(before, after, start, stop, to), (stop, to)]
    inner = [
        pair for left, right in itertools.pairwise(anchors) for pair in _between(before, after, left, right)
    ]
    kept = [(i, i) for i in range(start)] + inner + [(stop + i, to + i) for i in range(end)]
    return sorted(set(kept) | set(anchors[1:-1]))


def unified_diff(before: Lines, after: Lines) -> str:
    """Return the difference of two texts in the unified format, without the names of files."""
    steps = list(_steps(before, after))
    changed = [place for place, (sign, _) in enumerate(steps) if sign != " "]
    return "\n".join(line for hunk in _hunks(changed, len(steps)) for line in _printed(steps, *hunk))


def _common_start(before: Lines, after: Lines) -> int:
    count = 0
    for one, other in zip(before, after, strict=False):
        if one != other:
            break
        count += 1
    return count


def _anchors(before: Lines, after: Lines, start: int, stop: int, to: int) -> Pairs:
    """Return lines that are unique in the middle of both texts, in the longest order that both share."""
    once = {line for line, count in Counter(before[start:stop]).items() if count == 1}
    once &= {line for line, count in Counter(after[start:to]).items() if count == 1}
    place = {line: number for number, line in enumerate(after[start:to], start) if line in once}
    return _longest_rising([(i, place[before[i]]) for i in range(start, stop) if before[i] in once])


def _longest_rising(pairs: Pairs) -> Pairs:
    ends: list[int] = []
    last: list[int] = []
    above: list[int] = []
    for number, (_, j) in enumerate(pairs):
        length = bisect_left(ends, j)
        above.append(last[length - 1] if length else -1)
        ends[length:] = [j] if length == len(ends) else [j, *ends[length + 1 :]]
        last[length : length + 1] = [number]
    found, number = Pairs(), last[-1] if last else -1
    while number >= 0:
        found.append(pairs[number])
        number = above[number]
    return found[::-1]


def _between(
    before: Lines, after: Lines, left: tuple[int, int], right: tuple[int, int]
) -> Iterator[tuple[int, int]]:
    """Yield equal lines right behind one anchor and right before the next."""
    (i, j), (stop, to) = left, right
    while i + 1 < stop and j + 1 < to and before[i + 1] == after[j + 1]:
        i, j = i + 1, j + 1
        yield i, j
    while stop - 1 > i and to - 1 > j and before[stop - 1] == after[to - 1]:
        stop, to = stop - 1, to - 1
        yield stop, to


def _steps(before: Lines, after: Lines) -> Iterator[tuple[str, str]]:
    i = j = 0
    for kept, same in [*matching_lines(before, after), (len(before), len(after))]:
        yield from (("-", before[number]) for number in range(i, kept))
        yield from (("+", after[number]) for number in range(j, same))
        if kept < len(before):
            yield " ", before[kept]
        i, j = kept + 1, same + 1


def _hunks(changed: Sequence[int], count: int) -> Iterator[tuple[int, int]]:
    """Yield the stretches of steps to print: changes that are close together are one."""
    first = last = -1
    for place in changed:
        if first >= 0 and place - last > 2 * CONTEXT:
            yield max(0, first - CONTEXT), min(count, last + CONTEXT + 1)
            first = place
        first, last = first if first >= 0 else place, place
    if first >= 0:
        yield max(0, first - CONTEXT), min(count, last + CONTEXT + 1)


def _printed(steps: Sequence[tuple[str, str]], first: int, stop: int) -> Iterator[str]:
    old, new = (_count(steps[:first], sign) for sign in "-+")
    removed, added = (_count(steps[first:stop], sign) for sign in "-+")
    yield f"@@ -{old + bool(removed)},{removed} +{new + bool(added)},{added} @@"
    yield from (sign + line for sign, line in steps[first:stop])


def _count(steps: Sequence[tuple[str, str]], sign: str) -> int:
    return sum(one in {" ", sign} for one, _ in steps)

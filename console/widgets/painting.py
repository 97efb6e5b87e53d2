"""Highlights the matches of a pattern in drawn lines."""

from __future__ import annotations

import re
from itertools import pairwise

from rich.segment import Segment
from rich.style import Style


def highlighted(line: list[Segment], pattern: re.Pattern[str], style: Style) -> list[Segment]:
    """Return a line with `style` over every match of `pattern`, across segments."""
    text = "".join(segment.text for segment in line)
    found = [match.span() for match in pattern.finditer(text)]
    if not found:
        return line
    edges = sorted({edge for pair in found for edge in pair})
    result, at = [], 0
    for segment in line:
        end = at + len(segment.text)
        cuts = [at, *(edge for edge in edges if at < edge < end), end]
        for low, high in pairwise(cuts):
            inside = any(start <= low < stop for start, stop in found)
            own = (segment.style or Style.null()) + style if inside else segment.style
            result.append(Segment(text[low:high], own))
        at = end
    return result

"""A run's output as a recording that `asciinema play` plays (asciicast version 2)."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Iterator

from engine.common.text import visible
from engine.models import Case, OutputChunk, Stream

WIDTH, HEIGHT = 120, 32


def recording(case: Case, chunks: Iterable[OutputChunk]) -> Iterator[str]:
    """Yield the lines of the recording; both streams at their own times, control characters made visible."""
    begun = case.started_at or case.submission.submitted_at
    header = {
        "version": 2,
        "width": WIDTH,
        "height": HEIGHT,
        "timestamp": int(begun.timestamp()),
        "title": f"pratique {visible(case.submission.id)}",
    }
    yield json.dumps(header) + "\n"
    decoders = {stream: codecs.getincrementaldecoder("utf-8")(errors="replace") for stream in Stream}
    last = 0.0
    for chunk in chunks:
        text = visible(decoders[chunk.stream].decode(chunk.data), keep="\n\t").replace("\n", "\r\n")
        last = max(last, round(chunk.at, 6))
        if text:
            yield json.dumps([last, "o", text]) + "\n"
    for decoder in decoders.values():
        if text := decoder.decode(b"", final=True):
            yield json.dumps([last, "o", text]) + "\n"

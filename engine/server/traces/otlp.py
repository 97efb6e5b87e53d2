"""Spans as OTLP: the JSON form of the OpenTelemetry protocol, which its collectors take over HTTP. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from engine.server.traces.spans import TraceSpan, Value

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_INTERNAL, _ERROR = 1, 2
"""The kind of a span within one program, and the status of one that failed."""


def otlp(resource: Mapping[str, Value], traces: Iterable[tuple[str, Sequence[TraceSpan]]]) -> bytes:
    """Return the request that exports the traces of submissions, given by their ids."""
    spans = [written for id, trace in traces for written in _trace(id, trace)]
    scope = {"scope": {"name": "pratique"}, "spans": spans}
    whole = {"resource": {"attributes": _attributes(resource)}, "scopeSpans": [scope]}
    return json.dumps({"resourceSpans": [whole]}).encode()


def trace_id(submission: str) -> str:
    """Return the id of the trace of a submission: the same whichever engine exports it."""
    return hashlib.sha256(f"pratique trace\0{submission}".encode()).hexdigest()[:32]


def _span_id(submission: str, name: str) -> str:
    return hashlib.sha256(f"pratique span\0{submission}\0{name}".encode()).hexdigest()[:16]


def _trace(id: str, spans: Sequence[TraceSpan]) -> Iterable[dict[str, Any]]:
    """Yield the spans of a submission: the first is the parent of the others."""
    for span in spans:
        parent = {} if span is spans[0] else {"parentSpanId": _span_id(id, spans[0].name)}
        yield {
            "traceId": trace_id(id),
            "spanId": _span_id(id, span.name),
            **parent,
            "name": span.name,
            "kind": _INTERNAL,
            "startTimeUnixNano": _nanoseconds(span.start),
            "endTimeUnixNano": _nanoseconds(span.end),
            "attributes": _attributes({"pratique.submission": id, **span.attributes}),
            "events": [{"timeUnixNano": _nanoseconds(at), "name": name} for name, at in span.moments],
            "status": {"code": _ERROR} if span.failed else {},
        }


def _attributes(values: Mapping[str, Value]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in values.items()]


def _value(value: Value) -> dict[str, Value]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": value}


def _nanoseconds(moment: datetime) -> str:
    return str((moment - _EPOCH) // timedelta(microseconds=1) * 1000)

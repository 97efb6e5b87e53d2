"""Exports are what other programs read, and hostile text in them does no harm."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from math import isfinite
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.common.text import Untrusted
from engine.history.exports.asciicast import recording
from engine.history.exports.ocsf import record, records
from engine.history.exports.tables import comma_separated, jsonl
from engine.history.search.timeline import timeline
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import Case, Event, OutputChunk, Stream, Summary
from tests.engine.history.conftest import build_case

ALICE = Untrusted("alice")
HOSTILE = "=cmd|' /C calc'!A0\x1b[31m\u202e,\"\n"


async def written(log: SqliteHistoryStore, case: Case) -> tuple[tuple[Summary, ...], tuple[Event, ...]]:
    """Return the summaries and events of a history with this case."""
    data = {"digest": "ab" * 32, "language": "python", "purpose": HOSTILE}
    await log.append("submission.created", case.submission.id, Untrusted(HOSTILE), data, case=case)
    await log.append(
        "submission.assessed", case.submission.id, ALICE, {"risk": "critical", "rules": ["py-eval"]}
    )
    await log.append("engine.started", "", Untrusted("engine"), {})
    await log.append("run.killed", case.submission.id, ALICE, {"reason": "memory", "evidence": ["oom"]})
    return await log.read.summaries(), await log.read.events()


async def test_json_lines_are_ascii_and_whole(
    log: SqliteHistoryStore, make_case: Callable[..., Case]
) -> None:
    """Every event is one line of plain ASCII that reads back as the event."""
    _, events = await written(log, make_case(requester=HOSTILE))
    lines = list(jsonl(events))
    assert all(line.isascii() and line[:-1].isprintable() and line.endswith("\n") for line in lines)
    assert list(events) == [Event.model_validate_json(line) for line in lines]


async def test_csv_is_no_formula_and_no_escape(
    log: SqliteHistoryStore, make_case: Callable[..., Case]
) -> None:
    """A requester whose name is a formula with escapes is a harmless cell of one line."""
    summaries, _ = await written(log, make_case(requester=HOSTILE))
    text = "".join(comma_separated(summaries))
    assert 2 == len(list(csv.reader(io.StringIO(text))))
    row = next(csv.DictReader(io.StringIO(text)))
    assert row["requester"].startswith("'=cmd|")
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert 2 == text.count("\n")


def test_cast_has_header_and_monotonic_times(make_case: Callable[..., Case]) -> None:
    """The recording is asciicast 2: a header, then [time, "o", text] with times that never go back."""
    chunks = [
        OutputChunk(stream=Stream.STDOUT, at=0.1, offset=0, data="ü".encode()[:1]),
        OutputChunk(stream=Stream.STDERR, at=0.3, offset=1, data=b"err\x1b[2J\n"),
        OutputChunk(stream=Stream.STDOUT, at=0.2, offset=9, data="ü".encode()[1:] + b"\xff\xc3"),
    ]
    header, *events = [json.loads(line) for line in recording(make_case(), chunks)]
    assert (2, True, True) == (header["version"], header["width"] > 0, header["height"] > 0)
    assert {"version", "width", "height", "timestamp", "title"} == set(header)
    assert [[0.3, "o", "err␛[2J\r\n"], [0.3, "o", "ü�"], [0.3, "o", "�"]] == events


def is_asciicast(lines: list[str]) -> bool:
    """Say whether this is a recording as the format's second version describes it, to the letter."""
    header, *events = [json.loads(line) for line in lines]
    sizes = [header.pop(name) for name in ("version", "width", "height", "timestamp")]
    assert all(type(size) is int and size > 0 for size in sizes)
    assert (2, ["title"], str) == (sizes[0], list(header), type(header["title"]))
    times = [0.0, *(time for time, _, _ in events)]
    assert all(type(time) is float and isfinite(time) for time in times)
    assert sorted(times) == times
    assert {"o"} >= {code for _, code, _ in events}
    assert all(type(text) is str and text.encode() for _, _, text in events)
    return all(line.isascii() and line.count("\n") == 1 and line.endswith("\n") for line in lines)


CHUNKS = st.lists(
    st.tuples(st.sampled_from(Stream), st.floats(0, 1e6), st.binary(min_size=1, max_size=9)), max_size=9
)


@given(CHUNKS)
def test_whatever_a_run_prints_is_a_recording(chunks: list[tuple[Stream, float, bytes]]) -> None:
    """Any bytes at any times make an asciicast, in which only line ends and tabs control anything."""
    made = [OutputChunk(stream=stream, at=at, offset=0, data=data) for stream, at, data in chunks]
    lines = list(recording(build_case(), made))
    assert is_asciicast(lines)
    said = "".join(json.loads(line)[2] for line in lines[1:])
    assert {"\r", "\n", "\t"} >= {character for character in said if unicodedata.category(character) == "Cc"}


async def test_ocsf_records_say_what_the_schema_requires(
    log: SqliteHistoryStore, make_case: Callable[..., Case]
) -> None:
    """Each record has the base attributes, a type number that fits its class, and its class's own objects."""
    _, events = await written(log, make_case())
    required = {
        6003: {"actor", "api", "src_endpoint"},
        2004: {"finding_info"},
        6002: {"app"},
        1007: {"actor", "device", "process"},
    }
    found = list(records(events))
    assert [6003, 2004, 6002, 1007] == [one["class_uid"] for one in found]
    for one in found:
        assert one["type_uid"] == one["class_uid"] * 100 + one["activity_id"]
        assert one["class_uid"] // 1000 == one["category_uid"]
        assert required[one["class_uid"]] | {"metadata", "severity_id", "time", "category_uid"} <= set(one)
    assert 5 == found[1]["severity_id"]
    assert events[0].hash == record(events[0])["metadata"]["uid"]


async def test_surprises_are_ocsf_findings(log: SqliteHistoryStore) -> None:
    """A run's surprises are one Detection Finding, as grave as the gravest, with safe evidence."""
    surprises: list[dict[str, Any]] = [
        {"relation": "observed beyond the grant", "kind": "connect", "value": HOSTILE, "number": 1,
         "lines": [], "severity": level, "reason": "past the proxy"}
        for level in ("medium", "critical")
    ]  # fmt: skip
    data = {"surprises": surprises, "action": "freeze"}
    await log.append("run.surprise", "s-1", Untrusted("engine"), data)
    (found,) = records(await log.read.events())
    assert (2004, 200401, 5) == (found["class_uid"], found["type_uid"], found["severity_id"])
    assert ["connect"] == found["finding_info"]["types"]
    assert 2 == len(found["evidences"])
    assert "\x1b" not in str(found["evidences"])
    assert "freeze" in found["finding_info"]["desc"]


async def test_timeline_tells_how_long_each_step_took() -> None:
    """A step's time counts from the step before; meters and output are no steps."""
    start = datetime(2026, 11, 21, tzinfo=UTC)
    kinds = ("submission.created", "submission.assessed", "run.meters", "decision.made")
    events = [
        Event(seq=n + 1, at=start + timedelta(seconds=n * n), type=kind, subject="s", actor=ALICE, data={},
              previous="0" * 64, hash="0" * 64)
        for n, kind in enumerate(kinds)
    ]  # fmt: skip
    steps = timeline(events)
    assert ["submission.created", "submission.assessed", "decision.made"] == [step.type for step in steps]
    assert [0, 1, 8] == [step.took.total_seconds() for step in steps]
    assert [0, 1, 9] == [step.since_start.total_seconds() for step in steps]
    assert () == timeline([])

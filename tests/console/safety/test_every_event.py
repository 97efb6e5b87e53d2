"""A control character in every text field of every type of event reaches nobody's terminal."""

from __future__ import annotations

import asyncio
import enum
import io
import json
import sys
import types
import typing
import zipfile
from asyncio.subprocess import PIPE
from collections import Counter
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import pytest
from pydantic import BaseModel, ValidationError

from console.history.case_facts import event_lines
from console.history.timeline import timeline_lines
from console.safety.text import paragraphs
from engine.cli.commands.audit import print_steps
from engine.cli.output.formatting import print_summaries
from engine.common.text import Untrusted, visible
from engine.history.events.types import Payload
from engine.history.exports.ocsf import records
from engine.history.exports.tables import comma_separated, jsonl
from engine.history.search.timeline import timeline
from engine.history.store.sql.blobs import digest_of
from engine.history.store.sql.blobs import put as put_content
from engine.history.store.sql.ledger import SINGLE
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import Event, Status
from engine.settings import HistorySettings
from tests.engine.history.conftest import build_case

HOSTILE = "\x1b]52;c;eA==\x07\x9b2J\u202e\u2066\u200b\ud7ff\r\b[red]"
PAYLOADS = get_args(get_args(Payload)[0])
TYPES = [(model, name) for model in PAYLOADS for name in get_args(model.model_fields["type"].annotation)]


CONTENT = HOSTILE.encode()
PLAIN = (digest_of(CONTENT), "cd" * 64, "", None)
"""What a field gets that takes no such text, one after the other."""


def sample(kind: Any) -> Any:  # noqa: PLR0911  a line for each kind
    """Return a value for a field as JSON holds it; each text is hostile."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal or origin is Annotated:
        return arguments[0] if origin is Literal else sample(arguments[0])
    if origin in {typing.Union, types.UnionType}:
        return sample(next(one for one in arguments if one is not types.NoneType))
    if origin in {tuple, frozenset}:
        return [sample(one) for one in arguments if one is not Ellipsis]
    if origin is dict:
        return {}
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return {name: sample(field.annotation) for name, field in kind.model_fields.items() if name != "type"}
    if isinstance(kind, type) and issubclass(kind, tuple):
        return [sample(field) for field in typing.get_type_hints(kind).values()]
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return next(iter(kind)).value
    return {int: 64, float: 1.5, bool: True, bytes: "", datetime: "2026-11-21T06:00:00Z"}.get(kind, HOSTILE)


def event_data(model: type[BaseModel], type_: str) -> dict[str, Any]:
    """Return the data of an event of this type, hostile in each text that its type takes so, and beside."""
    data = {**sample(model), "beside": {HOSTILE: [HOSTILE]}}
    tries: Counter[tuple[int | str, ...]] = Counter()
    while True:
        try:
            model.model_validate({**data, "type": type_})
        except ValidationError as error:
            for one in error.errors():
                put(data, one["loc"], PLAIN[tries[one["loc"]]])
                tries[one["loc"]] += 1
        else:
            return data


def put(data: Any, place: tuple[int | str, ...], value: str | None) -> None:
    """Put a value at a place within what JSON holds."""
    for step in place[:-1]:
        data = data[step]
    data[place[-1]] = value


def clean(text: str) -> bool:
    """Say whether nothing in it does anything to a terminal but end lines and indent."""
    return visible(text, keep="\n\t") == text


@pytest.fixture
async def recorded_events(tmp_path: Path) -> AsyncIterator[tuple[SqliteHistoryStore, tuple[Event, ...]]]:
    """Yield a history with every type of event, about a case that is hostile too, and its events."""
    log = await SqliteHistoryStore.open(tmp_path / "pratique.db", HistorySettings())
    case = build_case(
        "s-1", HOSTILE, requester=HOSTILE, reviewer=HOSTILE, status=Status.FINISHED, exit_code=0
    )
    await log._writer.do(lambda ledger: put_content(ledger.connection, CONTENT, digest_of(CONTENT), "2026"))
    decided = set[str]()
    for model, type_ in TYPES:
        subject = "s-1" if not SINGLE.keys() & {type_} or not decided else f"s-{type_}"
        decided |= SINGLE.keys() & {type_}
        await log.append(type_, subject, Untrusted(HOSTILE), event_data(model, type_))
    await log.append("claim.released", "s-1", Untrusted(HOSTILE), {}, case=case)
    yield log, await log.read.events()
    await log.close()


async def test_every_type_of_event_is_harmless(
    recorded_events: tuple[SqliteHistoryStore, tuple[Event, ...]], capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither the command line, nor the screens, nor an export passes any of it on as it is."""
    log, events = recorded_events
    assert {name for _, name in TYPES} == {event.type for event in events}
    assert all(HOSTILE in event.data["beside"] for event in events[:-1])
    summaries = await log.read.summaries()
    print_summaries(summaries)
    print_steps(timeline(events))
    printed = capsys.readouterr()
    lines = (line for event in events for line in event_lines(event))
    screens = paragraphs(*timeline_lines(events, 80), *lines).plain
    exports = [*jsonl(events), *map(json.dumps, records(events)), *comma_separated(summaries)]
    assert [True] * 4 == [clean(text) for text in (printed.out, printed.err, screens, "".join(exports))]


async def test_a_case_file_says_nothing_harmful(
    recorded_events: tuple[SqliteHistoryStore, tuple[Event, ...]], tmp_path: Path
) -> None:
    """What `verify.py` prints of such a history is plain ASCII; the history itself is intact."""
    log, _ = recorded_events
    with zipfile.ZipFile(io.BytesIO(await log.case_file("s-1"))) as archive:
        archive.extractall(tmp_path / "case")
    verify = tmp_path / "case" / "verify.py"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", verify, stdout=PIPE, stderr=PIPE, env={}
    )
    async with asyncio.timeout(60):
        said, wrong = await process.communicate()
    assert clean(said.decode("ascii"))
    assert b"" == wrong

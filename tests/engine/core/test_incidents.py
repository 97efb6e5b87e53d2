"""Incidents are sealed into one file that proves itself; notes and tags are events that searches find."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core import Engine
from engine.history.exports import case_verify
from engine.models import DecisionOutcome, Draft, Language, Principal, Role
from engine.models.incident import EntryKind, NewEntry
from tests.engine.core.conftest import EngineMaker

ADMIN = Principal(name=Untrusted("root-of-all"), roles=frozenset({Role.ADMIN}))
AUDITOR = Principal(name=Untrusted("eve"), roles=frozenset({Role.AUDITOR}))
AGENT = Principal(name=Untrusted("agent-7"), roles=frozenset({Role.REQUESTER}))
FOUND_SECONDS = 30.0


@pytest.fixture
async def engine(engine_with: EngineMaker, no_docker: None) -> AsyncIterator[Engine]:
    """Return an engine that runs nothing."""
    async with engine_with() as made:
        yield made


async def denied(engine: Engine, number: int = 0) -> str:
    """Return the ID of a submission that was denied."""
    code = f"import os\nos.remove('{number}')\n"
    case = await engine.submissions.submit(Draft(code=Untrusted(code), language=Language.PYTHON), AGENT)
    id, no = case.submission.id, DecisionOutcome.DENIED
    await engine.submissions.decide(id, ADMIN, no, case.submission.digest, "not today")
    return id


async def found(engine: Engine, query: str, count: int) -> tuple[str, ...]:
    """Return what a query finds, once it finds so many: facts are indexed shortly after they are recorded."""
    end = time.monotonic() + FOUND_SECONDS
    while True:
        ids = tuple(one.id for one in await engine.history.search(query, None, 100))
        if len(ids) == count or time.monotonic() > end:
            return ids
        await asyncio.sleep(0.05)


async def sealed(engine: Engine) -> tuple[str, dict[str, bytes]]:
    """Return the ID of an incident of two submissions, and the members of its file."""
    first, second = await denied(engine), await denied(engine, 1)
    id = (await engine.incidents.open(Untrusted("keys \x1b[2J lost"), ADMIN)).id
    await engine.incidents.add(id, NewEntry(kind=EntryKind.QUERY, value=Untrusted("agent:agent-7")), ADMIN)
    await engine.incidents.add(id, NewEntry(kind=EntryKind.SUBMISSION, value=Untrusted(first)), ADMIN)
    note = NewEntry(kind=EntryKind.NOTE, value=Untrusted("the key\nwas revoked"))
    incident = await engine.incidents.add(id, note, ADMIN)
    assert {first, second} == set(incident.submissions)
    assert [incident] == list(await engine.incidents.listed())
    return id, case_verify.unpacked(await engine.incidents.sealed(id, ADMIN))


def verdict(home: Path, members: dict[str, bytes], *more: str) -> tuple[int, str]:
    """Return how the stand-alone verifier ends, and what it says."""
    path = home / "incident.zip"
    path.write_bytes(case_verify.packed(members))
    command = [sys.executable, "-I", str(Path(case_verify.__file__)), "--key", str(home / "pratique.pub")]
    done = subprocess.run(
        [*command, *more, str(path)], capture_output=True, text=True, check=False, timeout=120
    )
    return done.returncode, done.stdout


async def test_a_sealed_incident_is_proved(engine: Engine, home: Path) -> None:
    """Its events, both case files and the timeline; an incident of another name is not meant."""
    id, members = await sealed(engine)
    assert 2 == sum(name.startswith("cases/") for name in members)
    lines = members["timeline.txt"].decode().splitlines()
    assert lines == sorted(lines, key=lambda line: line[:19])
    assert any("root-of-all: decided: denied, not today" in line for line in lines)
    assert "\x1b" not in members["timeline.txt"].decode()
    code, said = verdict(home, members, "--submission", id)
    assert (0, True) == (code, said.endswith("proved\n")), said
    assert "2 case files are in it" in said
    assert 1 == verdict(home, members, "--submission", "i-other")[0]
    assert (await engine.queries.verify()).intact


async def test_a_changed_incident_is_not_proved(engine: Engine, home: Path) -> None:
    """A change of any member, an event left out, a case file left out, exchanged or added is found."""
    _, members = await sealed(engine)
    one, other = sorted(name for name in members if name.startswith("cases/"))
    lines = members["events.jsonl"].splitlines(keepends=True)
    changes = [
        *({**members, name: content[:-3] + b"xyz"} for name, content in members.items() if name not in OWN),
        {name: content for name, content in members.items() if name != one},
        {**members, one: members[other], other: members[one]},
        {**members, "cases/s-0.zip": members[one]},
        {**members, "events.jsonl": b"".join([*lines[:1], *lines[2:]])},
        {**members, "events.jsonl": b"".join(lines[:-1])},
        {name: content for name, content in members.items() if name != "timeline.txt"},
    ]
    assert [1] * len(changes) == [verdict(home, changed)[0] for changed in changes]


OWN = frozenset({"README.txt", "verify.py"})
"""Members that prove nothing."""


async def test_what_is_not_over_is_said_to_be_open(engine: Engine, home: Path) -> None:
    """The verifier names it and cannot tell."""
    draft = Draft(code=Untrusted("import os\nos.remove('x')\n"), language=Language.PYTHON)
    pending = (await engine.submissions.submit(draft, AGENT)).submission.id
    id = (await engine.incidents.open(Untrusted("early"), ADMIN)).id
    await engine.incidents.add(id, NewEntry(kind=EntryKind.SUBMISSION, value=Untrusted(pending)), ADMIN)
    members = case_verify.unpacked(await engine.incidents.sealed(id, ADMIN))
    code, said = verdict(home, members)
    assert (3, True) == (code, f'OPEN: "{pending}"' in said or f"OPEN: '{pending}'" in said), said


async def test_notes_and_tags_are_found_and_proved(engine: Engine, home: Path) -> None:
    """They are facts of the submission; its case file, which has them, is proved."""
    id, other = await denied(engine), await denied(engine, 1)
    await engine.annotations.note(id, Untrusted("asked Bob about it"), ADMIN)
    await engine.annotations.tag(id, "incident-7", ADMIN)
    assert (id,) == await found(engine, 'note:"bob" tag:incident-*', 1)
    assert (other,) == await found(engine, "-tag:incident-7", 1)
    code, said = verdict(home, case_verify.unpacked(await engine.history.case_file(id, ADMIN)))
    assert 0 == code, said
    assert (await engine.queries.verify()).intact


async def test_a_removed_tag_is_found_no_more(engine: Engine) -> None:
    """Set again, it is found again."""
    id = await denied(engine)
    for count in (1, 0, 1):
        await (engine.annotations.tag if count else engine.annotations.untag)(id, "seen", ADMIN)
        assert count == len(await found(engine, "tag:seen", count))
    assert (await engine.queries.verify()).intact


async def test_who_may_not_decide_may_not_annotate(engine: Engine) -> None:
    """Auditors read; nobody notes what is not there."""
    id = await denied(engine)
    with pytest.raises(Problem, match="not a reviewer"):
        await engine.annotations.note(id, Untrusted("x"), AUDITOR)
    with pytest.raises(Problem, match="not a reviewer"):
        await engine.incidents.open(Untrusted("x"), AUDITOR)
    with pytest.raises(Problem, match="no submission"):
        await engine.annotations.tag("s-0", "x", ADMIN)
    with pytest.raises(Problem, match="a tag has"):
        await engine.annotations.tag(id, "Not A Tag", ADMIN)
    with pytest.raises(Problem, match="has no tag"):
        await engine.annotations.untag(id, "x", ADMIN)
    with pytest.raises(Problem, match="no incident"):
        await engine.incidents.incident(id)

"""The case file of a submission of which something was erased proves the rest, and says what was erased."""

from __future__ import annotations

import pytest

from engine.common.text import Untrusted
from engine.history.exports import case_verify
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models.erasing.erasure import ErasureOrder
from tests.engine.history.honest_case import approved_run

ALICE = Untrusted("alice")
EVERYTHING = ErasureOrder(rule="erased on request", reason=Untrusted("request 7"))


async def file_of(log: SqliteHistoryStore, id: str = "s1") -> dict[str, bytes]:
    """Return the members of a case file."""
    return case_verify.unpacked(await log.case_file(id))


def found(members: dict[str, bytes]) -> dict[str, list[str]]:
    """Return what the verifier says, by kind; `Wrong` is raised."""
    lines: dict[str, list[str]] = {}
    for kind, text in case_verify.check(members):
        lines.setdefault(kind, []).append(text)
    return lines


@pytest.fixture
async def erased(log: SqliteHistoryStore) -> dict[str, bytes]:
    """The case file of a whole run of which everything was erased."""
    await approved_run(log)
    await log.erase("s1", ALICE, EVERYTHING)
    return await file_of(log)


async def test_it_is_proved_and_says_what_was_erased(erased: dict[str, bytes]) -> None:
    """Nothing is wrong; who erased what and why is told, and approvals without a text are still signed."""
    lines = found(erased)
    assert any("'alice'" in line and "request 7" in line and "1 code" in line for line in lines["note"])
    assert not any("covers what was erased" in line for line in lines["OPEN"])
    assert "case/code" not in erased


@pytest.mark.parametrize(
    ("member", "old", "new"),
    [
        ("events.jsonl", b'"actor":"agent"', b'"actor":"other"'),
        ("events.jsonl", b'"type":"submission.created"', b'"type":"submission.joined"'),
        ("erased.json", b'"9":"', b'"10":"'),
    ],
)
async def test_what_is_left_cannot_be_changed(
    erased: dict[str, bytes], member: str, old: bytes, new: bytes
) -> None:
    """Another actor or type in what is left of an event, and another hash, are found."""
    assert old in erased[member]
    changed = {**erased, member: erased[member].replace(old, new, 1)}
    with pytest.raises((case_verify.Wrong, ValueError)):
        found(changed)


async def test_a_content_left_out_is_not_called_erased(log: SqliteHistoryStore) -> None:
    """The code, the output or an artifact that is taken out of the file of a whole case is missing."""
    await approved_run(log)
    members = await file_of(log)
    found(members)
    for name in ("case/code", "output", *(one for one in members if one.startswith("artifacts/"))):
        with pytest.raises(case_verify.Wrong):
            found({other: content for other, content in members.items() if other != name})


async def test_emptying_an_event_is_no_erasure(log: SqliteHistoryStore) -> None:
    """An event that is emptied in the file, with its true hash beside it, is found: no event says so."""
    await approved_run(log)
    members = await file_of(log)
    first = members["events.jsonl"].split(b"\n")[0]
    emptied = first.replace(b'"language":"python"', b'"language":"shell"')
    forged = {
        **members,
        "events.jsonl": members["events.jsonl"].replace(first, emptied),
        "erased.json": f'{{"1":"{case_verify.digest(first)}"}}'.encode(),
    }
    with pytest.raises(case_verify.Wrong, match="no event says so"):
        found(forged)

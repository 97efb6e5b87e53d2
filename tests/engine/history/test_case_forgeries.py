"""No change of a case file is proved: no byte, no JSON value, and no part of another case file."""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import os
import zipfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.history.exports import case_verify
from engine.history.exports.case_verify import Trust, canonical, check, main, packed, parse, unpacked
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import DecisionOutcome
from engine.settings import HistorySettings
from tests.engine.history.honest_case import (
    Members,
    approved_run,
    decide,
    key_of,
    members_of,
    new_case,
    submit,
)

Forgery = Callable[[Members, Members], Members]
REVIEWERS = {name: frozenset({key_of(name)}) for name in ("alice", "bob", "nobody")}


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Members, Members]:
    """Two case files of one engine under the same tree head."""
    return asyncio.run(_pair(tmp_path_factory.mktemp("forged") / "pratique.db"))


async def _pair(path: Path) -> tuple[Members, Members]:
    log = await SqliteHistoryStore.open(path, HistorySettings(batch_milliseconds=20))
    await approved_run(log, "s1")
    await approved_run(log, "s2", "print(2)")
    await log.close()  # which signs the tree
    log = await SqliteHistoryStore.open(path, HistorySettings(batch_milliseconds=20))
    made = await members_of(log, "s1"), await members_of(log, "s2")
    await log.close()
    return made


@pytest.fixture(scope="module")
def genuine(pair: tuple[Members, Members]) -> Members:
    """The case file that is forged."""
    return pair[0]


def trust_in(members: Members) -> Trust:
    """Return what a reader knows who has received every key."""
    return Trust(frozenset({case_verify.public_key(members["public_key.pem"]).hex()}), REVIEWERS)


def proved(members: Members, trust: Trust) -> bool:
    """Return whether everything is proved, as the exit code 0 says."""
    try:
        return {"ok"} == {kind for kind, _ in check(members, trust)}
    except Exception:
        return False


def refused(members: Members, trust: Trust) -> bool:
    """Return whether something is found wrong, as the exit code 1 says."""
    try:
        list(check(members, trust))
    except Exception:
        return True
    return False


def test_both_are_genuine(pair: tuple[Members, Members]) -> None:
    """The forgeries start from case files that are proved, under the same tree head."""
    assert [True, True] == [proved(members, trust_in(members)) for members in pair]
    assert pair[0]["checkpoint.txt"] == pair[1]["checkpoint.txt"]


# --- events of another submission, and events left out, doubled or in another order


def events_of(members: Members) -> list[bytes]:
    """Return the lines of the events."""
    return members["events.jsonl"].splitlines(keepends=True)


def with_events(members: Members, lines: list[bytes], *more: Members) -> Members:
    """Return a case file with other events, each with its genuine proof."""
    known = {key: value for one in (members, *more) for key, value in json.loads(one["proofs.json"]).items()}
    numbers = [str(json.loads(line)["seq"]) for line in lines]
    proofs = canonical({number: known[number] for number in numbers}).encode()
    return {**members, "events.jsonl": b"".join(lines), "proofs.json": proofs}


def replaced(lines: list[bytes], other: list[bytes]) -> Iterator[list[bytes]]:
    """Yield the events with one of them replaced, or followed, by one of the other submission."""
    for place in range(len(lines)):
        for line in other:
            yield [*lines[:place], line, *lines[place + 1 :]]
            yield sorted([*lines, line], key=number)
            yield sorted([*lines[:place], line, *lines[place + 1 :]], key=number)


def number(line: bytes) -> int:
    """Return the number of an event."""
    return int(json.loads(line)["seq"])


def test_an_event_of_another_case_is_refused(pair: tuple[Members, Members]) -> None:
    """No genuine event of another submission takes the place of an own one, or comes beside it."""
    mine, other = pair
    trust = trust_in(mine)
    forged = [
        {**with_events(mine, lines, other), **{name: other[name] for name in other if name not in mine}}
        for lines in replaced(events_of(mine), events_of(other))
    ]
    assert [] == [number for number, one in enumerate(forged) if not refused(one, trust)]


def test_the_output_of_another_case_is_refused(pair: tuple[Members, Members]) -> None:
    """The attack that needs two case files and no key: another run's output in place of its own."""
    mine, other = pair
    blocks = [line for line in events_of(other) if json.loads(line)["type"] == "run.output"]
    own = iter(blocks)
    lines = [next(own) if json.loads(line)["type"] == "run.output" else line for line in events_of(mine)]
    forged = {**with_events(mine, lines, other), "output": other["output"]}
    with pytest.raises(case_verify.Wrong, match=r"of another submission|comes after"):
        list(check(forged, trust_in(mine)))


def test_no_event_can_be_left_out_doubled_or_moved(genuine: Members) -> None:
    """Each event up to the last change of the case has to be there, once, and in its place."""
    trust, lines = trust_in(genuine), events_of(genuine)
    forged = [with_events(genuine, [*lines[:n], *lines[n + 1 :]]) for n in range(len(lines) - 1)]
    forged += [with_events(genuine, [*lines[: n + 1], *lines[n:]]) for n in range(len(lines))]
    forged += [
        with_events(genuine, [*lines[:n], lines[n + 1], lines[n], *lines[n + 2 :]])
        for n in range(len(lines) - 1)
    ]
    forged += [with_events(genuine, lines[:n]) for n in range(len(lines) - 1)]
    forged += [with_events(genuine, lines[n:]) for n in range(1, len(lines))]
    forged += [with_events(genuine, lines[::-1]), with_events(genuine, [])]
    assert [] == [number for number, one in enumerate(forged) if not refused(one, trust)]


async def test_what_happened_later_cannot_be_hidden_as_proved(log: SqliteHistoryStore) -> None:
    """A case file from before the run says that the case is not over; joined with a later one it is wrong."""
    case = await submit(log, new_case())
    early = await members_of(log)
    await decide(log, case, "bob", DecisionOutcome.APPROVED)
    late = await members_of(log)
    trust = trust_in(early)
    assert [False, False] == [proved(early, trust), refused(early, trust)]
    names = ("events.jsonl", "proofs.json", "checkpoint.txt", "case/state.json", "case/columns.json")
    mixed = [
        {**early, **{name: late[name] for place, name in enumerate(names) if mask & 1 << place}}
        for mask in range(1, 2 ** len(names) - 1)
    ]
    assert not any(proved(one, trust) for one in mixed)


# --- any byte, any member, any JSON value


def test_a_member_that_is_gone_or_another_is_refused(pair: tuple[Members, Members]) -> None:
    """Each member has to be there and be that of this case, and nothing else may be there."""
    mine, other = pair
    trust = trust_in(mine)
    for name in mine:
        assert refused({key: value for key, value in mine.items() if key != name}, trust), name
        if name in other and other[name] != mine[name]:
            assert refused({**mine, name: other[name]}, trust), name
    more = ("case/files/2", f"artifacts/{'0' * 64}", "keys.jsonl", "case/code2", "notes.txt")
    assert [True] * 5 == [refused({**mine, name: b"x"}, trust) for name in more]


def changes(value: Any) -> Iterator[Any]:
    """Yield JSON that differs from `value` in one place: changed, dropped, added or reordered."""
    if isinstance(value, dict):
        for key in value:
            yield {name: item for name, item in value.items() if name != key}
            yield {(f"{name} " if name == key else name): item for name, item in value.items()}
            yield from ({**value, key: item} for item in changes(value[key]))
        yield {**value, "more": 1}
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield [*value[:place], *value[place + 1 :]]
            yield [*value, item]
            yield from ([*value[:place], other, *value[place + 1 :]] for other in changes(item))
        if value[::-1] != value:
            yield value[::-1]
    else:
        others: tuple[Any, ...] = (None, 0, f"{value} ")
        yield from (other for other in others if other != value)


@pytest.mark.parametrize("name", ["case/state.json", "case/columns.json", "proofs.json"])
def test_any_changed_json_value_is_refused(genuine: Members, name: str) -> None:
    """Whatever value of a JSON member is changed, dropped, doubled or moved, it is found."""
    trust, value = trust_in(genuine), json.loads(genuine[name])
    texts = {canonical(one).encode() for one in changes(value)}
    texts |= {json.dumps(value).encode(), genuine[name] + b" ", b" " + genuine[name], b"null", b"[]", b""}
    assert [] == [text for text in texts - {genuine[name]} if not refused({**genuine, name: text}, trust)]


def test_any_changed_value_of_an_event_is_refused(genuine: Members) -> None:
    """Whatever value of an event is changed, it is found."""
    trust, lines = trust_in(genuine), events_of(genuine)
    for place, line in enumerate(lines):
        for text in (canonical(one).encode() + b"\n" for one in changes(json.loads(line))):
            events = b"".join((*lines[:place], text, *lines[place + 1 :]))
            assert refused({**genuine, "events.jsonl": events}, trust), text


def test_any_flipped_bit_of_the_zip_is_refused(genuine: Members) -> None:
    """The zip has one form: no byte of it says nothing, but those of a verify.py, which is not used."""
    archive, trust = packed(genuine), trust_in(genuine)
    program = archive.index(genuine["verify.py"])
    places = [n for n in range(len(archive)) if not program <= n < program + len(genuine["verify.py"])]
    step = max(1, len(places) // 400)
    for turn, place in enumerate(places[::step]):
        forged = bytearray(archive)
        forged[place] ^= 1 << turn % 8
        assert _is_refused_whole(bytes(forged), trust), place


def _is_refused_whole(archive: bytes, trust: Trust) -> bool:
    try:
        return refused(unpacked(archive), trust)
    except Exception:
        return True


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_any_mutated_case_file_is_refused(pair: tuple[Members, Members], data: st.DataObject) -> None:
    """Bytes changed, cut, doubled, moved or taken from another case file: all of it is found."""
    mine, other = pair
    name = data.draw(st.sampled_from(sorted(set(mine) - {"verify.py"})))
    content, place = mine[name], data.draw(st.integers(0, max(0, len(mine[name]) - 1)))
    length = data.draw(st.integers(1, 80))
    foreign = other.get(name, b"x") or b"x"
    forged = data.draw(
        st.sampled_from(
            [
                content[:place] + content[place + length :],
                content[:place] + content[place : place + length] + content[place:],
                content[:place] + foreign[place : place + length] + content[place + length :],
                content[:place] + data.draw(st.binary(min_size=1, max_size=8)) + content[place:],
                content[place:] + content[:place],
            ]
        )
    )
    assert forged == content or refused({**mine, name: forged}, trust_in(mine))


def test_another_program_in_the_file_is_named(genuine: Members) -> None:
    """A verify.py that the file brings along is not used, and is said to be another one."""
    lines = list(check({**genuine, "verify.py": b"print('proved')"}, trust_in(genuine)))
    assert ("note", "the verify.py in the file is another one than this, and was not used") in lines


# --- a forger with keys of their own


@pytest.fixture
async def forged(tmp_path: Path) -> AsyncIterator[Members]:
    """A whole case file that somebody else's engine made about a submission of the same name."""
    log = await SqliteHistoryStore.open(tmp_path / "forger.db", HistorySettings(batch_milliseconds=20))
    await approved_run(log, "s1")
    yield await members_of(log)
    await log.close()


def test_another_engines_file_is_refused(genuine: Members, forged: Members) -> None:
    """A file that another engine signed is not proved, in whole or with parts of the genuine one."""
    trust = trust_in(genuine)
    assert refused(forged, trust)
    assert not proved(forged, Trust())
    names = ("public_key.pem", "checkpoint.txt", "proofs.json", "events.jsonl", "case/state.json")
    mixed = [
        {**genuine, **{name: forged[name] for place, name in enumerate(names) if mask & 1 << place}}
        for mask in range(1, 2 ** len(names))
    ]
    assert [] == [mask for mask, one in enumerate(mixed) if one != genuine and not refused(one, trust)]


def test_another_reviewers_key_is_refused(genuine: Members) -> None:
    """Where the reader knows a reviewer's key, the engine's word does not replace the signature."""
    stranger = Ed25519PrivateKey.generate().public_key().public_bytes_raw().hex()
    trust = Trust(trust_in(genuine).engine, {"bob": frozenset({stranger})})
    with pytest.raises(case_verify.Wrong, match="'bob' signed with another key"):
        list(check(genuine, trust))


def test_another_submission_than_the_named_one_is_refused(genuine: Members) -> None:
    """Who asks about one submission is not answered with another one."""
    trust = trust_in(genuine)
    assert refused(genuine, Trust(trust.engine, trust.reviewers, "s2"))
    assert proved(genuine, Trust(trust.engine, trust.reviewers, "s1"))


SMALL = [
    "01" + "00" * 31,
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "00" * 32,
    "00" * 31 + "80",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
]
"""The points of small order of Curve25519: keys that fit signatures which nobody made."""


@pytest.mark.parametrize("key", SMALL)
def test_a_key_that_fits_any_signature_is_no_key(key: str) -> None:
    """A public key of small order verifies nothing."""
    public = bytes.fromhex(key)
    signatures = [bytes.fromhex(point) + bytes(32) for point in SMALL]
    found = [case_verify.ed25519(public, bytes([n]), one) for n in range(16) for one in signatures]
    assert not any(found)


HOSTILE = "bob\x1b[1A\x1b[2K\rok: signed with\nproved\n\u202e\u009b2J\u200b" + "x" * 5000


async def test_nothing_that_the_file_says_moves_the_cursor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ids, names and statuses are printed as quoted ASCII on one line; the fingerprint stays where it is."""
    log = await SqliteHistoryStore.open(tmp_path / "forger.db", HistorySettings(batch_milliseconds=20))
    id = "s1\x1b[1A\x1b[2K"
    await decide(log, await submit(log, new_case(id)), HOSTILE, DecisionOutcome.DENIED)
    content = await log.case_file(id)
    await log.close()
    (tmp_path / "case.zip").write_bytes(content)
    case_verify.main([str(tmp_path / "case.zip")])
    lines = capsys.readouterr().out.splitlines()
    fingerprint = hashlib.sha256(case_verify.public_key(unpacked(content)["public_key.pem"])).hexdigest()
    assert lines[0].endswith(f"fingerprint {fingerprint}: use --key")
    assert all(" " <= letter <= "~" for line in lines for letter in line)
    assert all(line.startswith(("ok: ", "OPEN: ", "note: ")) for line in lines[:-1])
    assert "cannot tell" == lines[-1]


# --- zips, folders and JSON that cost more than they say


def zipped(members: Members, method: int = zipfile.ZIP_STORED) -> bytes:
    """Return a zip as other programs write it."""
    packing = io.BytesIO()
    with zipfile.ZipFile(packing, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packing.getvalue()


def bomb(genuine: Members) -> bytes:
    """Return a small zip that holds 64 MiB."""
    return zipped({**genuine, "output": bytes(1 << 26)}, zipfile.ZIP_DEFLATED)


ZIPS: dict[str, Callable[[Members], bytes]] = {
    "compressed": lambda members: zipped(members, zipfile.ZIP_DEFLATED),
    "other headers": zipped,
    "bomb": bomb,
    "comment": lambda members: packed(members)[:-2] + b"\x05\0proof",
    "text in front": lambda members: b"#!/bin/sh\n" + packed(members),
    "text behind": lambda members: packed(members) + b"more",
    "two zips": lambda members: packed(members) + packed(members),
    "doubled member": lambda members: packed(members).replace(b"case/files/1", b"case/state.json"[:12]),
    "climbing name": lambda members: packed({**members, "../climbed": b"x"}),
    "absolute name": lambda members: packed({**members, "/etc/cron.d/x": b"x"}),
    "name of a device": lambda members: packed({**members, "case/CON": b"x"}),
    "too many members": lambda members: packed({f"artifacts/{n:064x}": b"" for n in range(5001)}),
    "cut off": lambda members: packed(members)[:-40],
    "empty": lambda members: b"",
    "a size that lies": lambda members: packed(members).replace(
        len(members["case/code"]).to_bytes(4, "little") * 2, b"\xff\xff\xff\x7f" * 2
    ),
}


@pytest.mark.parametrize("name", ZIPS)
def test_a_zip_of_another_form_is_refused(
    genuine: Members, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What two programs could unpack differently is refused, and nothing is unpacked on the disk."""
    (tmp_path / "case.zip").write_bytes(ZIPS[name](genuine))
    assert 1 == main([str(tmp_path / "case.zip")])
    assert "not proved" == capsys.readouterr().out.splitlines()[-1]
    assert [tmp_path / "case.zip"] == list(tmp_path.iterdir())


JSON = {
    "nested lists": b"[" * 101 + b"]" * 101,
    "nested objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "nesting behind an escape": b'["\\"", ' + b"[" * 200_000,
    "name twice": b'{"a":1,"a":1}',
    "name twice, spelled differently": b'{"a":1,"\\u0061":1}',
    "name twice, deep": b'[{"b":{"a":1,"a":2}}]',
    "large number": b"9007199254740993",
    "number of a million digits": b"1" * 1_000_000,
    "large fraction": b"1e999",
    "fraction of a million digits": b"0." + b"1" * 1_000_000,
    "not a number": b"NaN",
    "infinite": b"[-Infinity]",
    "another encoding": '"é"'.encode("latin-1"),
    "a surrogate": b'"\xed\xa0\x80"',
}


@pytest.mark.parametrize("name", JSON)
def test_json_that_programs_read_differently_is_refused(name: str) -> None:
    """Doubled names, large numbers and deep nesting are refused, and cost no more than their length."""
    with pytest.raises((case_verify.Wrong, ValueError)):
        parse(JSON[name])


def write(members: Members, folder: Path) -> Path:
    """Unpack a case file."""
    for name, content in members.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def _fifo(folder: Path) -> None:
    (folder / "case" / "code").unlink()
    os.mkfifo(folder / "case" / "code")


def _link(folder: Path) -> None:
    (folder / "case" / "code").rename(folder.parent / "code")
    (folder / "case" / "code").symlink_to(folder.parent / "code")


def _device(folder: Path) -> None:
    (folder / "output").unlink()
    (folder / "output").symlink_to("/dev/zero")


def _sparse(folder: Path) -> None:
    os.truncate(folder / "output", 20 << 30)


def _more(folder: Path) -> None:
    (folder / "readme.html").write_text("<b>proved</b>")


@pytest.mark.parametrize("spoil", [_fifo, _link, _device, _sparse, _more])
def test_a_folder_with_other_kinds_of_files_is_not_proved(
    genuine: Members, spoil: Callable[[Path], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pipes, links, devices and endless files end the proof; they are neither followed nor waited for."""
    folder = write(genuine, tmp_path / "case")
    assert 3 == main([str(folder)])
    spoil(folder)
    key = next(iter(trust_in(genuine).engine))
    assert 0 != main([str(folder), "--key", key])
    assert capsys.readouterr().out.splitlines()[-1] in {"cannot tell", "not proved"}


def test_a_proof_that_takes_too_long_is_given_up(genuine: Members, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past its time the program cannot tell."""
    monkeypatch.setattr(case_verify, "MOST_SECONDS", 0.0)
    with pytest.raises(case_verify.Unknown, match="it takes longer"):
        list(check(genuine, trust_in(genuine)))

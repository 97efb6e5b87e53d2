#!/usr/bin/env python3
"""Prove a case file of Pratique, with nothing but Python's standard library.

    python3 verify.py --key KEY case.zip                        KEY: the engine's key, as you received it
    python3 verify.py --key KEY --reviewer-key NAME=KEY FOLDER  an unpacked case file, and a reviewer's key

A KEY is a public key or its SHA-256 in hexadecimal, or a file in PEM. Take this program from somebody you
trust, not from the file that it is to prove: who forges a case file can put another verify.py into it.

It shows that every event is in the Merkle tree (RFC 6962) whose head is signed with the engine's key
(Ed25519, RFC 8032, computed here in pure Python), that all of them are about one submission and in order,
that none is missing up to its last change, that case, code, files, output and artifacts are those that the
events name, that what was decided on is what was submitted, and whose keys signed the decisions. Of texts
that were erased it shows that an event in the tree says so, and that nothing else of the events was changed.
It cannot show what happened after the last event in the file.

Exit code: 0 proved, 1 not proved, 3 cannot tell (nothing is wrong, and something is open: a line `OPEN` says
what), 2 wrong arguments.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import os
import re
import stat
import struct
import sys
import time
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

PROVED, NOT_PROVED, CANNOT_TELL = 0, 1, 3
MOST_BYTES = 1 << 30
"""The size of all members together."""
MOST_MEMBERS = 5000
MOST_EVENTS = 500_000
MOST_JSON = 1 << 28
MOST_DEPTH = 100
MOST_SIGNATURES = 100
MOST_SECONDS = 300.0
SHOWN = 200
"""Characters of a value that are printed."""
DECISION = b"pratique decision v1\n"
"""The prefix of the text that a decision's signature covers."""
ERASED = "history.erased"
STATE, COUNT = "case_sha256", "case_events"
"""In an event that changes the case: the digest of the case, and how many events it has up to this one."""
OUTCOME_OF = {
    "pending": None,
    "denied": "denied",
    "changes_requested": "changes_requested",
    "expired": "expired",
    "refused": "refused",
    "queued": "approved",
    "running": "approved",
    "finished": "approved",
    "killed": "approved",
    "drill": None,
}
OVER = {"denied", "changes_requested", "expired", "refused", "finished", "killed", "drill"}
UNMEASURED = {"interrupted", "policy", "sandbox-failed", "engine-lost"}
"""Kill reasons of runs whose result the engine wrote without having followed them to their end."""
README = """Case file of Pratique for the submission {id}

checkpoint.txt     the signed head of the Merkle tree over all events (C2SP tlog-checkpoint)
public_key.pem     the engine's Ed25519 key; ask the operator for its fingerprint by another way
events.jsonl       every event of this submission, as its hash covers it (RFC 8785)
proofs.json        for each event, the proof that it is in the tree (RFC 6962)
case/state.json    submission, analysis, risk, decision, grant, result; contents by their SHA-256
case/columns.json  what the history lists of it
case/code          the code; case/files/N the input files, in the order of state.json
output             what the run printed; the events `run.output` say when, and to which stream
artifacts/DIGEST   the files that the run left; the events `run.artifact` say their names
keys.jsonl         the events that register the keys of the reviewers
erased.json        where texts of events were erased: the hashes that the events had before
erasures.jsonl     the events by which rules erased contents; those about this case alone are in events.jsonl

To check all of it: python3 verify.py --key KEY case.zip
with the engine's key as you received it by another way, and with a verify.py from somebody you trust: who
forges a case file can forge the verify.py in it.
"""
INCIDENT_README = """Incident {id} of Pratique

checkpoint.txt     the signed head of the Merkle tree over all events (C2SP tlog-checkpoint)
public_key.pem     the engine's Ed25519 key; ask the operator for its fingerprint by another way
events.jsonl       every event of this incident; the last one seals what is in this file
proofs.json        for each event, the proof that it is in the tree (RFC 6962)
timeline.txt       what happened in all of its submissions, one line for each step
cases/ID.zip       the case file of each submission

To check all of it: python3 verify.py --key KEY incident.zip
with the engine's key as you received it by another way, and with a verify.py from somebody you trust.
"""
Line = tuple[str, str]
"""`ok`, `OPEN` or `note`, and what was found."""
Json = dict[str, Any]
_NOTE = re.compile(
    r"(?P<text>(?P<origin>pratique/audit)\n(?P<size>[1-9][0-9]{0,15})\n(?P<root>[A-Za-z0-9+/=]{44})\n"
    r"head (?P<head>[0-9a-f]{64})\nat [0-9TZ:.-]{20,40}\n)\n"
    "\u2014 pratique/audit (?P<signature>[A-Za-z0-9+/=]{92})\n"
)
_NAME = re.compile(
    r"README\.txt|verify\.py|public_key\.pem|checkpoint\.txt|events\.jsonl|keys\.jsonl|proofs\.json|output|"
    r"erased\.json|erasures\.jsonl|"
    r"case/(?:state\.json|columns\.json|code|files/[1-9][0-9]{0,3})|artifacts/[0-9a-f]{64}|"
    r"timeline\.txt|cases/s-[0-9a-z-]{1,40}\.zip"
)


class Wrong(Exception):
    """Something is not as the proofs say."""


class Unknown(Exception):
    """The file could not be read, or not in time."""


@dataclass(frozen=True)
class Trust:
    """What the reader knows from elsewhere. Keys are in hexadecimal: the key itself or its SHA-256."""

    engine: frozenset[str] = frozenset()
    reviewers: Mapping[str, frozenset[str]] = field(default_factory=dict)
    submission: str = ""


@dataclass(frozen=True)
class Gone:
    """What was erased, as events in the signed tree say."""

    contents: frozenset[str] = frozenset()
    """The digests of contents."""
    events: frozenset[int] = frozenset()
    """The numbers of the events of which texts were erased."""
    whole: bool = False
    """Whether everything of this case was."""

    @property
    def but(self) -> str:
        """What is said behind what holds for the rest."""
        return ", but for what was erased" if self.contents or self.events else ""


class Files:
    """The members of a case file. Those that nothing looked at prove nothing, and so may not be there."""

    def __init__(self, members: Mapping[str, bytes]) -> None:
        self._members = members
        self._unread = set(members)
        self._end = time.monotonic() + MOST_SECONDS

    def __getitem__(self, name: str) -> bytes:
        self.in_time()
        require(name in self._members, f"{name} is missing")
        self._unread.discard(name)
        return self._members[name]

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def require_all_read(self) -> None:
        """Raise `Wrong` where there is a member that belongs to nothing."""
        require(not self._unread, f"{shown(min(self._unread, default=''))} belongs to nothing in this case")

    def in_time(self) -> None:
        """Raise `Unknown` once it takes too long."""
        if time.monotonic() > self._end:
            raise Unknown(f"it takes longer than {MOST_SECONDS:.0f} s")


def check(members: Mapping[str, bytes], trust: Trust = Trust()) -> Iterator[Line]:
    """Yield a line for each thing that was found.

    Raises:
        Wrong: something is not as the proofs say.
        Unknown: it takes too long.
    """
    files = Files(members)
    key = public_key(files["public_key.pem"])
    yield engine_key(key, trust)
    size, root, head = tree_head(files["checkpoint.txt"], key)
    yield "ok", f"the tree head over {size} events is signed with that key"
    proofs = read_proofs(files)
    before = hashes_before(files)
    events = proved_events(files, "events.jsonl", proofs, size, root, head, before)
    registered = proved_events(files, "keys.jsonl", proofs, size, root, head) if "keys.jsonl" in files else []
    rules = "erasures.jsonl" in files
    erasures = proved_events(files, "erasures.jsonl", proofs, size, root, head) if rules else []
    require(not proofs, "there are proofs of events that are not there")
    gone = what_is_gone(events, erasures, before)
    yield "ok", f"{len(events)} events are in that tree, unchanged and in order{gone.but}"
    if "timeline.txt" in files:
        require(not gone.events, "texts of an incident are never erased")
        yield from incident(files, events, key, trust)
        return
    yield from erased_texts(events, gone)
    case = the_case(files, events, trust)
    yield (
        "ok",
        f"the case {shown(case['submission']['id'])} is as its last event says: {shown(case['status'])}",
    )
    yield from completeness(case, events)
    yield from contents(files, case, gone)
    yield from story(case, events)
    yield from decisions(case, events, registered_keys(registered, events), trust, gone)
    yield from left_behind(files, case, events, gone)
    yield from about_itself(files, case)
    files.require_all_read()


def incident(files: Files, events: list[Json], key: bytes, trust: Trust) -> Iterator[Line]:
    """Yield that the case files of an incident are those that were sealed with it, and are proved."""
    first, last = events[0], events[-1]
    require(first["type"] == "incident.opened", "the first event is not that of an incident")
    id = first["data"]["incident"]
    require(all(event["subject"] == id for event in events), "an event of something else is among these")
    require(trust.submission in {"", id}, "this is another incident than the one that you named")
    require(last["type"] == "incident.sealed", "the last event does not seal the incident")
    require(last["data"]["events"] == len(events), "events of the incident are missing")
    members = last["data"]["members"]
    require("timeline.txt" in members, "the timeline is not sealed")
    for name, sealed in members.items():
        require(digest(files[name]) == sealed, f"{shown(name)} is not what was sealed")
    yield "ok", f"the incident {shown(id)} is complete up to its seal at {shown(last['at'])}"
    cases = sorted(set(members) - {"timeline.txt"})
    for name in cases:
        yield from case_within(files, name, key, trust)
    yield "ok", f"{len(cases)} case files are in it, as they were sealed"
    for missing, why in last["data"].get("missing", {}).items():
        yield "OPEN", f"{shown(missing)} has no case file in it: {shown(why)}"
    files["README.txt"], files["verify.py"]
    files.require_all_read()


def case_within(files: Files, name: str, key: bytes, trust: Trust) -> Iterator[Line]:
    """Yield what is open of one case file of an incident; all of the rest holds."""
    within = unpacked(files[name])
    require(public_key(within["public_key.pem"]) == key, f"{shown(name)} has another engine's key")
    id = name.removeprefix("cases/").removesuffix(".zip")
    for kind, text in check(within, Trust(frozenset({key.hex()}), trust.reviewers, id)):
        files.in_time()
        if kind == "OPEN":
            yield kind, f"{shown(id)}: {text}"


def engine_key(key: bytes, trust: Trust) -> Line:
    """Return whose word the engine's key is."""
    fingerprint = hashlib.sha256(key).hexdigest()
    if not trust.engine:
        return "OPEN", f"only this file vouches for the engine's key, fingerprint {fingerprint}: use --key"
    require(is_named(key, trust.engine), f"the key is none that you named, its fingerprint is {fingerprint}")
    return "ok", f"the engine's key is one that you named, fingerprint {fingerprint}"


@lru_cache(maxsize=64)  # the case files of an incident share few heads, and a signature takes milliseconds
def tree_head(note: bytes, key: bytes) -> tuple[int, bytes, str]:
    """Return the size, the root and the hash of the last event that a signed note states."""
    match = _NOTE.fullmatch(note.decode())
    if match is None:
        raise Wrong("checkpoint.txt is no signed note")
    signed, root = unbase64(match["signature"]), unbase64(match["root"])
    named = hashlib.sha256(match["origin"].encode() + b"\n\x01" + key).digest()[:4]
    require(signed[:4] == named, "the tree head was signed with another key")
    require(ed25519(key, match["text"].encode(), signed[4:]), "the signature of the tree head is wrong")
    return int(match["size"]), root, match["head"]


def read_proofs(files: Files) -> dict[str, Any]:
    """Return the proofs of the events by their numbers."""
    content = files["proofs.json"]
    proofs = parse(content)
    require(
        isinstance(proofs, dict) and canonical(proofs).encode() == content, "proofs.json is not canonical"
    )
    return dict(proofs)


def hashes_before(files: Files) -> dict[str, str]:
    """Return the hashes that events had before texts of them were erased, by their numbers."""
    hashes = parse(files["erased.json"]) if "erased.json" in files else {}
    require(isinstance(hashes, dict), "erased.json is none")
    return {str(seq): unhex(one, 32).hex() for seq, one in hashes.items()}


def what_is_gone(events: list[Json], erasures: list[Json], before: dict[str, str]) -> Gone:
    """Return what was erased; what is left of each event is what the last erasure of it says."""
    left: dict[str, tuple[int, str]] = {}
    contents: set[str] = set()
    for event in (*events, *erasures):
        if event["type"] == ERASED:
            require(str(event["seq"]) not in before, "the event of an erasure was erased")
            contents.update(event["data"]["digests"])
            records = event["data"].get("records", {})
            left.update({seq: (event["seq"], one) for seq, one in records.items()})
    require(all(event["type"] == ERASED for event in erasures), "erasures.jsonl holds another event")
    by_seq = {str(event["seq"]): event for event in events}
    require(set(before) <= set(by_seq), "an event was erased that is not there")
    for seq, event in by_seq.items():
        by, expected = left.get(seq, (0, ""))
        said, same = by > event["seq"], digest(canonical(event).encode()) == expected
        require((seq in before) == said, f"event {seq} was erased, and no event says so, or the reverse")
        require(same or not said, f"what is left of event {seq} was changed")
    whole = any(event["data"].get("scope") == "everything" for event in every(events, ERASED))
    return Gone(frozenset(contents), frozenset(int(seq) for seq in before), whole)


def erased_texts(events: list[Json], gone: Gone) -> Iterator[Line]:
    """Yield who erased what, and why."""
    for event in every(events, ERASED):
        data = event["data"]
        amount = ", ".join(f"{count} {name}" for name, count in sorted(data.get("categories", {}).items()))
        by = f"{shown(event['actor'])} at {shown(event['at'])}"
        yield (
            "note",
            f"erased by {by}, {shown(data['rule'])}, {shown(data.get('reason', ''))}: {shown(amount)}",
        )
    if gone.events:
        yield "ok", f"of {len(gone.events)} events, what is left is what the events of their erasure say"


def proved_events(
    files: Files,
    name: str,
    proofs: dict[str, Any],
    size: int,
    root: bytes,
    head: str,
    hashes: Mapping[str, str] = MappingProxyType({}),
) -> list[Json]:
    """Return the events of a member, each of which leads to the root, and take their proofs away.

    `hashes` are those of events of which texts were erased since.
    """
    lines = files[name].split(b"\n")
    require(lines.pop() == b"" and len(lines) <= MOST_EVENTS, f"{name} is cut off, or has too many lines")
    events: list[Json] = []
    before, hashed = 0, ""
    for line in lines:
        files.in_time()
        event = an_event(line)
        seq = event["seq"]
        require(before < seq, f"event {seq} comes after event {before}")
        require(
            seq > before + 1 or before == 0 or event["previous"] == hashed, f"event {seq} follows another"
        )
        before, hashed = seq, hashes.get(str(seq)) or digest(line)
        require(seq < size or hashed == head, f"event {seq} is not the last event of the tree")
        steps = proofs.pop(str(seq), ())
        require(isinstance(steps, list) and len(steps) <= 64, f"event {seq} has no proof")
        found = merkle_root(seq - 1, size, bytes.fromhex(hashed), [unhex(step, 32) for step in steps])
        require(found == root, f"event {seq} is not in the signed tree")
        events.append(event)
    return events


def an_event(line: bytes) -> Json:
    """Return an event, whose fields are of their types."""
    event = parse(line)
    types = {"actor": str, "at": str, "data": dict, "previous": str, "seq": int, "subject": str, "type": str}
    require(
        isinstance(event, dict) and {name: type(value) for name, value in event.items()} == types,
        "an event has other fields than events have",
    )
    return dict(event)


def the_case(files: Files, events: list[Json], trust: Trust) -> Json:
    """Return the case, which is as the last event that changed it says; all events are about it."""
    columns, body = files["case/columns.json"], files["case/state.json"]
    stated = [event["data"][STATE] for event in events if STATE in event["data"]]
    require(
        stated and stated[-1] == digest(columns + b"\n" + body), "the case is not what the last event says"
    )
    case, listed = dict(parse(body)), parse(columns)
    id = case["submission"]["id"]
    require(all(event["subject"] == id for event in events), "an event of another submission is among these")
    require(trust.submission in {"", id}, "this is another submission than the one that you named")
    same = {"id": id, "digest": case["submission"]["digest"], "status": case["status"]}
    require(
        all(listed[name] == value for name, value in same.items()), "the case is listed as something else"
    )
    return case


def completeness(case: Json, events: list[Json]) -> Iterator[Line]:
    """Yield whether events could be missing, and whether the submission had come to its end."""
    place = max(number for number, event in enumerate(events) if STATE in event["data"])
    count = events[place]["data"].get(COUNT)
    if count is None:
        yield "OPEN", "the events are not counted: whether one was left out cannot be told"
    else:
        require(count == place + 1, f"of the {shown(count)} events of this case, {place + 1} are here")
        yield "ok", f"no event was left out up to number {events[place]['seq']}, which changed the case last"
    if case["status"] not in OVER:
        yield "OPEN", f"it is not over: what came after {shown(events[-1]['at'])} is not in this file"


def contents(files: Files, case: Json, gone: Gone) -> Iterator[Line]:
    """Yield that the code and the input files are those of the submission."""
    submission = case["submission"]
    draft = submission["draft"]
    names = ["case/code", *(f"case/files/{number}" for number in range(1, len(draft["files"]) + 1))]
    digests = [draft["code"], *(base64.b64decode(file["content"]).decode() for file in draft["files"])]
    found = [stored(files, name, one, gone) for name, one in zip(names, digests, strict=True)]
    if None in found:
        yield (
            "ok",
            f"{found.count(None)} of {len(found)} contents were erased, the others are those of the case",
        )
        return
    code, *inputs = (content or b"" for content in found)
    yield "ok", f"the code ({len(code)} bytes) and {len(inputs)} input files are those of the case"
    if gone.whole:
        return
    require(submission_digest(submission, code, inputs) == submission["digest"], "the digest is wrong")
    yield "ok", f"the submission's digest is {shown(submission['digest'])}"


def stored(files: Files, name: str, expected: str, gone: Gone) -> bytes | None:
    """Return a content of that digest, or None where it is not there and was erased."""
    if name not in files and expected in gone.contents:
        return None
    content = files[name]
    what = {"case/code": "the code is not the code of the case"}.get(name, f"{name} was changed")
    require(digest(content) == expected, what)
    return content


def story(case: Json, events: list[Json]) -> Iterator[Line]:
    """Yield that the events tell what the case says, in the order in which it must have happened."""
    status, result, submission = case["status"], case["result"], case["submission"]
    require(status in OUTCOME_OF, f"no case is {shown(status)}")
    created, analysed, assessed = (
        the_only(events, f"submission.{step}") for step in ("created", "analysed", "assessed")
    )
    decided = every(events, "decision.made", "decision.expired")
    started, ended = every(events, "run.started"), every(events, "run.ended")
    drilled = every(events, "drill.ended")
    decides = status not in {"pending", "drill"}
    require(len(decided) == decides, "the decision is missing, or there are several")
    require(len(drilled) == (status == "drill"), "the end of the drill is missing, or there are several")
    require(len(started) == bool(case["started_at"]), "the start of the run is missing, or there are several")
    require(
        len(ended) == (status in {"finished", "killed"}),
        "the end of the run is missing, or there are several",
    )
    steps = [event["seq"] for event in (created, analysed, assessed, *decided, *drilled, *started, *ended)]
    require(
        steps == sorted(steps) and created is events[0], "the steps are in another order than they happen"
    )
    require(created["actor"] == submission["requester"]["name"], "somebody else submitted it")
    agrees(created, {"digest": submission["digest"], "language": submission["draft"]["language"]})
    found = case["analysis"]
    agrees(
        analysed,
        {"complete": found["complete"], "rules": sorted({one["rule"] for one in found["violations"]})},
    )
    agrees(assessed, {"risk": case["assessment"]["risk"]})
    for event in ended:
        require(plain(event) == result, "the result is not what the end of the run says")
        require((result["kill_reason"] == "none") == (status == "finished"), "the run ended in another way")
    require(bool(result) == bool(ended), "there is a result of a run that did not end")
    yield "ok", f"its steps are complete for a case that is {shown(status)}, and in order"


def decisions(
    case: Json, events: list[Json], registered: dict[str, dict[str, int]], trust: Trust, gone: Gone
) -> Iterator[Line]:
    """Yield what each decision and review proves."""
    decided = every(events, "decision.made", "decision.expired")
    reviewed = every(events, "decision.first_approval")
    final, reviews = case["decision"], case.get("reviews", [])
    outcome = final["outcome"] if final else None
    require(outcome == OUTCOME_OF[case["status"]], "the decision is not one that leads to this status")
    require(
        [plain(event) for event in decided] == [final] * bool(final),
        "the decision is not what its event says",
    )
    require([plain(event) for event in reviewed] == reviews, "a review is not what its event says")
    require(len(reviewed) < MOST_SIGNATURES, "there are too many reviews")
    for event in (*reviewed, *decided):
        yield from one_decision(event, case, registered, trust, gone)
    made = [(one["by"]["name"], (one.get("signature") or {}).get("key")) for one in (*reviews, final) if one]
    require(
        len({name for name, _ in made}) == len(made) == len({key for _, key in made})
        or outcome != "approved",
        "one reviewer approved twice",
    )


def one_decision(
    event: Json, case: Json, registered: dict[str, dict[str, int]], trust: Trust, gone: Gone
) -> Iterator[Line]:
    """Yield what a decision is about, and whose key signed it."""
    made, submission = plain(event), case["submission"]
    name, outcome = made["by"]["name"], made["outcome"]
    require(
        (made["digest"], made["submission"]) == (submission["digest"], submission["id"]),
        "a decision is about something else",
    )
    require(event["actor"] == name, "a decision is not the one of who made it")
    require(
        (event["type"] == "decision.expired") == (outcome == "expired"), "a decision is called another one"
    )
    require(event["type"] != "decision.first_approval" or outcome == "approved", "a review is no approval")
    if made["analysis"] and not gone.whole:
        found = {key: value for key, value in case["analysis"].items() if key != "seconds"}
        require(made["analysis"] == digest(canonical(found).encode()), "it rests on another analysis")
    yield "ok", f"{shown(outcome)} by {shown(name)} at {shown(made['at'])}, about exactly this submission"
    if event["seq"] in gone.events:
        yield "OPEN", f"the signature of {shown(name)} covers what was erased: it is the engine's word alone"
        return
    yield signature_of(made, registered.get(name, {}), event["seq"], trust)


def signature_of(made: Json, registered: dict[str, int], seq: int, trust: Trust) -> Line:
    """Return what the signature of a decision proves.

    `registered` are the keys that the engine recorded for its maker, with the number of that event.
    """
    name, signature = made["by"]["name"], made.get("signature")
    named = trust.reviewers.get(name)
    if not signature:
        require(made["outcome"] != "approved", f"the approval by {shown(name)} is not signed")
        require(named is None, f"the decision of {shown(name)}, whose key you named, is not signed")
        return "OPEN", f"the decision of {shown(name)} is not signed: it is the engine's word alone"
    key = unhex(signature["key"], 32)
    unsigned = {field: value for field, value in made.items() if field != "signature"}
    message = DECISION + canonical(unsigned).encode()
    require(ed25519(key, message, unhex(signature["value"], 64)), f"the signature of {shown(name)} is wrong")
    if named is not None:
        require(is_named(key, named), f"{shown(name)} signed with another key than the one that you named")
        return "ok", f"it is signed with the key that you named for {shown(name)}"
    known = registered.get(key.hex())
    if known is not None and known < seq:
        return (
            "ok",
            f"it is signed with the key that the engine registered for {shown(name)} in event {known}",
        )
    require(not registered, f"{shown(name)} signed with another key than the one that the engine registered")
    return "OPEN", f"only this file vouches that {key.hex()} is the key of {shown(name)}: use --reviewer-key"


def registered_keys(registered: list[Json], events: list[Json]) -> dict[str, dict[str, int]]:
    """Return the keys that the engine registered, by name, with the number of the event."""
    keys: dict[str, dict[str, int]] = {}
    for event in registered:
        kind = (event["subject"], event["type"])
        require(kind == ("reviewers", "reviewer.registered"), "keys.jsonl holds an event of another kind")
        keys.setdefault(event["data"]["name"], {})[event["data"]["key"]] = event["seq"]
    return keys


def left_behind(files: Files, case: Json, events: list[Json], gone: Gone) -> Iterator[Line]:
    """Yield that output and artifacts are as they came."""
    result = case["result"]
    sizes = output(files, every(events, "run.output"), gone)
    measured = result and result["kill_reason"] not in UNMEASURED
    said = {"stdout": result["stdout_bytes"], "stderr": result["stderr_bytes"]} if measured else sizes
    require(said == sizes, "there is less or more output than the run's end says")
    yield "ok", f"{sum(sizes.values())} bytes of output are as they came{gone.but}"
    left = [plain(event) for event in every(events, "run.artifact")]
    for one in left:
        content = stored(files, f"artifacts/{one['digest']}", one["digest"], gone)
        require(content is None or len(content) == one["size"], "an artifact was changed")
    if measured:
        shown_ones = {one.get("digest") for one in result["displays"]}
        require(
            [
                one
                for one in left
                if one in result["artifacts"] or (one["digest"] not in shown_ones and not gone.whole)
            ]
            == result["artifacts"],
            "the artifacts are not those that the run's end names",
        )
    yield "ok", f"{len(left)} artifacts are as the run left them{gone.but}"


def output(files: Files, blocks: list[Json], gone: Gone) -> dict[str, int]:
    """Return how many bytes each stream has; all of them come without a gap, as their events say."""
    kept = [block for block in blocks if block["data"]["digest"] not in gone.contents or "output" in files]
    rest = memoryview(files["output"] if kept else b"")
    sizes, offset = {"stdout": 0, "stderr": 0}, 0
    for block in (event["data"] for event in blocks):
        length = 0
        for stream, _, start, size in block["chunks"]:
            require(start == offset + length and size >= 0, "a part of the output is missing")
            sizes[stream] += size
            length += size
        require(length == block["size"], "a part of the output is missing")
        offset += length
        if digest(bytes(rest[:length])) == block["digest"] and length <= len(rest):
            rest = rest[length:]
        else:
            require(block["digest"] in gone.contents, "the output was changed")
    require(not rest, "there is more output than the events name")
    return sizes


def about_itself(files: Files, case: Json) -> Iterator[Line]:
    """Yield what the file says about itself."""
    expected = README.format(id=case["submission"]["id"]).encode()
    require(files["README.txt"] == expected, "README.txt is not the one of this case")
    own = Path(__file__).read_bytes()
    if files["verify.py"] != own:
        yield "note", "the verify.py in the file is another one than this, and was not used"


def every(events: list[Json], *types: str) -> list[Json]:
    """Return the events of these types."""
    return [event for event in events if event["type"] in types]


def the_only(events: list[Json], type: str) -> Json:
    """Return the one event of a type."""
    found = every(events, type)
    require(len(found) == 1, f"there is not exactly one event {type}, but {len(found)}")
    return found[0]


def plain(event: Json) -> Json:
    """Return the data of an event without what the history adds to it."""
    return {name: value for name, value in event["data"].items() if name not in {STATE, COUNT, "v"}}


def agrees(event: Json, stated: Json) -> None:
    """Raise `Wrong` unless an event says the same as the case."""
    for name, value in stated.items():
        require(
            event["data"][name] == value, f"{event['type']} says something else than the case about {name}"
        )


def submission_digest(submission: Json, code: bytes, files: list[bytes]) -> str:
    """Return the digest of a submission: SHA-256 over its canonical JSON (RFC 8785)."""
    names = [file["name"] for file in submission["draft"]["files"]]
    covered = {
        **submission["draft"],
        "code": code.decode(),
        "files": [
            {"name": name, "sha256": digest(content)} for name, content in zip(names, files, strict=True)
        ],
        "requester": submission["requester"]["name"],
    }
    if submission["requester"].get("id"):
        covered["principal"] = submission["requester"]["id"]
    return digest(canonical(covered).encode())


def require(holds: object, problem: str) -> None:
    """Raise `Wrong` unless it holds."""
    if not holds:
        raise Wrong(problem)


def shown(value: object) -> str:
    """Return a value as it is printed: ASCII in quotation marks, without control characters, and not long."""
    text = str(value)
    return ascii(text[:SHOWN]) + ("..." if len(text) > SHOWN else "")


def is_named(key: bytes, named: frozenset[str]) -> bool:
    """Return whether a key or its SHA-256 is among these."""
    return key.hex() in named or hashlib.sha256(key).hexdigest() in named


def digest(content: bytes) -> str:
    """Return the SHA-256 in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def unhex(text: object, size: int) -> bytes:
    """Return the bytes that lower-case hexadecimal stands for."""
    require(
        isinstance(text, str) and re.fullmatch(f"[0-9a-f]{{{2 * size}}}", text), "no lower-case hexadecimal"
    )
    return bytes.fromhex(str(text))


def unbase64(text: str) -> bytes:
    """Return the bytes that base64 stands for, in its one spelling."""
    content = base64.b64decode(text, validate=True)
    require(base64.b64encode(content).decode() == text, "base64 in another spelling")
    return content


# --- JSON, bounded and without doubles -------------------------------------------------------------

_ESCAPED, _BRACKET = re.compile(rb"\\.", re.DOTALL), re.compile(rb"[\[{}\]]")


def parse(content: bytes) -> Any:
    """Return what JSON says: no name twice, no number that programs read differently, nested a little."""
    require(len(content) <= MOST_JSON, "a JSON text is too long")
    depth = 0
    for bracket in _BRACKET.findall(b"".join(_ESCAPED.sub(b"", content).split(b'"')[::2])):
        depth += 1 if bracket in b"[{" else -1
        require(depth <= MOST_DEPTH, "a JSON text is nested too deeply")
    return json.loads(
        content.decode(),
        object_pairs_hook=_once,
        parse_int=_integer,
        parse_float=_fraction,
        parse_constant=_constant,
    )


def _once(pairs: list[tuple[str, Any]]) -> Json:
    found = dict(pairs)
    require(len(found) == len(pairs), "a JSON object has a name twice")
    return found


def _integer(text: str) -> int:
    require(len(text) <= 17 and abs(int(text)) < 2**53, "a number is too large")
    return int(text)


def _fraction(text: str) -> float:
    require(len(text) <= 40 and abs(float(text)) < 1e300, "a number is too large")
    return float(text)


def _constant(text: str) -> float:
    raise Wrong("a number is none")


def canonical(value: Any) -> str:
    """Return the canonical JSON (RFC 8785) of what is signed or hashed."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(key)}:{canonical(value[key])}" for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    return number(value) if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


def number(value: float) -> str:
    """Return a number as ECMAScript writes it."""
    exact = Decimal(repr(value))
    if value == 0 or -7 < exact.adjusted() < 21:
        text = format(exact, "f") if value else "0"
        return text.rstrip("0").rstrip(".") if "." in text else text
    digits, _, exponent = repr(value).partition("e")
    return f"{digits}e{int(exponent):+}"


# --- the zip, which has one form: members one after another, not compressed, and nothing else ------

_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")


def packed(members: Mapping[str, bytes]) -> bytes:
    """Return the one zip of these members."""
    parts, directory, offset = [], [], 0
    for name, content in members.items():
        called = name.encode("ascii")
        about = (20, 0, 0, 0, 0x21, zlib.crc32(content), len(content), len(content), len(called), 0)
        parts += [_LOCAL.pack(b"PK\x03\x04", *about), called, content]
        mode = 0o100600 << 16
        directory += [_CENTRAL.pack(b"PK\x01\x02", 3 << 8 | 20, *about, 0, 0, 0, mode, offset), called]
        offset += _LOCAL.size + len(called) + len(content)
    listed = b"".join(directory)
    end = _END.pack(b"PK\x05\x06", 0, 0, len(members), len(members), len(listed), offset, 0)
    return b"".join((*parts, listed, end))


def unpacked(archive: bytes) -> dict[str, bytes]:
    """Return the members of a zip of that one form."""
    members: dict[str, bytes] = {}
    place = 0
    while archive[place : place + 4] == b"PK\x03\x04":
        require(len(archive) >= place + _LOCAL.size, "the zip is cut off")
        *_, size, length, _extra = _LOCAL.unpack_from(archive, place)
        start = place + _LOCAL.size + length
        name = archive[place + _LOCAL.size : start].decode("ascii")
        require(
            _NAME.fullmatch(name) and name not in members, f"{shown(name)} is no name of ours, or comes twice"
        )
        require(len(members) < MOST_MEMBERS, "there are too many members")
        members[name] = archive[start : start + size]
        place = start + size
    require(
        members and packed(members) == archive, "the zip is not one that Pratique writes: unpack it to see"
    )
    return members


# --- RFC 6962: Merkle tree ------------------------------------------------------------------------


def merkle_root(index: int, size: int, data: bytes, proof: list[bytes]) -> bytes | None:
    """Return the root that an inclusion proof leads to. Source: RFC 9162, 2.1.3.2."""
    place, last, root = index, size - 1, hashlib.sha256(b"\x00" + data).digest()
    for other in proof:
        if last == 0:
            return None
        if place & 1 or place == last:
            root = hashlib.sha256(b"\x01" + other + root).digest()
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            root = hashlib.sha256(b"\x01" + root + other).digest()
        place, last = place >> 1, last >> 1
    return root if last == 0 and 0 <= index < size else None


# --- RFC 8032: Ed25519 ----------------------------------------------------------------------------

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)
Point = tuple[int, int, int, int]


_PEM = re.compile(
    rb"-----BEGIN PUBLIC KEY-----\n(MCowBQYDK2VwAyEA[A-Za-z0-9+/]{43}=)\n-----END PUBLIC KEY-----\n"
)


def public_key(pem: bytes) -> bytes:
    """Return the 32 bytes of a public key in PEM."""
    match = _PEM.fullmatch(pem)
    require(match, "no Ed25519 key in PEM")
    key = unbase64(match[1].decode())[12:] if match else b""
    point = unpack(key)
    require(point and not is_small(point), "a key that fits any signature")
    return key


def ed25519(key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether the signature of the message was made with this key."""
    public, point = unpack(key), unpack(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or public is None or point is None or scalar >= ORDER or is_small(public):
        return False
    challenge = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER
    left, right = times(scalar, BASE), plus(point, times(challenge, public))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (
        left[1] * right[2] - right[1] * left[2]
    ) % P == 0


def unpack(encode: bytes) -> Point | None:
    """Return the point that 32 bytes stand for, or None."""
    number = int.from_bytes(encode, "little")
    sign, y = number >> 255, number & (2**255 - 1)
    if len(encode) != 32 or y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


def is_small(point: Point) -> bool:
    """Return whether eight times a point is nothing: such a key fits signatures that nobody made."""
    x, y, z, _ = times(8, point)
    return x % P == 0 and (y - z) % P == 0


def plus(one: Point, two: Point) -> Point:
    """Return the sum of two points in extended coordinates."""
    a = (one[1] - one[0]) * (two[1] - two[0]) % P
    b = (one[1] + one[0]) * (two[1] + two[0]) % P
    c = 2 * one[3] * two[3] * D % P
    d = 2 * one[2] * two[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(scalar: int, point: Point) -> Point:
    """Return a multiple of a point."""
    result: Point = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            result = plus(result, point)
        point, scalar = plus(point, point), scalar >> 1
    return result


_BASE = unpack((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))
BASE: Point = _BASE or (0, 1, 1, 0)


# --- the program ----------------------------------------------------------------------------------


def members_of(place: Path) -> dict[str, bytes]:
    """Return the members of a zip or of the folder that it was unpacked to.

    Raises:
        Unknown: it cannot be read, or is too large.
    """
    if not place.is_dir():
        return unpacked(content_of(place, MOST_BYTES))
    members: dict[str, bytes] = {}
    rest = MOST_BYTES
    for folder, folders, names in os.walk(place):
        require(len(folders) <= 3, "there are folders that are no part of a case file")
        for name in names:
            path = Path(folder, name)
            called = path.relative_to(place).as_posix()
            require(
                _NAME.fullmatch(called) and len(members) < MOST_MEMBERS, f"{shown(called)} is no part of it"
            )
            members[called] = content_of(path, rest)
            rest -= len(members[called])
    return members


def content_of(path: Path, most: int) -> bytes:
    """Return the bytes of a regular file, which is no link and not larger than `most`."""
    try:
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        with os.fdopen(os.open(path, flags), "rb") as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode) or about.st_size > most:
                raise Unknown(f"{shown(path)} is no regular file, or is too large")
            return file.read(most)
    except OSError as error:
        raise Unknown(f"{shown(path)} cannot be read: {error.strerror}") from None


def a_key(text: str) -> str:
    """Return a key or a fingerprint as it was given, or the key in a file."""
    if re.fullmatch("[0-9A-Fa-f]{64}", text):
        return text.lower()
    try:
        return public_key(content_of(Path(text), 4096)).hex()
    except (Wrong, Unknown, ValueError):
        raise argparse.ArgumentTypeError(
            "neither 64 hexadecimal digits nor a file with a key in PEM"
        ) from None


def reviewer_key(text: str) -> tuple[str, str]:
    """Return the name and the key of NAME=KEY."""
    name, _, key = text.rpartition("=")
    return name, a_key(key)


def asked(arguments: list[str] | None) -> tuple[Path, Trust]:
    """Return what is to be proved, and what the reader knows."""
    parser = argparse.ArgumentParser(description="Prove a case file of Pratique.", allow_abbrev=False)
    parser.add_argument("place", nargs="?", type=Path, default=Path(__file__).resolve().parent)
    parser.add_argument("--key", action="append", default=[], type=a_key, help="the engine's key")
    parser.add_argument("--reviewer-key", action="append", default=[], type=reviewer_key, metavar="NAME=KEY")
    parser.add_argument("--submission", default="", help="the submission that it must be about")
    given = parser.parse_args(arguments)
    reviewers = {
        name: frozenset(key for other, key in given.reviewer_key if other == name)
        for name, _ in given.reviewer_key
    }
    return given.place, Trust(frozenset(given.key), reviewers, given.submission)


def say(kind: str, text: str) -> None:
    """Print one line of printable ASCII."""
    clean = "".join(letter if " " <= letter <= "~" else "?" for letter in f"{kind}: {text}")
    sys.stdout.write(f"{clean[:2000]}\n")


def main(arguments: list[str] | None = None) -> int:
    """Check the case file that is named, or the folder that this program is in."""
    place, trust = asked(arguments)
    kinds: set[str] = set()
    try:
        for kind, text in check(members_of(place), trust):
            say(kind, text)
            kinds.add(kind)
    except Unknown as unknown:
        say("OPEN", str(unknown))
        kinds.add("OPEN")
    except Exception as error:  # whatever a forged file leads to, it is not proved
        say("WRONG", str(error) if isinstance(error, Wrong) else f"it cannot be read: {type(error).__name__}")
        sys.stdout.write("not proved\n")
        return NOT_PROVED
    sys.stdout.write("cannot tell\n" if "OPEN" in kinds else "proved\n")
    return CANNOT_TELL if "OPEN" in kinds else PROVED


if __name__ == "__main__":
    sys.exit(main())

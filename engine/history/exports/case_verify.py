#!/usr/bin/env python3
"""Prove a case file of Pratique, with nothing but Python's standard library.

    python3 verify.py                 in the unpacked folder
    python3 verify.py case.zip        without unpacking

It shows that every event is in the signed Merkle tree (RFC 6962), that the tree head was signed with the key
in `public_key.pem` (Ed25519, RFC 8032, computed here in pure Python), that case, code, files, output and
artifacts are those that the events name, that what was decided on is what was submitted, and that signed
decisions were made with the keys that they name. It cannot show that no event was left out, nor whose the
keys are: compare the fingerprints that it prints with those you were given.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
import zipfile
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

DECISION = b"pratique decision v1\n"
"""The prefix of the text that a decision's signature covers."""
Read = Callable[[str], bytes]
NOTE = re.compile(
    r"(?P<text>(?P<origin>[^\n]+)\n(?P<size>\d+)\n(?P<root>[^\n]+)\nhead [0-9a-f]{64}\nat [^\n]+\n)\n"
    "\u2014 (?P<name>[^ \n]+) (?P<signature>[^\n]+)\n"
)


class Wrong(Exception):
    """Something is not as the proofs say."""


def check(read: Read) -> Iterator[str]:
    """Yield a line for each thing that was proved.

    Raises:
        Wrong: something is not as the proofs say.
    """
    key = public_key(read("public_key.pem"))
    yield f"the public key has the fingerprint {hashlib.sha256(key).hexdigest()}"
    size, root = tree_head(read("checkpoint.txt").decode(), key)
    yield f"the tree head over {size} events is signed with that key"
    events = proved_events(read, size, root)
    yield f"{len(events)} events are in that tree, unchanged"
    yield from check_case(read, events)


def tree_head(note: str, key: bytes) -> tuple[int, bytes]:
    """Return the size and the root that a signed note states."""
    match = NOTE.fullmatch(note)
    if match is None:
        raise Wrong("checkpoint.txt is no signed note")
    signed = base64.b64decode(match["signature"])
    named = hashlib.sha256(match["origin"].encode() + b"\n\x01" + key).digest()[:4]
    require(signed[:4] == named, "the tree head was signed with another key")
    require(ed25519(key, match["text"].encode(), signed[4:]), "the signature of the tree head is wrong")
    return int(match["size"]), base64.b64decode(match["root"])


def proved_events(read: Read, size: int, root: bytes) -> list[dict[str, Any]]:
    """Return the events, each of which leads to the root."""
    proofs = json.loads(read("proofs.json"))
    events = []
    for line in read("events.jsonl").splitlines():
        event = json.loads(line)
        proof = [bytes.fromhex(step) for step in proofs.get(str(event["seq"]), ())]
        found = merkle_root(event["seq"] - 1, size, hashlib.sha256(line).digest(), proof)
        require(found == root, f"event {event['seq']} is not in the signed tree")
        events.append(event)
    return events


def check_case(read: Read, events: list[dict[str, Any]]) -> Iterator[str]:
    """Yield what was proved of the case, its contents and its decision."""
    columns, body = read("case/columns.json"), read("case/state.json")
    stated = [event["data"]["case_sha256"] for event in events if "case_sha256" in event["data"]]
    require(
        stated and stated[-1] == digest(columns + b"\n" + body), "the case is not what the last event says"
    )
    case = json.loads(body)
    yield f"the case {case['submission']['id']} is as its last event says: {case['status']}"
    draft = case["submission"]["draft"]
    code = read("case/code")
    require(digest(code) == draft["code"], "the code is not the code of the case")
    files = [read(f"case/files/{number}") for number in range(1, len(draft["files"]) + 1)]
    for content, listed in zip(files, draft["files"], strict=True):
        require(digest(content).encode() == base64.b64decode(listed["content"]), "an input file was changed")
    yield f"the code ({len(code)} bytes) and {len(files)} input files are those of the case"
    require(
        submission_digest(case, code, files) == case["submission"]["digest"],
        "the submission's digest is wrong",
    )
    decision = case["decision"]
    if decision:
        require(decision["digest"] == case["submission"]["digest"], "the decision is about something else")
        yield f"{decision['outcome']} by {decision['by']['name']!a} at {decision['at']}, about exactly that"
    for made in filter(None, (*case.get("reviews", ()), decision)):
        if made.get("signature"):
            yield signature_of(made)
    blocks = [event["data"]["digest"] for event in events if event["type"] == "run.output"]
    for block in blocks:
        require(digest(read(f"output/{block}")) == block, "the output was changed")
    yield f"{len(blocks)} blocks of output are as they came"
    left = [event["data"]["digest"] for event in events if event["type"] == "run.artifact"]
    for one in left:
        require(digest(read(f"artifacts/{one}")) == one, "a file that the run left was changed")
    yield f"{len(left)} files that the run left are as it left them"


def signature_of(decision: dict[str, Any]) -> str:
    """Return what a decision's signature proves."""
    plain = {name: value for name, value in decision.items() if name != "signature"}
    key, value = (bytes.fromhex(decision["signature"][part]) for part in ("key", "value"))
    message = DECISION + canonical(plain).encode()
    require(ed25519(key, message, value), f"the signature of {decision['by']['name']!a} is wrong")
    return f"the decision of {decision['by']['name']!a} is signed with the key {key.hex()}"


def submission_digest(case: dict[str, Any], code: bytes, files: list[bytes]) -> str:
    """Return the digest of a submission: SHA-256 over its canonical JSON (RFC 8785)."""
    submission = case["submission"]
    names = [file["name"] for file in submission["draft"]["files"]]
    plain = {
        **submission["draft"],
        "code": code.decode(),
        "files": [
            {"name": name, "sha256": digest(content)} for name, content in zip(names, files, strict=True)
        ],
        "requester": submission["requester"]["name"],
    }
    return digest(canonical(plain).encode())


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


def digest(content: bytes) -> str:
    """Return the SHA-256 in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def require(holds: Any, problem: str) -> None:
    """Raise `Wrong` unless it holds."""
    if not holds:
        raise Wrong(problem)


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


def public_key(pem: bytes) -> bytes:
    """Return the 32 bytes of a public key in PEM."""
    der = base64.b64decode(b"".join(line for line in pem.splitlines() if not line.startswith(b"-----")))
    require(len(der) == 44 and der.startswith(bytes.fromhex("302a300506032b6570032100")), "no Ed25519 key")
    return der[12:]


def ed25519(key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether the signature of the message was made with this key."""
    public, point = unpack(key), unpack(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or public is None or point is None or scalar >= ORDER:
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


def reader(place: Path) -> Read:
    """Return what reads a member of a zip file or a file of a folder, by a name of ours."""
    if place.is_dir():
        return lambda name: (place / name).read_bytes()
    archive = zipfile.ZipFile(place)
    return archive.read


def main() -> int:
    """Check the case file that is named, or the folder that this program is in."""
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent
    try:
        for line in check(reader(place)):
            sys.stdout.write(f"ok: {line}\n")
    except (Wrong, OSError, KeyError, ValueError, TypeError, AttributeError, zipfile.BadZipFile) as error:
        sys.stdout.write(f"WRONG: {error!a}\n" if not isinstance(error, Wrong) else f"WRONG: {error}\n")
        return 1
    sys.stdout.write("proved\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

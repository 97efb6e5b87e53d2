"""How a record becomes bytes and is bound to the one before, and how the end of the chain is signed."""

from __future__ import annotations

import base64
import hashlib
import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from engine.common.text import Untrusted
from engine.history.chain import chain
from engine.history.chain.heads import HeadSigner, parse_head
from engine.history.errors import HistoryError

AT = "2030-01-02T03:04:05.000006Z"
KEY, OTHER = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
RECORD = chain.link(7, chain.GENESIS, AT, "note.added", "s-1", 'é"\\\n', '{"n":1}')
SAFE = 2**53 - 1
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-SAFE, SAFE)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=3)
    ),
)


# --- records


def test_a_record_is_hashed_over_its_canonical_json() -> None:
    """All fields but the hash, as RFC 8785 writes them, with the hash before."""
    fields: dict[str, Any] = {
        "seq": 7, "at": AT, "type": "note.added", "subject": "s-1", "actor": 'é"\\\n',
        "data": {"n": 1}, "previous": chain.GENESIS.hex(),
    }  # fmt: skip
    assert rfc8785.dumps(fields) == chain.canonical(RECORD)
    assert hashlib.sha256(rfc8785.dumps(fields)).digest() == RECORD.hash
    assert chain.GENESIS == RECORD.previous


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("seq", 8), ("at", "2030"), ("type", "x"), ("subject", "s-2"), ("actor", "x"), ("data", "{}"),
        ("previous", bytes(32)),
    ],
)  # fmt: skip
def test_every_field_counts(field: str, value: Any) -> None:
    """Another value of any field is another hash."""
    fields = RECORD._asdict() | {field: value}
    del fields["hash"]
    assert RECORD.hash != chain.hash_of(**fields)


def test_a_lone_surrogate_in_a_name_is_hashed() -> None:
    """What no UTF-8 has is kept as it is."""
    assert b"\xed\xb3\xbf" in chain.json_of(1, AT, "t", "\udcff", "a", "{}", bytes(32))


def test_an_event_is_what_its_record_says() -> None:
    """Field by field."""
    event = chain.event_of(RECORD)
    assert (7, datetime(2030, 1, 2, 3, 4, 5, 6, tzinfo=UTC), "note.added", "s-1") == (
        event.seq, event.at, event.type, event.subject
    )  # fmt: skip
    assert (Untrusted('é"\\\n'), {"n": 1}) == (event.actor, event.data)
    assert (chain.GENESIS.hex(), RECORD.hash.hex()) == (event.previous, event.hash)


def test_moments_are_of_one_width_in_utc() -> None:
    """Text sorts by time."""
    zone = timezone(timedelta(hours=2))
    assert "2030-01-02T03:04:05.000000Z" == chain.stamp(datetime(2030, 1, 2, 5, 4, 5, tzinfo=zone))


# --- data


@given(st.dictionaries(st.text(st.characters(codec="utf-8")), VALUES, max_size=4))
def test_data_is_written_as_rfc_8785_requires(data: dict[str, Any]) -> None:
    """Whatever JSON it is."""
    assert rfc8785.dumps(data).decode() == chain.canonical_data(data)


@pytest.mark.parametrize(
    "value",
    [
        1e-4, 9.9e-5, 1e15, 1e15 - 0.5, 1.5, 2.0, -1.5, 1e21, 0.0, -0.0, SAFE, -SAFE, True, None,
        [], [1.0], {},
        {"b": 1, "a": 2}, {"é": 1, "\U0001f600": 2, "\ufb33": 3},
    ],
)  # fmt: skip
def test_numbers_and_keys_at_the_bounds_are_written_so_too(value: Any) -> None:
    """Where Python's own encoder would write them otherwise."""
    assert rfc8785.dumps({"a": value}).decode() == chain.canonical_data({"a": value})


@pytest.mark.parametrize(
    "value", [SAFE + 1, -SAFE - 1, float("nan"), float("inf"), "\ud800", b"x", {1: 2}, object()]
)
def test_what_json_cannot_hold_is_refused(value: object) -> None:
    """With an error of the history."""
    with pytest.raises(HistoryError, match="cannot be written as JSON"):
        chain.canonical_data({"a": value})


def test_data_that_is_nested_without_end_is_refused() -> None:
    """Not with an error of Python's own."""
    data: dict[str, Any] = {}
    data["a"] = data
    with pytest.raises(HistoryError, match="cannot be written as JSON"):
        chain.canonical_data(data)


def test_data_reads_back_as_it_was() -> None:
    """In the order of its keys."""
    assert ["a", "b"] == list(json.loads(chain.canonical_data({"b": [1, "x"], "a": None})))


# --- signed heads


def note(size: int = 9) -> str:
    """Return a signed head."""
    return HeadSigner(KEY).note(size, b"\x07" * 32, AT)


def test_a_signed_head_is_read_as_it_was_made() -> None:
    """Its size, hash, moment and key, and the bytes that are signed."""
    head = parse_head(note())
    assert head is not None
    assert (9, b"\x07" * 32, AT, KEY.public_key().public_bytes_raw().hex()) == (
        head.size, head.head, head.at, head.key
    )  # fmt: skip
    assert note().encode().startswith(head.text)
    assert head.text.endswith(f"key {head.key}\n".encode())


def test_a_head_is_signed_by_its_own_key_alone() -> None:
    """Not by another one, and not where any signed byte is another."""
    head, changed = parse_head(note()), parse_head(note().replace("\n9\n", "\n8\n"))
    assert head is not None
    assert changed is not None
    assert head.is_signed_by(KEY.public_key())
    assert not head.is_signed_by(OTHER.public_key())
    assert not changed.is_signed_by(KEY.public_key())


def test_a_head_that_names_another_key_is_not_signed_by_it() -> None:
    """Although the signature is that of the key which is asked about."""
    other = OTHER.public_key().public_bytes_raw().hex()
    text = f"pratique/head\n9\nhead {'07' * 32}\nat {AT}\nkey {other}\n"
    signature = base64.b64encode(KEY.sign(text.encode())).decode()
    head = parse_head(f"{text}\n\u2014 pratique/head {signature}\n")
    assert head is not None
    assert not head.is_signed_by(KEY.public_key())


@pytest.mark.parametrize(
    "changed",
    [
        "", note()[:-1], note() + "\n", " " + note(), note().replace("pratique/head", "pratique/history"),
        note().replace("head 07", "head 0G"), note().rpartition(" ")[0] + " " + "=" * 88 + "\n",
        note(10**18),
    ],
)  # fmt: skip
def test_what_is_no_signed_head_is_none(changed: str) -> None:
    """Whatever is missing, added or of another form."""
    assert parse_head(changed) is None

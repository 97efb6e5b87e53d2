"""Keys, signatures and roles."""

from __future__ import annotations

import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from engine.common.text import Untrusted
from engine.models import (
    Decision,
    DecisionOutcome,
    Grant,
    Limits,
    LineComment,
    Permissions,
    Principal,
    ReviewRecord,
    Role,
)
from engine.models.past_decisions import ADOPTION_CONTEXT, PolicyAdoption
from engine.principals import KeyRing, canonical_bytes, may, sign, verify
from engine.principals.keys import KeyUnusable
from engine.principals.roles import Action
from engine.principals.signing import adoption_bytes, is_signed, sign_adoption

ADA = Principal(name=Untrusted("ada"), roles=frozenset({Role.REVIEWER, Role.ADMIN}))
BOB = Principal(name=Untrusted("bob"), roles=frozenset({Role.REVIEWER}))
DECISION = Decision(
    submission="s-1",
    digest="0" * 64,
    outcome=DecisionOutcome.APPROVED,
    by=ADA,
    at=datetime(2030, 1, 1, tzinfo=UTC),
    grant=Grant(permissions=Permissions(limits=Limits(seconds=1.5))),
)


def file_of(folder: Path) -> Path:
    """Return the one key file in a folder."""
    (file,) = folder.iterdir()
    return file


def test_a_key_is_made_once_and_is_private(tmp_path: Path) -> None:
    """The first use makes the key, readable by its owner alone; later uses find the same one."""
    ring = KeyRing(tmp_path / "keys")
    first = ring.key(ADA).private_bytes_raw()
    assert first == KeyRing(tmp_path / "keys").key(ADA).private_bytes_raw()
    assert 0o600 == stat.S_IMODE(file_of(tmp_path / "keys").stat().st_mode)
    assert first != ring.key(BOB).private_bytes_raw()


def test_a_name_from_an_agent_names_no_other_file(tmp_path: Path) -> None:
    """A name with slashes, dots or nothing at all stays in the folder."""
    ring = KeyRing(tmp_path / "keys")
    for name in ("../../etc/passwd", "", ".", "a/b", "x" * 5000):
        ring.key(Principal(name=Untrusted(name)))
    assert 5 == len(list((tmp_path / "keys").iterdir()))


def test_a_key_that_others_can_read_is_not_used(tmp_path: Path) -> None:
    """An open key file is refused with what to type."""
    ring = KeyRing(tmp_path)
    ring.key(ADA)
    file_of(tmp_path).chmod(0o640)
    with pytest.raises(KeyUnusable, match="chmod 600"):
        ring.key(ADA)


@pytest.mark.parametrize(
    "content", [b"", b"no key", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"]
)
def test_a_damaged_key_is_not_replaced(tmp_path: Path, content: bytes) -> None:
    """A file that holds no key is refused and left alone."""
    ring = KeyRing(tmp_path)
    ring.key(ADA)
    file_of(tmp_path).write_bytes(content)
    with pytest.raises(KeyUnusable, match="holds no key"):
        ring.key(ADA)
    assert content == file_of(tmp_path).read_bytes()


def test_a_key_of_another_kind_is_not_used(tmp_path: Path) -> None:
    """Only Ed25519 keys sign."""
    ring = KeyRing(tmp_path)
    ring.key(ADA)
    other = generate_private_key(SECP256R1())
    file_of(tmp_path).write_bytes(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with pytest.raises(KeyUnusable, match="no Ed25519 key"):
        ring.key(ADA)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """A key file that is a link is refused."""
    ring = KeyRing(tmp_path / "keys")
    ring.key(ADA)
    file = file_of(tmp_path / "keys")
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(KeyUnusable):
        ring.key(ADA)


def test_a_decision_is_verified_by_the_public_key_alone() -> None:
    """A signed decision holds after a round trip through JSON, for its signer's public key."""
    key = Ed25519PrivateKey.generate()
    signed = Decision.model_validate_json(sign(DECISION, key).model_dump_json())
    assert verify(signed, key.public_key().public_bytes_raw().hex())
    assert not verify(signed, "0" * 64)
    assert not verify(DECISION, key.public_key().public_bytes_raw().hex())


def test_an_adopted_rule_is_signed_with_all_its_fields() -> None:
    """But its signature; what is signed begins with what it is for."""
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes_raw().hex()
    adopted = PolicyAdoption(rule="r-1", yaml="rules: []", by=ADA, at=datetime(2030, 1, 1, tzinfo=UTC))
    signed = sign_adoption(adopted, key)
    changed = adoption_bytes(signed.model_copy(update={"yaml": "rules: [x]"}))
    assert adoption_bytes(adopted) == adoption_bytes(signed)
    assert adoption_bytes(adopted).startswith(ADOPTION_CONTEXT + b'{"at":')
    assert is_signed(signed.signature, adoption_bytes(signed), public)
    assert not is_signed(signed.signature, changed, public)


def test_roles_are_signed_in_order() -> None:
    """What is signed is the same in every process, whatever order its sets have."""
    everything = Principal(name=Untrusted("ada"), roles=frozenset(Role))
    signed = canonical_bytes(DECISION.model_copy(update={"by": everything}))
    assert b'"roles":["admin","auditor","requester","reviewer"]' in signed


@pytest.mark.parametrize(
    "change",
    [
        {"submission": "s-2"},
        {"digest": "1" * 64},
        {"outcome": DecisionOutcome.DENIED},
        {"by": BOB},
        {"at": datetime(2030, 1, 1, 0, 0, 1, tzinfo=UTC)},
        {"reason": Untrusted("x")},
        {"grant": Grant(permissions=Permissions(limits=Limits(seconds=1.6)))},
        {"grant": None},
        {"image": "sha256:1"},
        {"policy": "1"},
        {"analysis": "1"},
        {"review_record": ReviewRecord(seconds=1)},
        {"pre_approval": "x"},
        {"comments": (LineComment(first=1, last=1, text=Untrusted("x")),)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_any_change_breaks_the_signature(change: dict[str, Any]) -> None:
    """Each field of a decision is under its signature."""
    signed = sign(DECISION, Ed25519PrivateKey.generate())
    assert set(Decision.model_fields) - {"signature"} == {
        "submission", "digest", "outcome", "by", "at", "reason", "grant", "image", "policy", "analysis",
        "review_record", "pre_approval", "comments",
    }  # fmt: skip
    assert signed.signature is not None
    assert not verify(signed.model_copy(update=change), signed.signature.key)


@pytest.mark.parametrize(
    ("roles", "deeds"),
    [
        ((), set()),
        ((Role.REQUESTER,), {Action.SUBMIT}),
        ((Role.AUDITOR,), {Action.LOOK}),
        ((Role.REVIEWER,), {Action.SUBMIT, Action.DECIDE, Action.STEER, Action.LOOK, Action.MANAGE}),
        ((Role.ADMIN,), set(Action)),
        ((Role.REQUESTER, Role.AUDITOR), {Action.SUBMIT, Action.LOOK}),
    ],
)
def test_what_roles_may_do(roles: tuple[Role, ...], deeds: set[Action]) -> None:
    """A principal may do what any of its roles allows, and nothing else."""
    who = Principal(name=Untrusted("x"), roles=frozenset(roles))
    assert deeds == {deed for deed in Action if may(who, deed)}

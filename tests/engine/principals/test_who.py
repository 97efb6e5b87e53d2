"""Names and ids of principals, and signatures of pre-approvals, field by field."""

from __future__ import annotations

import hashlib
import os
import pwd
from datetime import UTC, datetime, timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.common.text import Untrusted
from engine.models import (
    Grant,
    Level,
    Limits,
    MatchMode,
    Permissions,
    PreApproval,
    Principal,
    Role,
    Scope,
    Signature,
    Token,
)
from engine.principals import identity
from engine.principals.identity import (
    connected_agent,
    name_error,
    owner,
    person_error,
    token_holder,
    token_of,
)
from engine.principals.signing import sign_pre_approval, verify_pre_approval

ME = pwd.getpwuid(os.getuid()).pw_name
SECRET = "x" * 43
NOW = datetime(2030, 1, 1, tzinfo=UTC)
KEY = Ed25519PrivateKey.generate()
PUBLIC = KEY.public_key().public_bytes_raw().hex()
GIVEN = PreApproval(
    id="p-1",
    match_mode=MatchMode.EXACT,
    value="0" * 64,
    requester=Untrusted("agent"),
    principal="token:1",
    ceiling=Level.HIGH,
    uses=3,
    until=NOW,
    grant=Grant(permissions=Permissions(limits=Limits(seconds=1.5))),
    basis="s-1",
    by=Principal(name=Untrusted("ada")),
    at=NOW,
)


def test_the_owner_is_the_user_of_this_process() -> None:
    """By user id and login name, with every role."""
    assert (ME, f"uid:{os.getuid()}", ME.casefold(), frozenset(Role)) == (
        owner().name.text, owner().id, owner().person, owner().roles
    )  # fmt: skip


@pytest.mark.parametrize("name", ["a", "0", "ci-agent", "a.b_c-d", "x" * 64])
def test_a_plain_name_may_be_a_tokens_and_a_persons(name: str) -> None:
    """Letters, digits, dots, underscores and hyphens, 64 at most."""
    assert ("", "") == (name_error(name), person_error(name))


@pytest.mark.parametrize("name", ["", "x" * 65, "A", "-a", "a b", "ü", "a\n", "a\u200b"])
def test_another_form_is_refused_with_the_rule(name: str) -> None:
    """The refusal repeats 64 characters of it at most, without raw ones."""
    said = name_error(name)
    assert said.endswith(": a name has 1 to 64 of a-z 0-9 . _ - and begins with a letter or digit")
    assert len(said.partition(": a name has")[0]) <= 64
    assert "\u200b" not in said


@pytest.mark.parametrize("name", sorted(identity.RESERVED | {ME.casefold()}))
def test_a_name_that_stands_for_another_is_refused(name: str) -> None:
    """Parts of Pratique, and the owner; the owner is a person, who may hold tokens."""
    assert f"{name} is the name of the owner, of a part of Pratique, or of nobody" == name_error(name)
    assert (person_error(name) == "") is (name == ME.casefold())


def test_a_token_stands_for_its_id_its_person_and_its_scopes() -> None:
    """Whatever its name is."""
    token = Token(
        id="t1",
        name=Untrusted("ci"),
        scopes=(Scope.SUBMIT, Scope.REVIEW),
        person="ada",
        created_at=NOW,
        expires_at=NOW,
    )
    holder = token_holder(token)
    assert ("ci", "token:t1", "ada", 2) == (holder.name.text, holder.id, holder.person, len(holder.roles))


@pytest.mark.parametrize(
    ("label", "shown"),
    [("", "agent"), ("claude", "claude"), ("a/../b c", "a-..-b-c"), ("--", "agent"), ("x" * 50, "x" * 40)],
)
def test_a_connection_is_named_by_its_secret(label: str, shown: str) -> None:
    """The label is only shown; id and name end in parts of a hash of the secret."""
    proof = hashlib.sha256(f"agent of pratique {SECRET}".encode()).hexdigest()
    agent = connected_agent(owner(), SECRET, label)
    assert (f"{shown}#{proof[:6]}", f"{owner().id}/agent:{proof[:32]}") == (agent.name.text, agent.id)
    assert (owner().person, frozenset({Role.REQUESTER})) == (agent.person, agent.roles)


CHANGES: dict[str, object] = {
    "id": "p-2",
    "match_mode": MatchMode.STRUCTURE,
    "value": "1" * 64,
    "requester": Untrusted("other"),
    "principal": "token:2",
    "ceiling": Level.CRITICAL,
    "uses": 4,
    "until": NOW + timedelta(days=1),
    "grant": Grant(permissions=Permissions(limits=Limits(seconds=2))),
    "basis": "s-2",
    "by": Principal(name=Untrusted("bob")),
    "at": NOW + timedelta(days=1),
}


def rebuilt(given: PreApproval, **changes: object) -> PreApproval:
    """Return a pre-approval with other values, as one that was altered would be read."""
    return PreApproval(**{name: getattr(given, name) for name in PreApproval.model_fields} | changes)


@pytest.mark.parametrize("field", CHANGES)
def test_a_changed_pre_approval_is_not_the_signed_one(field: str) -> None:
    """No field that bounds it can be changed."""
    signed = sign_pre_approval(GIVEN, KEY)
    assert verify_pre_approval(signed, PUBLIC)
    assert not verify_pre_approval(rebuilt(signed, **{field: CHANGES[field]}), PUBLIC)


def test_its_use_and_its_end_keep_the_signature() -> None:
    """They are events of their own."""
    signed = sign_pre_approval(GIVEN, KEY)
    assert verify_pre_approval(rebuilt(signed, used=2, revoked=True), PUBLIC)


def test_a_pre_approval_without_a_signature_or_with_another_key_is_none() -> None:
    """The key is the one that is asked about, never the one that comes along."""
    other = Ed25519PrivateKey.generate()
    assert not verify_pre_approval(GIVEN, PUBLIC)
    assert not verify_pre_approval(sign_pre_approval(GIVEN, other), PUBLIC)
    assert set(CHANGES) == set(PreApproval.model_fields) - {"signature", "used", "revoked"}


def test_a_signature_that_names_another_key_is_none() -> None:
    """Though its value is right: what is shown of it would name somebody else."""
    signed = sign_pre_approval(GIVEN, KEY)
    assert signed.signature is not None
    named = Signature(key="0" * 64, value=signed.signature.value)
    assert not verify_pre_approval(rebuilt(signed, signature=named), PUBLIC)


def test_the_name_of_another_owner_is_refused_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the engine: a user of the system stands in for another person."""
    other = next(user for user in pwd.getpwall() if user.pw_uid and user.pw_name not in identity.RESERVED)
    monkeypatch.setattr(os, "getuid", lambda: other.pw_uid)
    assert "" != name_error(other.pw_name)
    assert "" == person_error(other.pw_name.casefold())


@pytest.mark.parametrize(
    ("expected", "id"), [("t-1", "token:t-1"), ("", "uid:7"), ("", ""), ("", "uid:7/agent:0")]
)
def test_the_token_of_a_principal_is_named_by_its_id(expected: str, id: str) -> None:
    """Who has none is no token's."""
    assert expected == token_of(Principal(name=Untrusted("ada"), id=id))

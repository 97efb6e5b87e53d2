"""A case file proves itself on a machine without Pratique."""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import tarfile
from pathlib import Path

import docker
import pytest
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.history.errors import HistoryError
from engine.history.exports import case_verify
from engine.history.exports.case_verify import Trust, check
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.images import reference
from engine.models import DecisionOutcome
from tests.engine.history.honest_case import (
    LEFT,
    PICTURE,
    Members,
    approved_run,
    decide,
    decision,
    key_of,
    members_of,
    new_case,
    run,
    story,
    submit,
)


@pytest.fixture
async def members(log: SqliteHistoryStore) -> Members:
    """The members of the case file of a run that two reviewers approved."""
    await approved_run(log)
    return await members_of(log)


def engine_key(members: Members) -> str:
    """Return the key in a case file."""
    return case_verify.public_key(members["public_key.pem"]).hex()


def trust_in(members: Members) -> Trust:
    """Return what a reader knows who has received every key."""
    reviewers = {name: frozenset({key_of(name)}) for name in ("alice", "bob", "nobody")}
    return Trust(frozenset({engine_key(members)}), reviewers)


def run_bare(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run verify.py with a bare Python: no site packages, no environment."""
    command = [sys.executable, "-I", "-S", *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env={}, check=False, timeout=60
    )


def every_key(members: Members) -> list[str]:
    """Return the arguments that name every key."""
    reviewers = (f"{name}={key_of(name)}" for name in ("alice", "bob"))
    return ["--key", engine_key(members), *(word for key in reviewers for word in ("--reviewer-key", key))]


def test_it_proves_itself_with_the_keys_of_the_reader(members: Members) -> None:
    """All that is in it is proved."""
    lines = list(check(members, trust_in(members)))
    said = "\n".join(text for _, text in lines)
    assert {"ok"} == {kind for kind, _ in lines}
    assert "14 events are in that tree, unchanged and in order" in said
    assert "it is signed with the key that you named for 'alice'" in said
    assert "'approved' by 'bob'" in said
    assert "2 artifacts are as the run left them" in said
    assert "the case 's1' is as its last event says: 'finished'" in said
    assert "10 bytes of output are as they came" in said
    assert "no event was left out up to number 14" in said


async def test_without_a_key_it_says_that_only_the_file_vouches(members: Members) -> None:
    """Whoever forges a file can put a key into it: without a key from elsewhere nothing is proved."""
    open_points = [text for kind, text in check(members) if kind == "OPEN"]
    fingerprint = hashlib.sha256(bytes.fromhex(engine_key(members))).hexdigest()
    assert (
        f"only this file vouches for the engine's key, fingerprint {fingerprint}: use --key" == open_points[0]
    )
    named = [
        f"only this file vouches that {key_of(name)} is the key of '{name}'" for name in ("alice", "bob")
    ]
    assert named == [text.split(": ")[0] for text in open_points[1:]]


@pytest.mark.parametrize("status", ["finished", "killed", "interrupted", "denied", "expired", "refused"])
async def test_every_end_is_proved(log: SqliteHistoryStore, status: str) -> None:
    """Whatever became of a submission, its case file is complete."""
    await story(log, status)
    members = await members_of(log)
    assert {"ok"} == {kind for kind, _ in check(members, trust_in(members))}


@pytest.mark.parametrize("status", ["pending", "queued"])
async def test_what_is_not_over_is_not_proved(log: SqliteHistoryStore, status: str) -> None:
    """A case file from before the end leaves the end open, and says so."""
    await story(log, status)
    members = await members_of(log)
    open_points = [text for kind, text in check(members, trust_in(members)) if kind == "OPEN"]
    assert ["it is not over"] == [text.split(":")[0] for text in open_points]


async def test_an_unsigned_denial_is_the_engines_word(log: SqliteHistoryStore) -> None:
    """A denial is valid without a key, and nobody proves whose it is."""
    await decide(log, await submit(log, new_case()), "carl", DecisionOutcome.DENIED, signed=False)
    members = await members_of(log)
    open_points = [text for kind, text in check(members, trust_in(members)) if kind == "OPEN"]
    assert ["the decision of 'carl' is not signed: it is the engine's word alone"] == open_points


async def test_an_unsigned_approval_is_wrong(log: SqliteHistoryStore) -> None:
    """No engine approves without a signature."""
    case = await submit(log, new_case())
    await run(log, await decide(log, case, "bob", DecisionOutcome.APPROVED, signed=False))
    with pytest.raises(case_verify.Wrong, match="the approval by 'bob' is not signed"):
        list(check(await members_of(log)))


def test_names_are_our_own(members: Members) -> None:
    """No name that an agent chose is the name of a member."""
    left = {f"artifacts/{hashlib.sha256(content).hexdigest()}" for content in (LEFT, PICTURE)}
    assert {"README.txt", "verify.py", "public_key.pem", "checkpoint.txt", "events.jsonl", "proofs.json",
            "case/state.json", "case/columns.json", "case/code", "case/files/1", "output"
            } | left == set(members)  # fmt: skip


@pytest.mark.sandbox
def test_it_runs_on_a_machine_without_pratique_and_network(members: Members) -> None:
    """In a fresh container with Python, no network and nothing of ours, the zip proves itself."""
    client = docker.from_env(timeout=60)
    container = client.containers.create(
        reference("python"),
        ["-I", "-S", "/tmp/verify.py", "/tmp/case.zip", *every_key(members)],
        entrypoint="python3",
        network_mode="none",
        user="65534",
    )
    try:
        files = {"verify.py": members["verify.py"], "case.zip": case_verify.packed(members)}
        container.put_archive("/tmp", encode(files))
        container.start()
        status = container.wait(timeout=60)["StatusCode"]
        assert (0, "proved") == (status, container.logs().decode().splitlines()[-1])
    finally:
        container.remove(force=True)
        client.close()


def encode(files: Members) -> bytes:
    """Return a tar of these files, which anybody may read."""
    packing = io.BytesIO()
    with tarfile.open(fileobj=packing, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o644
            archive.addfile(entry, io.BytesIO(content))
    return packing.getvalue()


def write(members: Members, folder: Path) -> None:
    """Unpack a case file, and lay it beside."""
    (folder / "case.zip").write_bytes(case_verify.packed(members))
    for name, content in members.items():
        (folder / "folder" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "folder" / name).write_bytes(content)


def test_it_runs_with_python_alone(members: Members, tmp_path: Path) -> None:
    """The program in the zip proves folder and zip with the standard library alone; its exit code says it."""
    write(members, tmp_path)
    keys = every_key(members)
    for place in ((), ("case.zip",)):
        ended = run_bare("folder/verify.py", *place, *keys, folder=tmp_path)
        assert (0, "proved") == (ended.returncode, ended.stdout.splitlines()[-1])
        ended = run_bare("folder/verify.py", *place, folder=tmp_path)
        assert (3, "cannot tell") == (ended.returncode, ended.stdout.splitlines()[-1])
    (tmp_path / "folder" / "case" / "code").write_bytes(b"print(2)")
    ended = run_bare("folder/verify.py", *keys, folder=tmp_path)
    assert ["WRONG: the code is not the code of the case", "not proved"] == ended.stdout.splitlines()[-2:]
    assert 1 == ended.returncode
    assert 3 == run_bare("folder/verify.py", "nowhere.zip", folder=tmp_path).returncode
    assert 2 == run_bare("folder/verify.py", "--key", "short", folder=tmp_path).returncode


def test_a_key_is_named_in_each_form(members: Members, tmp_path: Path) -> None:
    """A key, its fingerprint and its file name the same key; another one is refused."""
    write(members, tmp_path)
    key = bytes.fromhex(engine_key(members))
    other = Ed25519PrivateKey.generate().public_key()
    pem = other.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "other.pem").write_bytes(pem)
    given = [key.hex(), key.hex().upper(), hashlib.sha256(key).hexdigest(), "folder/public_key.pem"]
    for form in (*given, "other.pem", other.public_bytes_raw().hex(), "00" * 32):
        ended = run_bare("folder/verify.py", "case.zip", "--key", form, folder=tmp_path)
        assert (3 if form in given else 1) == ended.returncode


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_written_as_the_standard_asks(value: float) -> None:
    """The program writes what it has to hash as the library of RFC 8785 does."""
    assert rfc8785.dumps([value]).decode() == case_verify.canonical([value])


def test_a_decision_with_another_signature_is_wrong() -> None:
    """Who did not sign a decision is not named as its maker."""
    told = decision(new_case(), "bob", DecisionOutcome.APPROVED).model_dump(mode="json")
    assert "OPEN" == case_verify.signature_of(told, {}, 9, Trust())[0]
    for change in ({"outcome": "denied"}, {"reason": "x"}, {"by": {**told["by"], "name": "eve"}}):
        with pytest.raises(case_verify.Wrong, match=r"the signature of .* is wrong"):
            case_verify.signature_of(told | change, {}, 9, Trust())


@pytest.mark.parametrize("registered", [{}, {"k": 3}])
def test_a_named_key_goes_before_all_others(registered: dict[str, int]) -> None:
    """Where the reader names a reviewer's key, no other one is taken."""
    told = decision(new_case(), "bob", DecisionOutcome.APPROVED).model_dump(mode="json")
    with pytest.raises(case_verify.Wrong, match="signed with another key than the one that you named"):
        case_verify.signature_of(told, registered, 9, Trust(reviewers={"bob": frozenset({key_of("alice")})}))


def test_a_registered_key_is_the_engines_word_for_what_came_later() -> None:
    """A key counts for decisions after its registration; once one is registered, no other key counts."""
    told = decision(new_case(), "bob", DecisionOutcome.APPROVED).model_dump(mode="json")
    assert "ok" == case_verify.signature_of(told, {key_of("bob"): 8}, 9, Trust())[0]
    for registered in ({key_of("bob"): 10}, {key_of("alice"): 3}):
        with pytest.raises(case_verify.Wrong, match="than the one that the engine registered"):
            case_verify.signature_of(told, registered, 9, Trust())


@given(st.binary(max_size=100), st.binary(max_size=10))
@settings(max_examples=20, deadline=None)
def test_ed25519_agrees_with_the_library(message: bytes, other: bytes) -> None:
    """The pure Python check takes the library's signatures, and no others."""
    key = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(message).digest())
    public, signature = key.public_key().public_bytes_raw(), key.sign(message)
    assert case_verify.ed25519(public, message, signature)
    assert not case_verify.ed25519(public, message + b"x" + other, signature)
    assert not case_verify.ed25519(public, message, signature[:63] + bytes([signature[63] ^ 1]))
    assert not case_verify.ed25519(public, message, signature[:40])
    assert not case_verify.ed25519(b"\xff" * 32, message, signature)


async def test_unknown_submission_is_an_error_in_words(log: SqliteHistoryStore) -> None:
    """There is no case file of nothing."""
    for id_ in ("nowhere", ""):
        with pytest.raises(HistoryError, match="No submission is called"):
            await log.case_file(id_)

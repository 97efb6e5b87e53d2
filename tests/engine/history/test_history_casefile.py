"""A case file proves itself on a machine without Pratique, and nothing else proves itself with it."""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import docker
import pytest
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.common.text import Untrusted
from engine.core.submissions.canonical import digest
from engine.history.errors import HistoryError
from engine.history.exports import case_verify
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.images import reference
from engine.models import Artifact, Case, InputFile, OutputChunk, Status, Stream
from engine.principals.signing import sign
from tests.engine.history.conftest import build_case

ALICE = Untrusted("alice")
REVIEWER = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
LEFT = hashlib.sha256(b"left").hexdigest()
Members = dict[str, bytes]


@pytest.fixture
async def members(log: SqliteHistoryStore, make_case: Callable[..., Case]) -> Members:
    """The members of the case file of a run with hostile names, among other events."""
    files = (InputFile(name=Untrusted("../../etc/passwd"), content=bytes(range(256))),)
    case = honest(
        make_case("s1", "print('ü\x1b')", files=files, reviewer="bob", status=Status.FINISHED, exit_code=0)
    )
    for number in range(7):
        await log.append("history.viewed", "", ALICE, {"n": number})
    await log.append("claim.created", "s1", ALICE, {"t": "ü\u202e\n"}, case=case)
    await log.append_output("s1", [OutputChunk(stream=Stream.STDOUT, at=0.5, offset=0, data=b"out\x00\xff")])
    await log.append_artifact("s1", Artifact(name=Untrusted("../a"), size=4, digest=LEFT), b"left")
    await log.append("claim.released", "s1", ALICE, {}, case=case)
    with zipfile.ZipFile(io.BytesIO(await log.case_file("s1"))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def honest(case: Case) -> Case:
    """Return the case with the digests and the signature that the service would give it."""
    submission = case.submission
    right = digest(submission.draft, submission.requester)
    decision = case.decision.model_copy(update={"digest": right}) if case.decision else None
    decision = sign(decision, REVIEWER) if decision else None
    changed = submission.model_copy(update={"digest": right})
    return case.model_copy(update={"submission": changed, "decision": decision})


def verify(members: Members) -> list[str]:
    """Return what verify.py says of these members."""
    return list(case_verify.check(members.__getitem__))


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run verify.py with a bare Python: no site packages, no environment."""
    command = [sys.executable, "-I", "-S", *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env={}, check=False, timeout=60
    )


def test_it_proves_itself(members: Members) -> None:
    """All that is in it is proved."""
    said = "\n".join(verify(members))
    assert "4 events are in that tree, unchanged" in said
    assert (
        f"the decision of 'bob' is signed with the key {REVIEWER.public_key().public_bytes_raw().hex()}"
        in said
    )
    assert "1 files that the run left are as it left them" in said
    assert "the case s1 is as its last event says: finished" in said
    assert "approved by 'bob'" in said
    assert "1 blocks of output are as they came" in said


def test_names_are_our_own(members: Members) -> None:
    """No name that an agent chose is the name of a member."""
    assert {"README.txt", "verify.py", "public_key.pem", "checkpoint.txt", "events.jsonl", "proofs.json",
            "case/state.json", "case/columns.json", "case/code", "case/files/1", f"artifacts/{LEFT}",
            f"output/{hashlib.sha256(b'out' + bytes((0, 255))).hexdigest()}"} == set(members)  # fmt: skip


@pytest.mark.sandbox
def test_it_runs_on_a_machine_without_pratique_and_network(members: Members) -> None:
    """In a fresh container with Python, no network and nothing of ours, the zip proves itself."""
    client = docker.from_env(timeout=60)
    container = client.containers.create(
        reference("python"),
        ["-I", "-S", "/tmp/verify.py", "/tmp/case.zip"],
        entrypoint="python3",
        network_mode="none",
        user="65534",
    )
    try:
        files = {"verify.py": members["verify.py"], "case.zip": zipped(members)}
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


def zipped(members: Members) -> bytes:
    """Return a zip of these members."""
    packing = io.BytesIO()
    with zipfile.ZipFile(packing, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packing.getvalue()


def test_a_member_outside_the_zip_is_never_written(members: Members, tmp_path: Path) -> None:
    """A case file with a path that climbs is read where it lies: nothing of it comes onto the disk."""
    folder = tmp_path / "above" / "in"
    folder.mkdir(parents=True)
    (folder / "case.zip").write_bytes(zipped({**members, "../climbed": b"x"}))
    (folder / "verify.py").write_bytes(members["verify.py"])
    assert "proved" == run("verify.py", "case.zip", folder=folder).stdout.splitlines()[-1]
    assert ["case.zip", "in", "verify.py"] == sorted(path.name for path in folder.parent.rglob("*"))


def test_it_runs_with_python_alone(members: Members, tmp_path: Path) -> None:
    """The program in the zip proves folder and zip with the standard library alone."""
    with zipfile.ZipFile(tmp_path / "case.zip", "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
            (tmp_path / "folder" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "folder" / name).write_bytes(content)
    for arguments in (("folder/verify.py",), ("folder/verify.py", "case.zip")):
        ended = run(*arguments, folder=tmp_path)
        assert (0, "proved") == (ended.returncode, ended.stdout.splitlines()[-1])
    (tmp_path / "folder" / "case" / "code").write_bytes(b"print(2)")
    ended = run("folder/verify.py", folder=tmp_path)
    assert (1, "WRONG: the code is not the code of the case\n") == (
        ended.returncode,
        ended.stdout.splitlines(True)[-1],
    )
    assert 1 == run("folder/verify.py", "nowhere.zip", folder=tmp_path).returncode


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_any_changed_byte_is_found(data: st.DataObject) -> None:
    """Whichever byte of a member is changed, the proof fails."""
    members = dict(_made())
    name = data.draw(st.sampled_from(sorted(set(members) - {"README.txt", "verify.py"})))
    content = bytearray(members[name])
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.sampled_from([1, 2, 8, 128]))
    members[name] = bytes(content)
    failed = False
    try:
        said = verify(members)
    except (case_verify.Wrong, ValueError, KeyError, TypeError, AttributeError):
        failed = True
    else:
        failed = verify(_made()) != said
    # A key in PEM, a note and proofs may be spelt in more than one way; what they say may not differ.
    assert failed or name in {"public_key.pem", "proofs.json", "checkpoint.txt"}


_CACHE: Members = {}


def _made() -> Members:
    return _CACHE


@pytest.fixture(autouse=True)
def _remember(members: Members) -> None:
    _CACHE.clear()
    _CACHE.update(members)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_written_as_the_standard_asks(value: float) -> None:
    """The program writes what it has to hash as the library of RFC 8785 does."""
    assert rfc8785.dumps([value]).decode() == case_verify.canonical([value])


def test_a_decision_with_another_signature_is_wrong() -> None:
    """Who did not sign a decision is not named as its maker."""
    case = honest(build_case(reviewer="bob"))
    assert case.decision is not None
    told = case.decision.model_dump(mode="json")
    assert "'bob' is signed with the key" in case_verify.signature_of(told)
    for change in ({"outcome": "denied"}, {"reason": "x"}, {"by": {**told["by"], "name": "eve"}}):
        with pytest.raises(case_verify.Wrong, match=r"the signature of .* is wrong"):
            case_verify.signature_of(told | change)


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

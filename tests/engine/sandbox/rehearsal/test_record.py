"""What arrives in a rehearsal is kept within bounds, and says which decoy left and how."""

from __future__ import annotations

import struct
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.common.text import Untrusted
from engine.models import InputFile, Language
from engine.models.rehearsal import FindingKind
from engine.sandbox.rehearsal.decoys import Decoys
from engine.sandbox.rehearsal.names import HostNames, read_question
from engine.sandbox.rehearsal.record import MOST_CONTACTS, SinkholeRecord
from engine.sandbox.rehearsal.stage import Stage

DECOYS = Decoys.draw()
KEY = DECOYS.values["AWS key"][1]
TOKEN = DECOYS.values["GitHub token"][0]


def record_of(*sent: tuple[str, str, bytes], protocol: str = "https") -> SinkholeRecord:
    """Return a searched record of requests: host, path, body."""
    record = SinkholeRecord(DECOYS)
    for host, path, body in sent:
        one = record.open(host, 443, protocol)
        one.method, one.path, one.about = "POST" if protocol == "https" else "", path, path.encode()
        one.add(body)
    record.search()
    return record


def question(name: str, kind: int = 1) -> bytes:
    """Return a question for a name server."""
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    return struct.pack(">6H", 7, 0x100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">HH", kind, 1)


def test_a_decoy_that_left_is_named_with_where_it_went() -> None:
    """As in "a decoy left: AWS key in POST to collect.example"."""
    (found,) = record_of(("collect.example", "/in", KEY.encode())).findings
    assert (FindingKind.LEAK, "AWS key", "POST to collect.example") == (
        found.kind,
        found.subject,
        found.where.text,
    )
    assert found.convicts


@pytest.mark.parametrize("size", [6, 9, 13])
def test_a_decoy_in_pieces_is_put_together(size: int) -> None:
    """Over several requests to a host, in bodies or in queries."""
    pieces = [KEY[start : start + size] for start in range(0, len(KEY), size)]
    bodies = record_of(*(("collect.example", "/", piece.encode()) for piece in pieces))
    queries = record_of(*(("collect.example", f"/i?n=&d={quote(piece)}", b"") for piece in pieces))
    for one in (bodies, queries):
        assert ["in pieces"] == [found.how.split(",")[0] for found in one.findings]


def test_a_decoy_in_labels_of_names_is_put_together() -> None:
    """In hexadecimal, cut up over look-ups of names below one domain."""
    text = KEY.encode().hex()
    names = [f"{text[at : at + 12]}.{at}.n.evil.example" for at in range(0, len(text), 12)]
    (found,) = record_of(*((name, "", name.encode()) for name in names), protocol="dns").findings
    assert ("AWS key", "DNS labels, hex") == (found.subject, found.how)


@pytest.mark.parametrize(
    ("host", "kind"),
    [("api.github.com", FindingKind.USED), ("api.github.com.evil.example", FindingKind.LEAK)],
)
def test_a_credential_at_its_own_host_is_no_leak(host: str, kind: FindingKind) -> None:
    """A GitHub token belongs to GitHub; an AWS key in the same request does not."""
    assert [kind] == [one.kind for one in record_of((host, "/user", TOKEN.encode())).findings]
    both = record_of((host, "/user", f"{TOKEN} {KEY}".encode())).findings
    assert FindingKind.LEAK in {one.kind for one in both}


def test_a_flood_of_contacts_is_bounded_and_counted() -> None:
    """What is beyond the bound is a number."""
    record = record_of(*((f"h{i}.example", "/", b"x") for i in range(MOST_CONTACTS * 5)))
    assert (MOST_CONTACTS, MOST_CONTACTS) == (len(record.contacts), record.omitted)


@given(st.binary(max_size=600))
def test_no_message_breaks_the_name_server(data: bytes) -> None:
    """What cannot be read is not answered; what can is answered with its own question."""
    asked = read_question(data)
    if asked is not None:
        assert asked.raw in HostNames().answer(asked)


def test_every_name_has_an_address_of_its_own() -> None:
    """And every address leads back to its name."""
    names = HostNames()
    asked = [read_question(question(name)) for name in ("a.example", "b.example", "A.example")]
    addresses = [names.answer(one)[-4:] for one in asked if one]
    assert addresses[0] == addresses[2] != addresses[1]
    assert "b.example" == names.name(names.address("b.example"))
    assert "203.0.113.9" == names.name("203.0.113.9")
    ipv6 = read_question(question("a.example", 28))
    assert ipv6 is not None
    assert 0 == struct.unpack_from(">H", names.answer(ipv6), 6)[0]


def test_given_files_come_before_decoys() -> None:
    """A file of the submission is never replaced, and nothing stands where it needs a folder or a name."""
    given_files = tuple(
        InputFile(name=Untrusted(name), content=b"own") for name in (".env", ".aws", "Documents/own.txt")
    )
    laid = {file.name.text: file.content for file in Stage(Language.PYTHON, given_files).files}
    assert (b"own", b"own") == (laid[".env"], laid[".aws"])
    assert not any(name.startswith(".aws/") for name in laid)
    assert ".ssh/id_rsa" in laid


async def test_what_became_of_decoys_is_judged_from_the_files_that_are_left() -> None:
    """Deleted and overwritten ones are; moved, appended and ordinary ones are not."""
    stage = Stage(Language.PYTHON)
    left = {file.name.text: file.content for file in stage.files}
    left["Elsewhere/thesis.pdf"] = left.pop("Documents/thesis.pdf")
    left[".env"] += b"MORE=1\n"
    left[".bash_history"] = b""
    await stage.finish([*left.items()])
    assert [] == stage.record.findings
    left["Documents/taxes.xlsx"] = b"encrypted"
    await stage.finish([*left.items()])
    (found,) = stage.record.findings
    assert ("~/Documents/taxes.xlsx", "overwritten") == (found.subject, found.where.text)

"""The digest that decisions are bound to."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.common.text import Untrusted
from engine.core.submissions.canonical import digest
from engine.models import (
    Draft,
    ExpectedOutput,
    InputFile,
    Language,
    Limits,
    Operation,
    OperationKind,
    Permissions,
    Principal,
    Verdict,
)
from engine.policy.comparison.fingerprint import structural_fingerprint

ALICE = Principal(name=Untrusted("alice"))
DRAFT = Draft(
    code=Untrusted("print(1)\r\n"),
    language=Language.PYTHON,
    files=(InputFile(name=Untrusted("a.csv"), content=b"1,2\n"),),
)

DIGEST = "34328d9c6835d962e73533d26f236779ab8f4bf9386d19f6cd4d7217f5f198ab"
"""What `DRAFT` of `ALICE` has always had."""
STRUCTURE = "5d4a6fda6d93f250a3f55436404a7fd2207f5e51f294e8b30b9d14a365658877"

CHANGES: list[dict[str, object]] = [
    {"code": Untrusted("print(1)\n")},
    {"code": Untrusted("print(2)\r\n")},
    {"language": Language.SHELL},
    {"files": ()},
    {"files": (InputFile(name=Untrusted("a.csv"), content=b"1,3\n"),)},
    {"files": (InputFile(name=Untrusted("b.csv"), content=b"1,2\n"),)},
    {"purpose": Untrusted("other")},
    {"image": "python-data"},
    {"permissions": Permissions(limits=Limits(seconds=31))},
    {"permissions": Permissions(domains=(Untrusted("example.org"),))},
    {"permissions": Permissions(builds=(Untrusted("six"),))},
    {"session": "ses-1"},
    {"session": "ses-1", "operation": Operation(kind=OperationKind.LIST)},
    {"session": "ses-1", "operation": Operation(kind=OperationKind.READ)},
    {"expect": ExpectedOutput.NUMBER},
    {"verify": "value == 1"},
]


def test_each_part_of_a_submission_changes_its_digest() -> None:
    """No two of a draft and its sixteen variations share a digest."""
    drafts = [DRAFT, *(DRAFT.model_copy(update=change) for change in CHANGES)]
    assert 17 == len({digest(draft, ALICE) for draft in drafts})


def test_what_a_draft_does_not_use_leaves_no_trace() -> None:
    """The digest and the structural fingerprint of a plain draft are fixed."""
    assert (DIGEST, STRUCTURE) == (digest(DRAFT, ALICE), structural_fingerprint(DRAFT, Verdict.HARMLESS))


def test_who_asked_is_part_of_it() -> None:
    """The same code from another requester is another submission."""
    assert digest(DRAFT, ALICE) != digest(DRAFT, Principal(name=Untrusted("bob")))


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_the_digest_survives_the_wire(code: str) -> None:
    """A draft that went through JSON has the digest that it had before."""
    draft = DRAFT.model_copy(update={"code": Untrusted(code)})
    assert digest(draft, ALICE) == digest(Draft.model_validate_json(draft.model_dump_json()), ALICE)

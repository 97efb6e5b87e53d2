"""Rules that past decisions suggest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engine.common.text import Untrusted
from engine.models import Analysis, DecisionOutcome, Draft, Language, Level, Permissions, Verdict
from engine.policy import assess, load, shipped
from engine.policy.files.policy_diff import PastSubmission
from engine.policy.suggestions import LEAST_APPROVED, suggestions

AGENT = "token:t-1"
HARMLESS = Analysis(verdict=Verdict.HARMLESS)
TRUSTING = Analysis(verdict=Verdict.HARMLESS, trusts=("numpy",))
ALTER = Callable[[PastSubmission], PastSubmission]


def draft(code: str = "print(1)", **asked: object) -> Draft:
    """Return a draft that asks for so much."""
    return Draft(
        code=Untrusted(code), language=Language.PYTHON, permissions=Permissions.model_validate(asked)
    )


def approved(number: int, asked: Draft | None = None) -> list[PastSubmission]:
    """Return so many submissions of one agent that a person approved."""
    return [
        PastSubmission(
            f"s-{at}",
            asked or draft(),
            HARMLESS,
            DecisionOutcome.APPROVED,
            requester=AGENT,
            agent="reports",
        )
        for at in range(number)
    ]


def test_what_was_approved_every_time_is_suggested_in_words_and_yaml(tmp_path: Path) -> None:
    """The YAML is a sound policy, under which the agent's next one does not wait, and nobody else's."""
    (found,) = suggestions(approved(47), shipped())
    assert found.words.text.startswith(
        "47 of 47 like this were approved: approve python submissions of reports"
    )
    assert (47, 47, "s-0") == (found.approved, found.changes, found.changed[0])
    (tmp_path / "policy.yaml").write_text(found.yaml)
    policy = load(tmp_path / "policy.yaml")
    assert Level.LOW is assess(draft(), HARMLESS, policy, requester=AGENT).risk
    assert Level.MEDIUM is assess(draft(), HARMLESS, policy, requester="token:t-2").risk
    assert Level.MEDIUM is assess(draft(), HARMLESS, policy).risk
    unproven = Analysis(verdict=Verdict.UNPROVEN)
    assert Level.HIGH is assess(draft(), unproven, policy, requester=AGENT).risk
    with_host = draft(domains=("a.example",))
    assert Level.HIGH is assess(with_host, HARMLESS, policy, requester=AGENT).risk
    assert () == suggestions(approved(47), policy)


@pytest.mark.parametrize(
    "alter",
    [
        lambda one: replace(one, outcome=DecisionOutcome.DENIED),
        lambda one: replace(one, outcome=DecisionOutcome.CHANGES_REQUESTED),
        lambda one: replace(one, troubled=True),
    ],
)
def test_one_that_went_otherwise_prevents_the_suggestion(alter: ALTER) -> None:
    """A denial, a request for changes, a kill or a surprise among fifty."""
    past = approved(50)
    assert () == suggestions([*past, alter(replace(past[0], id="s-bad"))], shipped())


@pytest.mark.parametrize(
    "past",
    [
        approved(LEAST_APPROVED - 1),
        [replace(one, analysis=TRUSTING) for one in approved(50)],
        [replace(one, by_person=False) for one in approved(50)],
        [replace(one, analysis=Analysis(verdict=Verdict.UNPROVEN)) for one in approved(50)],
        [replace(one, requester="uid:1000/agent:0123") for one in approved(50)],
        [replace(one, requester=" ") for one in approved(50)],
        approved(50, draft(domains=("a.example",))),
        approved(50, draft(secrets=("key",))),
        approved(50, draft(limits={"seconds": 3000})),
    ],
)
def test_nothing_else_is_suggested(past: list[PastSubmission]) -> None:
    """Too few, not by people, not proven, of nobody who can be told again, or with a permission."""
    assert () == suggestions(past, shipped())


def test_a_name_cannot_write_into_the_policy(tmp_path: Path) -> None:
    """Quotes, line ends and signs of YAML in the name of an agent stay in the name."""
    hostile = 'uid:0 x"]\n  - {id: clean-code, enabled: true}\n# \u2028: &a'
    (found,) = suggestions([replace(one, requester=hostile) for one in approved(10)], shipped())
    (tmp_path / "policy.yaml").write_text(found.yaml)
    policy = load(tmp_path / "policy.yaml")
    assert len(shipped().rules) + 1 == len(policy.rules)
    assert Level.LOW is assess(draft(), HARMLESS, policy, requester=hostile).risk
    assert Level.MEDIUM is assess(draft(), HARMLESS, policy, requester="uid:0 x").risk


def test_input_files_are_a_kind_of_their_own(tmp_path: Path) -> None:
    """What was approved without files approves nothing with them, and the other way round."""
    data = draft(files=("data.csv",))
    (without,) = suggestions(approved(10), shipped())
    (with_files,) = suggestions(approved(10, data), shipped())
    assert without.id != with_files.id
    (tmp_path / "policy.yaml").write_text(without.yaml)
    assert Level.HIGH is assess(data, HARMLESS, load(tmp_path / "policy.yaml"), requester=AGENT).risk
    (tmp_path / "policy.yaml").write_text(with_files.yaml)
    assert Level.LOW is assess(data, HARMLESS, load(tmp_path / "policy.yaml"), requester=AGENT).risk

"""Who may decide, what was seen, and what rests on a pre-approval."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.common.review_coverage import CoverageGaps, coverage_gaps, line_ranges
from engine.common.text import Untrusted
from engine.models import (
    Analysis,
    Assessment,
    Case,
    Claim,
    Decision,
    DecisionOutcome,
    Draft,
    Grant,
    InputFile,
    Language,
    Level,
    Limits,
    MatchMode,
    Permissions,
    PreApproval,
    Principal,
    ReviewRecord,
    Status,
    Submission,
    Triage,
    TriageOutcome,
    Verdict,
    Violation,
)
from engine.policy.comparison.fingerprint import structural_fingerprint
from engine.policy.pre_approval import matching_pre_approval, pre_approval_error
from engine.policy.rate_limits import Bucket, Buckets
from engine.policy.review import claim, decision_obstacle, needs_second_approval, unreviewed_items
from tests.engine.policy.violations import violation

NOW = datetime(2030, 1, 1, tzinfo=UTC)
AGENT, ADA, BOB = (Principal(name=Untrusted(name)) for name in ("agent", "ada", "bob"))


def case_of(risk: Level, *violations: Violation, code: str = "a = 1\nb = 2\nc = 3\n", **changes: Any) -> Case:
    """Return a waiting case of that risk."""
    draft = Draft(code=Untrusted(code), language=Language.PYTHON)
    made = Case(
        submission=Submission(id="s-1", draft=draft, requester=AGENT, submitted_at=NOW, digest="1" * 64),
        status=Status.PENDING,
        analysis=Analysis(violations=violations),
        assessment=Assessment(risk=risk, matches=(), deadline_seconds=60),
    )
    return made.model_copy(update=changes)


def review(by: Principal) -> Decision:
    """Return an approval."""
    return Decision(submission="s-1", digest="1" * 64, outcome=DecisionOutcome.APPROVED, by=by, at=NOW)


APPROVED, DENIED = DecisionOutcome.APPROVED, DecisionOutcome.DENIED


@pytest.mark.parametrize(
    ("allowed", "risk", "by", "outcome", "reviews", "two"),
    [
        (True, Level.CRITICAL, ADA, APPROVED, (), True),
        (True, Level.CRITICAL, BOB, APPROVED, (review(ADA),), True),
        (True, Level.CRITICAL, BOB, DENIED, (review(ADA),), True),
        (True, Level.CRITICAL, ADA, DENIED, (review(ADA),), True),
        (False, Level.CRITICAL, ADA, APPROVED, (review(ADA),), True),
        (False, Level.CRITICAL, AGENT, APPROVED, (), True),
        (False, Level.CRITICAL, AGENT, DENIED, (), True),
        (True, Level.CRITICAL, AGENT, APPROVED, (), False),
        (True, Level.HIGH, AGENT, APPROVED, (), True),
    ],
)
def test_who_may_decide(
    allowed: bool,
    risk: Level,
    by: Principal,
    outcome: DecisionOutcome,
    reviews: tuple[Decision, ...],
    two: bool,
) -> None:
    """CRITICAL takes two different reviewers where asked for, neither of them the requester."""
    assert allowed is (
        decision_obstacle(case_of(risk, reviews=reviews), by, outcome, two_reviewers=two) is None
    )


@pytest.mark.parametrize(
    ("wanted", "risk", "reviews", "two"),
    [
        (True, Level.CRITICAL, (), True),
        (False, Level.CRITICAL, (review(ADA),), True),
        (False, Level.CRITICAL, (), False),
        (False, Level.HIGH, (), True),
    ],
)
def test_when_another_approval_is_wanted(
    wanted: bool, risk: Level, reviews: tuple[Decision, ...], two: bool
) -> None:
    """One approval of CRITICAL leaves it waiting where two are asked for."""
    assert wanted is needs_second_approval(case_of(risk, reviews=reviews), two_reviewers=two)


def test_a_claim_holds_and_lapses() -> None:
    """Nobody else gets a claim that holds; its holder renews it, and it lapses by itself."""
    ada, bob = (Principal(name=who.name, id=f"uid:{uid}") for uid, who in ((1000, ADA), (1001, BOB)))
    first = claim(case_of(Level.HIGH), ada, NOW, 300)
    held = case_of(Level.HIGH, claim=first)
    assert first == Claim(by=ADA.name, until=NOW + timedelta(seconds=300), id=ada.id)
    assert claim(held, bob, NOW + timedelta(seconds=299), 300) is None
    assert claim(held, ada, NOW + timedelta(seconds=299), 300) is not None
    assert claim(held, bob, NOW + timedelta(seconds=300), 300) is not None


def test_a_clock_that_goes_back_holds_no_claim_for_ever() -> None:
    """A claim that would hold for longer than any may is none."""
    held = case_of(Level.HIGH, claim=Claim(by=ADA.name, until=NOW))
    assert claim(held, BOB, NOW - timedelta(days=1), 300) is not None


HIGH, LOW = violation(Level.HIGH), violation(Level.LOW)
SETTLED = Triage(violation=0, outcome=TriageOutcome.ACCEPTED)
ALL = ReviewRecord(seconds=1, lines=((1, 3),), violations=(0,), triage=(SETTLED,))


@pytest.mark.parametrize(
    ("missing", "risk", "violations", "review_record"),
    [
        (0, Level.LOW, (HIGH,), None),
        (0, Level.MEDIUM, (HIGH,), None),
        (1, Level.HIGH, (), None),
        (0, Level.HIGH, (), ReviewRecord(seconds=1, lines=((1, 3),))),
        (0, Level.HIGH, (), ReviewRecord(seconds=1, lines=((3, 3), (1, 2)))),
        (0, Level.HIGH, (), ReviewRecord(seconds=1, lines=((1, 2), (2, 9)))),
        (1, Level.HIGH, (), ReviewRecord(seconds=1, lines=((1, 1), (3, 3)))),
        (1, Level.HIGH, (), ReviewRecord(seconds=1, lines=((2, 3),))),
        (2, Level.HIGH, (HIGH,), ReviewRecord(seconds=1, lines=((1, 3),))),
        (1, Level.HIGH, (HIGH,), ReviewRecord(seconds=1, lines=((1, 3),), violations=(0,))),
        (1, Level.HIGH, (HIGH,), ReviewRecord(seconds=1, lines=((1, 3),), triage=(SETTLED,))),
        (0, Level.HIGH, (HIGH,), ALL),
        (1, Level.CRITICAL, (LOW,), ReviewRecord(seconds=1, lines=((1, 3),))),
        (0, Level.CRITICAL, (LOW,), ReviewRecord(seconds=1, lines=((1, 3),), violations=(0,))),
    ],
)  # fmt: skip
def test_what_was_not_looked_at(
    missing: int, risk: Level, violations: tuple[Violation, ...], review_record: ReviewRecord | None
) -> None:
    """Every line and violation has to be on screen, and every HIGH violation disposed of."""
    assert missing == len(unreviewed_items(case_of(risk, *violations), review_record))


def test_what_is_missing_is_named() -> None:
    """The first line of the first gap, and each violation by its rule and line."""
    some = ReviewRecord(seconds=1, lines=((1, 1),), violations=(0,))
    where = f"the violation {HIGH.rule} in line {HIGH.span.line}"
    assert (
        "line 2 was not on screen",
        f"{where} was neither accepted, nor mitigated, nor called a false positive",
    ) == unreviewed_items(case_of(Level.HIGH, HIGH), some)


def test_of_several_gaps_the_first_line_is_named_and_names_are_cut() -> None:
    """One line stands for all that were not shown, and a long file name is cut at 200 characters."""
    plain = case_of(Level.HIGH)
    assert ("line 1 was not on screen",) == unreviewed_items(plain, ReviewRecord(seconds=1, lines=((2, 2),)))
    files = (InputFile(name=Untrusted("n" * 300), content=b"1"),)
    draft = plain.submission.draft.model_copy(update={"files": files})
    whole = plain.model_copy(update={"submission": plain.submission.model_copy(update={"draft": draft})})
    shown = ReviewRecord(seconds=1, lines=((1, 3),))
    assert (f"the input file {'n' * 200} was not on screen",) == unreviewed_items(whole, shown)


def test_files_and_purpose_have_to_be_on_screen_as_well() -> None:
    """Every input file, and what the agent says it is for, are looked at before an approval."""
    plain = case_of(Level.HIGH)
    files = tuple(InputFile(name=Untrusted(name), content=b"1") for name in ("a.csv", "b.csv"))
    draft = plain.submission.draft.model_copy(update={"files": files, "purpose": Untrusted("to help")})
    whole = plain.model_copy(update={"submission": plain.submission.model_copy(update={"draft": draft})})
    review_record = ReviewRecord(seconds=1, lines=((1, 3),))
    assert 3 == len(unreviewed_items(whole, review_record))
    assert ("the input file b.csv was not on screen",) == unreviewed_items(
        whole, review_record.model_copy(update={"files": (0,), "purpose": True})
    )
    assert () == unreviewed_items(whole, review_record.model_copy(update={"files": (1, 0), "purpose": True}))


@pytest.mark.parametrize(
    ("ranges", "lines"),
    [
        ((), ()),
        (((3, 3),), (3,)),
        (((1, 3),), (3, 1, 2)),
        (((1, 2), (4, 4)), (4, 1, 2)),
        (((1, 1), (3, 3)), (1, 3)),
    ],
)
def test_lines_become_ranges_of_neighbours(
    ranges: tuple[tuple[int, int], ...], lines: tuple[int, ...]
) -> None:
    """Neighbours are one range, and a line that is left out makes two."""
    assert ranges == line_ranges(lines)


def test_lines_beyond_the_end_are_no_gap() -> None:
    """A record that names lines that the code does not have misses nothing."""
    record = ReviewRecord(seconds=1, lines=((1, 3), (9, 9)))
    assert () == coverage_gaps(case_of(Level.HIGH), record).lines


@pytest.mark.parametrize(
    ("gaps", "count"),
    [
        (CoverageGaps(lines=((2, 2),)), 1),
        (CoverageGaps(lines=((1, 3), (5, 6))), 5),
        (CoverageGaps(violations=(0,)), 0),
        (CoverageGaps(untriaged=(0,)), 0),
        (CoverageGaps(files=(0,)), 0),
        (CoverageGaps(purpose=True), 0),
    ],
)
def test_anything_that_is_missing_is_a_gap(gaps: CoverageGaps, count: int) -> None:
    """Each kind alone counts, and lines are counted."""
    assert (True, count) == (bool(gaps), gaps.line_count)
    assert not CoverageGaps()


@given(st.sets(st.integers(1, 60)), st.integers(1, 50))
def test_the_gaps_between_lines_are_exact(shown: set[int], count: int) -> None:
    """What is missing and what was seen are all the lines, and have none in common."""
    case = case_of(Level.HIGH, code="\n".join("a" * count))
    missing = coverage_gaps(case, ReviewRecord(seconds=1, lines=line_ranges(shown))).lines
    told = {line for first, last in missing for line in range(first, last + 1)}
    assert set(range(1, count + 1)) - shown == told


def test_what_older_records_lack_is_left_out() -> None:
    """A record without files and purpose is written as before, so that old signatures verify."""
    assert {"seconds", "lines", "violations", "triage"} == ReviewRecord(seconds=1).model_dump().keys()


def pre_approval(**changes: Any) -> PreApproval:
    """Return a pre-approval that `case_of(HIGH)` rests on."""
    made = PreApproval(
        id="a-1",
        match_mode=MatchMode.EXACT,
        value="1" * 64,
        requester=AGENT.name,
        ceiling=Level.HIGH,
        uses=2,
        until=NOW + timedelta(days=1),
        grant=Grant(permissions=Permissions()),
        basis="s-0",
        by=ADA,
        at=NOW,
    )
    return made.model_copy(update=changes)


OTHER_SHAPE = structural_fingerprint(
    Draft(code=Untrusted("a = '1'\n"), language=Language.PYTHON), Verdict.HARMLESS
)
SAME_SHAPE = structural_fingerprint(
    Draft(code=Untrusted("x = 1\ny = 2\nz = 3\n"), language=Language.PYTHON), Verdict.HARMLESS
)
LESS = Grant(permissions=Permissions(limits=Limits(memory_mb=64)))
MORE = Grant(permissions=Permissions(limits=Limits(memory_mb=1024)))


@pytest.mark.parametrize(
    ("rests", "changes"),
    [
        (True, {}),
        (True, {"used": 1}),
        (True, {"grant": LESS}),
        (True, {"match_mode": MatchMode.STRUCTURE, "value": SAME_SHAPE}),
        (False, {"match_mode": MatchMode.STRUCTURE, "value": OTHER_SHAPE}),
        (False, {"match_mode": MatchMode.EXACT, "value": SAME_SHAPE}),
        (False, {"used": 2}),
        (False, {"revoked": True}),
        (False, {"value": "2" * 64}),
        (False, {"requester": BOB.name}),
        (False, {"ceiling": Level.MEDIUM}),
        (False, {"ceiling": Level.CRITICAL}),
        (False, {"until": NOW}),
        (False, {"at": NOW + timedelta(seconds=1)}),
        (False, {"grant": MORE}),
    ],
)
def test_what_rests_on_a_pre_approval(rests: bool, changes: dict[str, Any]) -> None:
    """The same digest or shape, of the same requester, under the ceiling, while uses and time are left."""
    case = case_of(Level.HIGH, analysis=Analysis(verdict=Verdict.HARMLESS))
    assert rests is (matching_pre_approval(case, [pre_approval(**changes)], NOW) is not None)


@pytest.mark.parametrize("verdict", [Verdict.UNPROVEN, Verdict.VIOLATIONS])
def test_only_what_is_proven_harmless_rests_on_its_structure(verdict: Verdict) -> None:
    """The bytes of any code can be approved in advance, but a structure only with a proof."""
    case = case_of(Level.HIGH, analysis=Analysis(verdict=verdict))
    by_structure = pre_approval(match_mode=MatchMode.STRUCTURE, value=SAME_SHAPE)
    assert matching_pre_approval(case, [pre_approval()], NOW) is not None
    assert matching_pre_approval(case, [by_structure], NOW) is None


def test_nothing_critical_or_unread_rests_on_one() -> None:
    """CRITICAL, and what the analysis could not read, always goes to a person."""
    assert matching_pre_approval(case_of(Level.CRITICAL), [pre_approval()], NOW) is None
    assert (
        matching_pre_approval(case_of(Level.HIGH, analysis=Analysis(complete=False)), [pre_approval()], NOW)
        is None
    )


@pytest.mark.parametrize(
    ("may", "changes"),
    [
        (True, {}),
        (True, {"uses": 1000}),
        (True, {"until": NOW + timedelta(days=90)}),
        (False, {"ceiling": Level.CRITICAL}),
        (False, {"uses": 1001}),
        (False, {"until": NOW}),
        (False, {"until": NOW + timedelta(days=91)}),
    ],
)
def test_a_pre_approval_is_bounded(may: bool, changes: dict[str, Any]) -> None:
    """It ends, is used up, and never covers CRITICAL."""
    assert may is (pre_approval_error(pre_approval(**changes)) is None)


@given(st.lists(st.floats(0, 100), max_size=60), st.floats(0.1, 10), st.integers(1, 10))
def test_a_bucket_never_gives_more_than_its_rate(steps: list[float], rate: float, burst: int) -> None:
    """However requests are spread, at most burst + rate * time of them pass."""
    bucket, now, passed = Bucket(burst, 0.0), 0.0, 0
    for step in steps:
        now += step
        bucket, wait = bucket.take(now, rate, burst)
        passed += wait == 0
    assert passed <= burst + rate * now + 1e-6


@given(st.floats(0.1, 10))
def test_who_comes_back_when_told_is_let_in(rate: float) -> None:
    """After the seconds that were told, there is a token."""
    bucket, wait = Bucket(0.0, 0.0).take(0.0, rate, 1)
    assert 0 < wait
    assert 0.0 == bucket.take(wait * 1.000001, rate, 1)[1]


def test_a_clock_that_goes_back_gives_no_tokens() -> None:
    """Time that runs backwards fills no bucket."""
    bucket, _ = Bucket(1.0, 100.0).take(100.0, 1.0, 1)
    assert 0 < bucket.take(50.0, 1.0, 1)[1]


def test_each_principal_has_a_bucket() -> None:
    """One principal's flood takes nothing from another."""
    buckets = Buckets(per_minute=60, burst=1)
    assert [0.0, 1.0, 0.0] == [buckets.take("a", 0.0), buckets.take("a", 0.0), buckets.take("b", 0.0)]

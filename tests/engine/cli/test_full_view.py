"""All of a submission in print, and the record of it that an approval carries."""

from __future__ import annotations

import pytest

from engine.cli.output.full_view import PRINTED_BYTES, print_submission, print_untriaged, printed_record
from engine.common.errors import Problem
from engine.common.review_coverage import coverage_gaps
from engine.common.text import Untrusted
from engine.models import Case, InputFile, Level, ReviewRecord, TriageOutcome
from engine.policy.review import unreviewed_items
from tests.console.support.fake_engine import case, span, violation

CODE = "import os\nprint(os.environ)\x1b[2J\n"
FOUND = (violation(span(1, 8, 10), "first"), violation(span(2, 1, 6), "second", Level.LOW),
         violation(span(2, 1, 6), "third"))  # fmt: skip


def pending(content: bytes = b"1,\xff\n3") -> Case:
    """Return a case with three violations, of which the second is LOW, an input file and a purpose."""
    file = InputFile(name=Untrusted("a\x1b.csv"), content=content)
    return case("s-1", CODE, violations=FOUND, files=(file,), purpose="to help")


def test_all_that_counts_as_read_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """Each line of code and file, each violation and the purpose stand there, and no control character."""
    print_submission(pending())
    told = capsys.readouterr().out
    wanted = ("1 import os", "2 print(os.environ)␛[2J", "first", "second", "third", "to help",
              "a␛.csv, 5 bytes", "1 1,\\xff", "2 3")  # fmt: skip
    assert [] == [words for words in wanted if words not in told]
    assert "\x1b" not in told


def test_what_is_printed_and_settled_is_approved_in_a_team() -> None:
    """Nothing stands between such a record and an approval; without the option, HIGH violations do."""
    assert () == unreviewed_items(pending(), printed_record(pending(), ["1=accepted", "3=false-positive"]))
    assert () == unreviewed_items(pending(), printed_record(pending(), ["all=mitigated"]))
    left = coverage_gaps(pending(), printed_record(pending(), ["1=accepted"]))
    assert ((), (), (), False, (2,)) == (
        left.lines,
        left.violations,
        left.files,
        left.purpose,
        left.untriaged,
    )


def test_all_may_be_none() -> None:
    """Who settles all that there is may find nothing to settle."""
    assert () == printed_record(case("s-1", CODE), ["all=accepted"]).triage


def test_the_last_word_about_a_violation_counts() -> None:
    """`all` first and one after it is how most are settled alike."""
    made = printed_record(pending(), ["all=accepted", "3=mitigated"]).triage
    assert [(0, TriageOutcome.ACCEPTED), (2, TriageOutcome.MITIGATED)] == [
        (each.violation, each.outcome) for each in made
    ]


def test_what_is_not_printed_whole_does_not_count(capsys: pytest.CaptureFixture[str]) -> None:
    """Of a large file the beginning is shown, which is said and is not in the record."""
    large = pending(b"x" * (PRINTED_BYTES + 1))
    print_submission(large)
    assert "of which the beginning is shown" in capsys.readouterr().out
    assert () == printed_record(large).files


def test_what_is_to_settle_is_named_with_its_number(capsys: pytest.CaptureFixture[str]) -> None:
    """The numbers are those that `--triage` takes."""
    print_untriaged(pending(), ReviewRecord(seconds=0))
    told = ["needs triage: 1: py-environ in line 1", "needs triage: 3: py-environ in line 2"]
    assert told == capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    "word", ["", "1", "2=accepted", "4=accepted", "1=fine", "0=accepted", "=accepted", "all="]
)
def test_what_settles_nothing_is_refused(word: str) -> None:
    """Nobody believes that a violation was settled which was not."""
    with pytest.raises(Problem, match="matches no HIGH or CRITICAL violation"):
        printed_record(pending(), [word])

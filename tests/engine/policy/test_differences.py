"""What two texts have in common, and their difference: a patch that turns one into the other."""

from __future__ import annotations

import itertools
import re

from hypothesis import given
from hypothesis import strategies as st

from engine.policy.comparison.differences import matching_lines, unified_diff

TEXTS = st.lists(st.sampled_from(["", "a", "b", "c", "x = 1", "y"]), max_size=40)
_HUNK = re.compile(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@")


def patched(before: list[str], diff: str) -> list[str]:
    """Return the text after a patch, which has to fit."""
    made, place = list[str](), 0
    for line in diff.split("\n") if diff else ():
        if found := _HUNK.fullmatch(line):
            start = int(found[1]) - bool(int(found[2]))
            made += before[place:start]
            place = start
        elif line[0] == "+":
            made.append(line[1:])
        else:
            assert before[place] == line[1:]
            place += 1
            made += [line[1:]] if line[0] == " " else []
    return made + before[place:]


@given(TEXTS, TEXTS)
def test_the_difference_turns_one_text_into_the_other(before: list[str], after: list[str]) -> None:
    """Nothing that changed is left out, and nothing is invented."""
    assert after == patched(before, unified_diff(before, after))
    assert (before == after) is (not unified_diff(before, after))


@given(TEXTS, TEXTS)
def test_lines_that_match_are_equal_and_in_order(before: list[str], after: list[str]) -> None:
    """A line counts as unchanged only where its text is the same, each once, in the same order."""
    pairs = matching_lines(before, after)
    assert all(before[i] == after[j] for i, j in pairs)
    assert all(a < c and b < d for (a, b), (c, d) in itertools.pairwise(pairs))


@given(TEXTS)
def test_the_same_text_matches_whole(text: list[str]) -> None:
    """Every line of a text stays in the same text."""
    assert [(i, i) for i in range(len(text))] == matching_lines(text, text)


def test_a_line_in_the_middle_is_one_change() -> None:
    """The rest stays, and the patch shows three lines around it."""
    before = [f"line {number}" for number in range(20)]
    after = [*before[:10], "new", *before[11:]]
    expected = "@@ -8,7 +8,7 @@\n line 7\n line 8\n line 9\n-line 10\n+new\n line 11\n line 12\n line 13"
    assert expected == unified_diff(before, after)


def test_hostile_repetition_is_compared_at_once() -> None:
    """Lines that repeat by the hundred thousand take no more than a look at each."""
    before = [str(number % 97) for number in range(100_000)]
    assert unified_diff(before, [*before[::-1], "x"])

"""The approved submission that is most similar to another one."""

from __future__ import annotations

from engine.core.review.similarity import SimilarSubmissions
from engine.models import Case, SimilarSubmission, Summary
from tests.console.support.fake_engine import case, summary

CODE = "total = 0\nfor row in open('a.csv'):\n    total += int(row)\nprint(total)\n"
PAST = {
    "s-1": case("s-1", "print('hello')\n"),
    "s-2": case("s-2", CODE.replace("total", "sum_")),
    "s-3": case("s-3", CODE.replace("int", "float")),
}


class Cases:
    """The approved submissions, and one that is pending."""

    async def history(self, filter: str, before: str | None, limit: int) -> tuple[Summary, ...]:
        """Return what was approved."""
        assert "decision:approved lang:python" == filter
        return tuple(summary(each) for each in PAST.values())

    async def case(self, id: str) -> Case:
        """Return one of them."""
        return {**PAST, "s-9": case("s-9", CODE)}[id]


async def test_the_nearest_is_the_one_with_most_in_common() -> None:
    """Another name for a variable is no difference; a submission is not compared with itself."""
    similar = SimilarSubmissions(Cases())
    assert SimilarSubmission(id="s-2", similarity=1.0) == await similar.nearest("s-9")
    nearest = await similar.nearest("s-2")
    assert nearest is not None
    assert "s-3" == nearest.id
    assert await similar.nearest("s-1") is None

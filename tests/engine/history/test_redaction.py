"""What stays of a record whose texts are erased."""

from __future__ import annotations

from engine.history.erasing.redaction import without_texts


def test_the_record_still_says_what_was_on_screen() -> None:
    """Without it an approval would look as if its own submission had been displayed."""
    record = {"seconds": 9, "carried_from": "s-1", "equivalent_to": "s-2"}
    assert {"review_record": record} == without_texts({"review_record": record})

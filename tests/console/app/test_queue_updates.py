"""The queue of the console stays that of the engine, and only what changed is fetched."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from console.app.queue_updates import QueueUpdates, merged
from engine.common.queue_order import queue_order
from engine.models import Level, Status
from tests.console.support.fake_engine import FakeEngine, case, entry, event

LEVELS = st.sampled_from(list(Level))


@given(st.dictionaries(st.integers(0, 9), LEVELS), st.dictionaries(st.integers(0, 9), LEVELS))
def test_what_changed_is_placed_as_the_engine_lists_it(
    before: dict[int, Level], after: dict[int, Level]
) -> None:
    """Whatever came, went or changed its level: the result is the sorted list of what is there."""
    known = {f"s-{n}": entry(case(f"s-{n}", "print(1)", level=level)) for n, level in before.items()}
    found = {f"s-{n}": entry(case(f"s-{n}", "print(1)", level=level)) for n, level in after.items()}
    changed = tuple({*known, *found})
    expected = sorted(found.values(), key=queue_order)
    assert [each.summary.id for each in expected] == list(merged(known, changed, found))


async def test_only_what_changed_is_fetched() -> None:
    """After the first time, the engine is asked for the submission of the event alone."""
    engine, updates = (
        FakeEngine(case("s-0", "print(1)"), case("s-1", "print(1)"), case("s-2", "print(1)")),
        QueueUpdates(),
    )
    known = await updates.load(engine, {})  # type: ignore[arg-type]
    engine.put(engine.cases["s-1"].model_copy(update={"status": Status.DENIED}))
    engine.put(engine.cases["s-2"].model_copy(update={"status": Status.DENIED}))
    updates.note(event(1, "decision.made", "s-1"))
    now = await updates.load(engine, known)  # type: ignore[arg-type]
    assert ["s-0", "s-2"] == list(now)
    assert now is await updates.load(engine, now)  # type: ignore[arg-type]


async def test_a_change_of_policy_fetches_all_of_the_queue() -> None:
    """Such an event names no submission, and may change each."""
    engine, updates = FakeEngine(case("s-0", "print(1)"), case("s-1", "print(1)")), QueueUpdates()
    known = await updates.load(engine, {})  # type: ignore[arg-type]
    engine.put(engine.cases["s-1"].model_copy(update={"status": Status.DENIED}))
    updates.note(event(1, "policy.loaded", ""))
    assert ["s-0"] == list(await updates.load(engine, known))  # type: ignore[arg-type]

"""The effects of a run: beside what was predicted and granted, in Run and in the case."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from console.history.case import CaseScreen
from console.run.effects import EffectsScreen, effect_paragraphs
from console.safety.text import paragraphs
from engine.common.text import Untrusted
from engine.models import Level
from engine.models.observed import (
    EffectMatch,
    Observation,
    ObservationStatus,
    ObservedEffect,
    ObservedKind,
    Relation,
    RunEffects,
)
from tests.console.app.test_screens import killed, running
from tests.console.support.fake_engine import FakeEngine, event
from tests.console.support.harness import frame, open_console, press, until

SENT = EffectMatch(
    relation=Relation.BEYOND,
    kind="connect",
    value=Untrusted("45.33.32.156:4444"),
    number=1,
    severity=Level.HIGH,
    reason="it connects past the proxy",
)
READ = EffectMatch(relation=Relation.PREDICTED, kind="read", value=Untrusted("/workspace/a.csv"), lines=(3,))
EFFECT = ObservedEffect(number=1, kind=ObservedKind.CONNECT, target=Untrusted("45.33.32.156:4444"))
FOUND = RunEffects(
    observation=Observation(status=ObservationStatus.COMPLETE, events=9),
    effects=(EFFECT,),
    matches=(SENT, READ),
)


async def test_the_effects_of_a_run_open_over_it() -> None:
    """A surprise comes first, with its severity and reason; then what was predicted, with its lines."""
    engine = FakeEngine(running("s-1"))
    engine.effects_of["s-1"] = FOUND
    async with open_console(engine) as (app, pilot):
        await press(pilot, "2")
        await until(pilot, lambda: "s-1" in frame(app))
        await press(pilot, "e")
        await until(pilot, lambda: isinstance(app.screen, EffectsScreen) and "45.33.32.156" in frame(app))
        shown = frame(app)
        assert "HIGH" in shown
        assert "past the proxy" in shown
        assert shown.index("45.33.32.156") < shown.index("/workspace/a.csv")
        await press(pilot, "escape")
        assert not isinstance(app.screen, EffectsScreen)


async def test_a_surprise_is_told_while_the_run_is_shown() -> None:
    """The line of the status names the surprises as they are recorded."""
    engine = FakeEngine(running("s-1"))
    async with open_console(engine) as (app, pilot):
        await press(pilot, "2")
        await until(pilot, lambda: "s-1" in frame(app))
        happened = event(5, "run.surprise", "s-1").model_copy(update={"data": {"surprises": [{}, {}]}})
        app.screen._handle(happened)  # type: ignore[attr-defined]
        await until(pilot, lambda: "2 surprises" in frame(app))


async def test_the_case_says_what_was_observed() -> None:
    """The facts of a case say how many surprises there were; f shows them."""
    engine = FakeEngine(killed("s-1"))
    engine.effects_of["s-1"] = FOUND
    async with open_console(engine) as (app, pilot):
        await press(pilot, "4", "enter")
        await until(pilot, lambda: isinstance(app.screen, CaseScreen) and "1 surprise" in frame(app))
        await press(pilot, "f")
        await until(pilot, lambda: isinstance(app.screen, EffectsScreen) and "past the proxy" in frame(app))


@given(st.text(max_size=80))
def test_names_from_the_guest_stay_in_their_place(name: str) -> None:
    """A path with control characters is one line of visible marks."""
    target = Untrusted(name.encode(errors="replace").decode())
    effect = EFFECT.model_copy(update={"target": target, "process": target, "detail": target})
    match = SENT.model_copy(update={"value": target})
    plain = paragraphs(
        *effect_paragraphs(FOUND.model_copy(update={"effects": (effect,), "matches": (match,)}))
    )
    assert effect_paragraphs(FOUND)
    assert "\x1b" not in plain.plain
    assert len(effect_paragraphs(FOUND)) - 3 == plain.plain.count("\n") + 1

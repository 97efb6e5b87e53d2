"""The effects of a run up to a moment of its replay, the latest last."""

from __future__ import annotations

from collections.abc import Iterable

from textual.widgets import Static

from console.safety.text import Part, clip, paragraphs
from engine.common.effects.effect_lines import effect_line
from engine.models.observed import ObservedEffect

SHOWN = 5


class ReplayedEffects(Static):
    """The latest effects; hidden where the run had none."""

    DEFAULT_CSS = """
    ReplayedEffects { height: auto; max-height: 7; display: none; }
    ReplayedEffects.-some { display: block; }
    """

    def __init__(self) -> None:
        super().__init__(classes="box")
        self.border_title = "Effects so far"
        self._effects: tuple[ObservedEffect, ...] = ()
        self._lines: list[list[Part]] | None = None

    def load(self, effects: Iterable[ObservedEffect]) -> None:
        """Take the effects of the run; what every run does is left out."""
        own = (effect for effect in effects if not effect.routine)
        self._effects = tuple(sorted(own, key=lambda effect: effect.first))
        self.set_class(bool(self._effects), "-some")

    def show(self, at: float) -> None:
        """Show the latest effects of the first so many seconds."""
        lines = effect_lines(self._effects, at, max(8, self.size.width))
        if lines != self._lines:
            self._lines = lines
            self.update(paragraphs(*lines))


def effect_lines(effects: tuple[ObservedEffect, ...], at: float, width: int) -> list[list[Part]]:
    """Return a line for each of the latest effects until then; a sentence where there is none yet."""
    begun = [effect for effect in effects if effect.first <= at][-SHOWN:]
    return [[clip(effect_line(effect), width)] for effect in begun] or [[("No effects so far.", "muted")]]

"""What a run did, beside what was predicted and granted: as lines, and as a sheet over a screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from console.app.state import console_app
from console.safety.text import Part, paragraphs
from engine.common.effects.effect_lines import effect_line, status_line
from engine.common.text import many
from engine.models.observed import EffectMatch, ObservationStatus, Relation, RunEffects

REFRESH_SECONDS = 1.0
MOST_ROWS = 300
"""How many rows of a kind are shown; `pratique effects` prints all."""
_ORDER = (
    Relation.BEYOND,
    Relation.UNPREDICTED,
    Relation.TARGET_UNKNOWN,
    Relation.PREDICTED,
    Relation.NOT_OBSERVED,
    Relation.USED,
    Relation.UNUSED,
    Relation.USE_UNKNOWN,
)


def effect_paragraphs(found: RunEffects) -> list[list[Part]]:
    """Return everything that is known about the effects of a run."""
    lines: list[list[Part]] = [[(status_line(found), _status_style(found))]]
    lines += [surprise_paragraph(one) for one in surprises_of(found)]
    for relation in _ORDER:
        lines += _section(relation, [one for one in found.matches if one.relation is relation])
    own = [one for one in found.effects if not one.routine]
    if own:
        lines += [[], [("Observed", "bold muted")]]
        lines += [[effect_line(one)] for one in own[:MOST_ROWS]]
        lines += _more(len(own))
    return lines


def surprises_of(found: RunEffects) -> list[EffectMatch]:
    """Return the surprises, the gravest first."""
    return [one for one in found.matches if one.surprising]


def surprise_paragraph(match: EffectMatch) -> list[Part]:
    """Return a surprise with its severity and reason."""
    return [*_severity(match), *_value(match), (f"  {match.reason}", "muted")]


def summary_line(found: RunEffects) -> list[Part]:
    """Return the effects of a run in one line, for the facts of its case."""
    surprising = len(surprises_of(found))
    said: list[Part] = [(f"{many(surprising, 'surprise')}  ", "bold error")] if surprising else []
    return [*said, ("effects (f): ", "muted"), (status_line(found), _status_style(found))]


def _section(relation: Relation, matches: list[EffectMatch]) -> Iterator[list[Part]]:
    rest = [one for one in matches if not one.surprising]
    if not rest:
        return
    yield []
    yield [(relation.value.capitalize(), "bold muted")]
    for match in rest[:MOST_ROWS]:
        lines = f"  line {', '.join(map(str, match.lines[:5]))}" if match.lines else ""
        yield [*_value(match), (lines, "muted")]
    yield from _more(len(rest))


def _more(count: int) -> list[list[Part]]:
    left = count - MOST_ROWS
    return [[(f"{left:,} more: pratique effects", "muted")]] if left > 0 else []


def _value(match: EffectMatch) -> list[Part]:
    return [(f"{match.kind:<10} ", "muted"), match.value]


def _severity(match: EffectMatch) -> list[Part]:
    level = match.severity.value if match.severity else "low"
    return [(f"{level.upper():<9}", f"risk-{level}"), (f"{match.relation.value}  ", "")]


def _status_style(found: RunEffects) -> str:
    complete = found.observation is None or found.observation.status is ObservationStatus.COMPLETE
    return "muted" if complete else "warning"


class EffectsScreen(ModalScreen[None]):
    """Shows the effects of one run, and follows them while it goes on."""

    AUTO_FOCUS = "#effects"
    HELP_TITLE = "Effects"
    HELP_WORDS = (
        "What gVisor's kernel saw the run do, beside what the analysis predicted and the decision granted. "
        "What was neither predicted nor granted comes first."
    )
    DEFAULT_CSS = """
    EffectsScreen .sheet Static { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,e", "leave", "Close", id="effects.close", tooltip="Close")
    ]

    def __init__(self, run: str) -> None:
        super().__init__()
        self._run = run

    def compose(self) -> ComposeResult:
        """Lay out the lines."""
        with VerticalScroll(id="effects", classes="sheet") as sheet:
            sheet.border_title = "Effects"
            sheet.border_subtitle = "Esc closes"
            yield Static("Loading …", id="effect-lines")

    def on_mount(self) -> None:
        """Show the effects, and follow them."""
        self._load()
        self._timer = self.set_interval(REFRESH_SECONDS, self._load)

    @work(exclusive=True)
    async def _load(self) -> None:
        found = await console_app(self).connection.call(lambda client: client.effects(self._run))
        if found is None:
            return
        self.query_one("#effect-lines", Static).update(paragraphs(*effect_paragraphs(found)))
        if found.observation is not None:
            self._timer.stop()

    def action_leave(self) -> None:
        """Close the sheet."""
        self.dismiss(None)

"""The lines between the header and the code: why this level, what it will do, what it may have."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from console.app.textual_patches import update_height
from console.review.answer import effects
from console.review.answer.mismatch import mismatch
from console.review.changes.revision import summary_parts
from console.review.rehearsal.known import NOTHING_KNOWN, RehearsalState
from console.review.rehearsal.words import state_line
from console.review.ungrantable import listed as listed_ungrantable
from console.safety.text import Part, clip, content, pad, wrapped_parts
from console.widgets.rows import LOW, NARROW, TALL
from engine.common.level_reason import level_reason
from engine.models import Case, Revision

LABEL_CELLS = 13
MOST_ROWS, MOST_ROWS_TALL = 5, 12


class AnswerPanel(Static):
    """The answer to what a reviewer asks first, in a few lines."""

    DEFAULT_CSS = """
    AnswerPanel { height: auto; padding: 0 1; background: $surface; border-bottom: none; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._case: Case | None = None
        self._revision: Revision | None = None
        self._rehearsal, self._now = NOTHING_KNOWN, 0.0

    def show(self, case: Case | None, revision: Revision | None = None) -> None:
        """Show the answer for another submission, and what it changes in the one that it revises."""
        self._case, self._revision, self._rehearsal = case, revision, NOTHING_KNOWN
        self._fit()

    def show_rehearsal(self, state: RehearsalState, now: float) -> None:
        """Show what is known of the submission's rehearsals at the time `now` of the loop's clock."""
        changed = state != self._rehearsal or state.began is not None
        self._rehearsal, self._now = state, now
        if changed:
            self._fit()

    def on_resize(self) -> None:
        """Fit the lines to the new width."""
        self._fit()

    def _fit(self) -> None:
        width, screen = self.content_size.width, self.app.size
        short = screen.width < NARROW or screen.height < LOW
        most = MOST_ROWS_TALL if screen.height >= TALL else MOST_ROWS
        lines: list[list[Part]] = []
        if self._case is not None and width:
            lines = answer_lines(
                self._case, width, short=short, most=most, state=self._rehearsal, now=self._now
            )
        if self._revision is not None and lines:
            lines[1:1] = _bounded(summary_parts(self._revision), width, 1)
        update_height(self, Content("\n").join(content(*line) for line in lines))


def answer_lines(
    case: Case,
    width: int,
    *,
    short: bool,
    most: int = MOST_ROWS,
    state: RehearsalState = NOTHING_KNOWN,
    now: float = 0.0,
) -> list[list[Part]]:
    """Return the lines, at most so many effects; short ones are one for each answer, without a table."""
    level, (said, style) = case.assessment.risk, effects.verdict(case.analysis)
    wanted = case.submission.draft.permissions
    lines: list[list[Part]] = [
        [("Why ", "muted"), (clip(level_reason(case), width - 4), f"risk-{level.value}")],
        *_bounded([(said, style), "  ", effects.sentence(case)], width, 2),
    ]
    if different := mismatch(case, width // 3):
        words: list[Part] = [("Mismatch ", "bold warning"), (different, "warning")]
        lines += [[words[0], (clip(different, width - 9), "warning")]] if short else _bounded(words, width, 2)
    if refused := listed_ungrantable(case.submission.draft, width - 18):
        lines.append([("Cannot be granted ", "bold warning"), (clip(refused, width - 18), "warning")])
    lines += _bounded(state_line(state, now), width, 1) if state != NOTHING_KNOWN else []
    if short:
        return [*lines, [("Requests ", "muted"), clip(effects.requests(wanted), width - 9)]]
    return [*lines, *_table(effects.effect_rows(case, state.found), width, most), _limits_line(case, width)]


def _limits_line(case: Case, width: int) -> list[Part]:
    wanted = case.submission.draft.permissions
    kept = ", keeps its state in a session" if wanted.session else ""
    return [
        (pad("limits", LABEL_CELLS), "muted"),
        clip(effects.limits(wanted.limits) + kept, width - LABEL_CELLS),
    ]


def _table(rows: tuple[effects.EffectRow, ...], width: int, most: int) -> list[list[Part]]:
    """Return effects as a table; the column of a rehearsal is there once there was one."""
    if not rows:
        return []
    rehearsed = any(row.rehearsed is not None for row in rows)
    cells = (width - LABEL_CELLS) // (3 if rehearsed else 2)
    titles = ("predicted", "requested", *(("rehearsed",) if rehearsed else ()))
    head: list[Part] = [" " * LABEL_CELLS, *((pad(title, cells), "faint") for title in titles)]
    more = len(rows) - most
    rest: list[list[Part]] = [[(f"and {more} more kinds: press i", "faint")]] if more > 0 else []
    return [head, *(_table_row(row, cells, rehearsed=rehearsed) for row in rows[:most]), *rest]


def _table_row(row: effects.EffectRow, cells: int, *, rehearsed: bool) -> list[Part]:
    last: list[Part] = [_seen(row, cells)] if rehearsed else []
    asked: Part = ("not requested: refused", "success") if row.refused else ", ".join(row.requested) or "–"
    text, style = asked if isinstance(asked, tuple) else (asked, "foreground" if row.requested else "faint")
    return [
        (pad(row.label, LABEL_CELLS), "muted"),
        (pad(", ".join(row.predicted) or "–", cells - 1), "foreground" if row.predicted else "faint"),
        " ",
        (pad(text, cells - 1), style),
        " ",
        *last,
    ]


def _seen(row: effects.EffectRow, cells: int) -> Part:
    """Return what a rehearsal saw; what was neither predicted nor requested stands out."""
    if row.rehearsed is None:
        return pad("it cannot tell", cells), "faint"
    style = "bold warning" if row.surprises else "foreground" if row.rehearsed else "faint"
    return pad(", ".join(row.rehearsed) or "–", cells), style


def _bounded(parts: list[Part], width: int, most: int) -> list[list[Part]]:
    """Return parts as at most so many lines, with `…` at the end where something is missing."""
    lines: list[list[Part]] = [list(line) for line in wrapped_parts(parts, width)]
    if len(lines) <= most:
        return lines
    rest = [part for line in wrapped_parts(parts, width)[most - 1 :] for part in line]
    words = "".join(text for text, _ in rest)
    return [*lines[: most - 1], [(clip(words, width), rest[-1][1])]]

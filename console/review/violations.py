"""The list of violations, and the details of the selected one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from console.app.textual_patches import set_border_title
from console.review.review_record import TITLES
from console.safety.text import Part, clip, content, wrapped_parts
from console.theming.styles import strip
from console.widgets.formatting import badge
from console.widgets.rows import Rows
from console.widgets.violation_badges import author_badge, is_syntax_error, reviewer_badge
from engine.common.presentation import verdict_text
from engine.common.text import many
from engine.models import Analysis, Confidence, TriageOutcome, Unproven, Verdict, Violation

SIGNS = {TriageOutcome.ACCEPTED: "a", TriageOutcome.MITIGATED: "m", TriageOutcome.FALSE_POSITIVE: "x"}
"""The letter beside a violation: the key that resolved it."""
ERROR: tuple[str, str] = ("err", "bold error")


class ViolationList(Rows):
    """One row for each violation, the order that of the code."""

    EMPTY: ClassVar[tuple[list[Part], ...]] = (
        [("No violations.", "bold success")],
        [],
        [("No rule matched:", "muted")],
        [("review manually.", "muted")],
    )
    UNWRITTEN: ClassVar[tuple[list[Part], ...]] = (
        [("No code yet.", "bold muted")],
        [],
        [("Violations are marked", "muted")],
        [("as you type.", "muted")],
    )
    """What is displayed where there is no code."""
    PROVEN: ClassVar[tuple[list[Part], ...]] = (
        [("Proven harmless.", "bold success")],
        [],
        [("It can only compute", "muted")],
        [("and print.", "muted")],
    )
    """What is displayed where the code is proven harmless."""

    def __init__(self, *, id: str | None = None, for_author: bool = False) -> None:
        super().__init__(id=id, classes="box")
        self.border_title = "Violations"
        self._for_author = for_author
        self._violations: tuple[Violation, ...] = ()
        self._settled: Mapping[int, TriageOutcome] = {}
        self.unwritten = False
        """Whether there is no code yet."""
        self._unproven: tuple[Unproven, ...] = ()
        self._proven = False
        self._trusts: tuple[str, ...] = ()

    def empty(self) -> tuple[list[Part], ...]:
        """Return what is displayed where there are no violations."""
        if self.unwritten:
            return self.UNWRITTEN
        if self._proven:
            return (*self.PROVEN, *_trusting_lines(self._trusts))
        places = [_unproven_line(one) for one in self._unproven]
        return (*self.EMPTY, [], *places) if places else self.EMPTY

    def show_verdict(self, analysis: Analysis) -> None:
        """Show what is not proven harmless, in the border and in an empty list, or that all of it is."""
        self._unproven = analysis.unproven
        self._proven = analysis.verdict is Verdict.HARMLESS
        self._trusts = analysis.trusts
        if not self.unwritten and analysis.unproven:
            set_border_title(self, content(verdict_text(analysis)), below=True)
        self.refresh()

    @property
    def count(self) -> int:
        """How many violations there are."""
        return len(self._violations)

    @property
    def on_screen(self) -> frozenset[int]:
        """The indexes of the violations whose row is displayed."""
        if not self.display:
            return frozenset()
        top = int(self.scroll_offset.y)
        return frozenset(range(top, min(top + self.size.height, self.count)))

    def show(
        self, violations: tuple[Violation, ...], outcomes: Mapping[int, TriageOutcome] | None = None
    ) -> None:
        """Show the violations of another submission; `settled` may grow while they are shown."""
        self._violations = violations
        self._settled = outcomes if outcomes is not None else {}
        set_border_title(self, content(f"Violations {len(violations)}" if violations else "Violations"))
        set_border_title(self, content("n: next  p: previous" if violations else ""), below=True)
        self.set_reactive(ViolationList.cursor, 0)
        self.scroll_to(y=0, animate=False)
        self.refit()

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw a violation: level, place and rule."""
        violation = self._violations[index]
        text, style = ERROR if self._for_author and is_syntax_error(violation) else badge(violation.severity)
        place = f"{violation.span.line}:{violation.span.column}"
        more = f" ×{len(violation.related) + 1}" if violation.related else ""
        rule = clip(violation.rule + more, min(26, width - 14))
        rest = clip(violation.message, max(0, width - 16 - len(rule)))
        made = self._settled.get(index)
        sign: Part = (SIGNS[made], "bold success") if made else " "
        return [" ", (text, style), sign, f"{place:>7}  ", (rule, "foreground"), "  ", (rest, "muted")]


def _unproven_line(one: Unproven) -> list[Part]:
    return [(f"{one.span.line}:{one.span.column}  ", "muted"), one.reason]


def _trusting_lines(libraries: tuple[str, ...]) -> list[list[Part]]:
    """Return what says that a proof takes the C code of libraries for sound."""
    if not libraries:
        return []
    return [[], [("This trusts the C code", "muted")], [(f"of {', '.join(libraries)}.", "muted")]]


class ViolationDetail(Widget, can_focus=True):
    """The details of one violation. It draws its own lines, so that the next one costs no layout."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", id="details.up", show=False, tooltip="Line up"),
        Binding("down,j", "move(1)", "Down", id="details.down", show=False, tooltip="Line down"),
        Binding("pageup", "move(-8)", "Page up", id="details.page-up", show=False, tooltip="Page up"),
        Binding("pagedown", "move(8)", "Page down", id="details.page-down", show=False, tooltip="Page down"),
    ]
    DEFAULT_CSS = """
    ViolationDetail { height: 1fr; padding: 0 1; }
    """

    def __init__(self, *, id: str | None = None, for_author: bool = False) -> None:
        super().__init__(id=id, classes="box")
        self.border_title = "Details"
        self._badge = author_badge if for_author else reviewer_badge
        self._shown: tuple[Violation | None, TriageOutcome | None] | None = None
        self._details: list[list[Part]] = []
        self._lines: list[list[tuple[str, str]]] = []
        self._drawn: dict[int, list[tuple[str, str]]] = {}
        self._top = 0

    def show(self, violation: Violation | None, made: TriageOutcome | None = None) -> None:
        """Show a violation and its outcome, or that there is none."""
        if (violation, made) == self._shown:
            return
        self._shown = violation, made
        set_border_title(self, content(f"Details: {TITLES[made]}" if made else "Details"))
        self._details = (
            _details(violation, self._badge(violation))
            if violation
            else [[("No violation selected.", "muted")]]
        )
        self._top = 0
        self._wrap()

    def on_resize(self) -> None:
        """Break the lines anew."""
        self._wrap()

    def on_mouse_scroll_down(self) -> None:
        """Go down."""
        self.action_move(1)

    def on_mouse_scroll_up(self) -> None:
        """Go up."""
        self.action_move(-1)

    def action_move(self, lines: int) -> None:
        """Go up or down by some lines."""
        self._top += lines
        self._scroll()

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        line = self._drawn[y] = self._line(y)
        return strip(self, line, self.content_size.width, self.visual_style.rich_style)

    def _line(self, y: int) -> list[tuple[str, str]]:
        at = y + self._top
        return self._lines[at] if at < len(self._lines) else []

    def _wrap(self) -> None:
        width = self.content_size.width
        self._lines = [each for line in self._details for each in wrapped_parts(line, width)] if width else []
        self._scroll()

    def _scroll(self) -> None:
        below = len(self._lines) - self.content_size.height
        self._top = max(0, min(self._top, below))
        left = below - self._top
        set_border_title(
            self, content(f"{many(left, 'line')} more: Tab, PgDn" if left > 0 else ""), below=True
        )
        width, height = self.content_size
        changed = [Region(0, y, width, 1) for y in range(height) if self._drawn.get(y) != self._line(y)]
        if changed:
            self.refresh(*changed)


def _details(violation: Violation, badge: Part) -> list[list[Part]]:
    lines: list[list[Part]] = [[badge, *_heading(violation)], [violation.message]]
    for title, text in (("Attack", violation.attack), ("Severity", violation.why), ("Fix", violation.fix)):
        if text:
            lines.append([(f"{title}  ", "bold muted"), text])
    if violation.layers:
        lines.append([("Decoded  ", "bold muted"), (" → ".join(violation.layers), "warning")])
    lines += [[(f"  line {step.span.line}  ", "faint"), (step.text, "muted")] for step in violation.evidence]
    if violation.related:
        places = ", ".join(f"{span.line}:{span.column}" for span in violation.related)
        lines.append([("Also at  ", "bold muted"), places])
    return lines


def _heading(violation: Violation) -> list[Part]:
    parts: list[Part] = ["  ", (violation.rule, "bold"), "  "]
    if violation.cwe is not None:
        parts.append((f"CWE-{violation.cwe}  ", "primary"))
    if violation.owasp:
        parts.append((f"{violation.owasp}  ", "primary"))
    span = violation.span
    parts.append((f"{span.line}:{span.column}–{span.end_line}:{span.end_column}  ", "muted"))
    if violation.confidence is not Confidence.HIGH:
        parts.append((f"confidence {violation.confidence.value}", "warning"))
    return parts

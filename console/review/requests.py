"""The panel of purpose, requested permissions, predicted effects and risk."""

from __future__ import annotations

from textual.containers import VerticalScroll
from textual.widgets import Static

from console.app.textual_patches import forget_arrangement
from console.safety.text import LONGEST, Part, content, paragraphs
from console.theming.styles import drawing_size
from console.widgets.formatting import now, size
from engine.common.presentation import headline
from engine.common.text import Untrusted
from engine.models import Case, EffectKind, Limits, Package, Permissions, PredictedEffect

NEED_CELLS = max(len(each.value) for each in EffectKind) + 1
"""The longest kind of effect, and a space."""
MISSING = "no use predicted"
UNLOCKED = "  not resolved: cannot be granted"
BUILDS = "  runs its own code during installation"


class RequestPanel(VerticalScroll):
    """Purpose, requested permissions, predicted effects, and the reasons of the risk."""

    DEFAULT_CSS = """
    RequestPanel { height: 1fr; padding: 0 1; }
    RequestPanel Static { height: auto; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, classes="box")
        self.border_title = "Permissions"
        self._text = Static()
        self._purpose = content()

    @property
    def purpose_visible(self) -> bool:
        """Whether the last line of the purpose is displayed."""
        end = self._purpose.get_height({}, self._text.size.width or 1)
        return self.display and bool(self.region) and self.scroll_offset.y + drawing_size(self).height >= end

    def compose(self) -> list[Static]:
        """Lay out the text."""
        return [self._text]

    def show(self, case: Case | None) -> None:
        """Show the requests of a submission."""
        self._purpose = paragraphs(*_purpose_lines(case)) if case else content()
        words = paragraphs(*_purpose_lines(case), *_request_lines(case)) if case else content()
        self._text.update(words, layout=self.display)
        if not self.display:
            forget_arrangement(self)
        self.scroll_home(animate=False, immediate=True)


def _purpose_lines(case: Case) -> list[list[Part]]:
    purpose = _whole(case.submission.draft.purpose)
    says: list[Part] = [("Purpose", "bold accent")]
    return [*reviews(case), says, [("❝", "accent"), *purpose, ("❞", "accent")]]


def _request_lines(case: Case) -> list[list[Part]]:
    draft = case.submission.draft
    lines: list[list[Part]] = []
    if draft.operation is not None:
        lines.append([("Tool call ", "bold accent"), headline(draft)])
    lines.append([("Requested permissions", "bold muted")])
    lines += asked(draft.permissions, case.analysis.effects)
    lines += [
        [
            _kind("file"),
            file.name,
            (f"  {size(len(file.content))}  (v: view)", "faint"),
        ]
        for file in draft.files
    ]
    lines.append([("Predicted effects", "bold muted")])
    lines += [effect_parts(each) for each in case.analysis.effects] or [[(" no external access", "faint")]]
    lines.append([("Risk", "bold muted")])
    lines += [
        [_kind(match.level.value, f"risk-{match.level.value}"), (match.rule, "foreground"), " ",
         (match.reason, "muted")]
        for match in case.assessment.matches
    ]  # fmt: skip
    return lines


def reviews(case: Case) -> list[list[Part]]:
    """Return the approvals of other reviewers, one line each, and who has claimed it or is to."""
    lines: list[list[Part]] = [
        [("Approved by ", "bold success"), review.by.name, (": ", "muted"), review.reason or "(no reason)",
         ("  second reviewer required", "warning")]
        for review in case.reviews
    ]  # fmt: skip
    if case.claim is not None and case.claim.until > now():
        lines.append([("Claimed by ", "bold warning"), case.claim.by])
    if case.assigned is not None:
        lines.append([("Assigned to ", "muted"), case.assigned.to, (" by ", "muted"), case.assigned.by])
    return lines


def _whole(purpose: Untrusted) -> list[Part]:
    """Return a purpose in pieces that are short enough to be displayed whole."""
    pieces = (purpose.text[at : at + LONGEST] for at in range(0, len(purpose.text), LONGEST))
    return [(Untrusted(piece), "italic") for piece in pieces] or [("(none)", "italic")]


def _lock_parts(package: Package) -> list[Part]:
    """Return where npm installs a package, and the beginnings of its locked hashes."""
    place: list[Part] = ["  in ", package.place] if package.place else []
    if not package.hashes:
        return [*place, (UNLOCKED, "warning")]
    return [*place, *((f"  {one[:19]}…", "muted") for one in package.hashes)]


def asked(wanted: Permissions, effects: tuple[PredictedEffect, ...]) -> list[list[Part]]:
    """Return the requested permissions, one line each, with a note where no use was predicted."""
    seen = {each.value.text for each in effects if each.kind in {EffectKind.HOST, EffectKind.URL}}
    few, more = limits(wanted.limits)
    lines: list[list[Part]] = [[_kind("limits"), few], [_kind(""), more]]
    for domain in wanted.domains:
        used = any(domain.text in value for value in seen)
        lines.append([_kind("domain"), domain, ("" if used else f"  {MISSING}", "warning")])
    lines += [
        [_kind("package"), each.name, " ", each.version, *_lock_parts(each)] for each in wanted.packages
    ]
    lines += [[_kind("secret"), each] for each in wanted.secrets]
    lines += [[_kind("build"), each, (BUILDS, "warning")] for each in wanted.builds]
    if wanted.session:
        lines.append([_kind("session"), "keeps its state between runs"])
    return lines


def limits(bounds: Limits) -> tuple[str, str]:
    """Return limits in two lines."""
    return (
        f"{bounds.memory_mb} MiB · {bounds.cpus:g} CPU",
        f"{bounds.seconds:g} s · {bounds.processes} {'process' if bounds.processes == 1 else 'processes'}",
    )


def effect_parts(effect: PredictedEffect) -> list[Part]:
    """Return a predicted effect in one line."""
    lines = ", ".join(str(line) for line in effect.lines[:6])
    certain = "" if effect.certainty.value == "exact" else f" ({effect.certainty.value})"
    return [_kind(effect.kind.value), effect.value, (certain, "warning"),
            (f"  line {lines}" if lines else "", "faint")]  # fmt: skip


def _kind(name: str, style: str = "muted") -> Part:
    """Return the label of a line, all of the same width."""
    return f" {name:<{NEED_CELLS}}", style

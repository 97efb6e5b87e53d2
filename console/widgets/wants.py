"""What the code asked for beside what it is predicted to want, and what its agent says it is for."""

from __future__ import annotations

from textual.containers import VerticalScroll
from textual.widgets import Static

from console.text import Part, content, paragraphs
from console.units import size
from engine.models import Capabilities, Case, Limits, Need, Prediction

MISSING = "the analysis found no sign of it"


class Wants(VerticalScroll):
    """The agent's words, what was asked for, what the code shows, and the policy's reasons."""

    DEFAULT_CSS = """
    Wants { height: 1fr; padding: 0 1; }
    Wants Static { height: auto; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, classes="box")
        self.border_title = "Wants"
        self._text = Static()

    def compose(self) -> list[Static]:
        """Lay out the text."""
        return [self._text]

    def show(self, case: Case | None) -> None:
        """Show what a submission wants."""
        self._text.update(paragraphs(*_told(case)) if case else content())
        self.scroll_home(animate=False)


def _told(case: Case) -> list[list[Part]]:
    draft = case.submission.draft
    lines: list[list[Part]] = [[("The agent says", "bold accent")]]
    lines.append([("❝ ", "accent"), (draft.purpose or "(nothing)", "italic"), (" ❞", "accent")])
    lines.append([("Asks for", "bold muted")])
    lines += asked(draft.capabilities, case.analysis.predictions)
    lines += [
        [(" file   ", "muted"), file.name, (f"  {size(len(file.content))}  (v shows it)", "faint")]
        for file in draft.files
    ]
    lines.append([("Predicted", "bold muted")])
    lines += [_predicted(each) for each in case.analysis.predictions] or [
        [(" nothing beyond itself", "faint")]
    ]
    lines.append([("Risk", "bold muted")])
    lines += [
        [(f" {match.level.value:<8} ", f"risk-{match.level.value}"), (match.rule, "foreground"), " ",
         (match.reason, "muted")]
        for match in case.assessment.matches
    ]  # fmt: skip
    return lines


def asked(wanted: Capabilities, predictions: tuple[Prediction, ...]) -> list[list[Part]]:
    """Return what a submission asked for, one line each, with a sign where the code shows no use of it."""
    seen = {each.value.text for each in predictions if each.need in {Need.HOST, Need.URL}}
    lines: list[list[Part]] = [[(" limits ", "muted"), limits(wanted.limits)]]
    for domain in wanted.domains:
        used = any(domain.text in value for value in seen)
        lines.append([(" domain ", "muted"), domain, ("" if used else f"  {MISSING}", "warning")])
    lines += [[(" package ", "muted"), each.name, " ", each.version] for each in wanted.packages]
    lines += [[(" secret ", "muted"), each] for each in wanted.secrets]
    if wanted.session:
        lines.append([(" session ", "muted"), "keeps its sandbox between runs"])
    return lines


def limits(bounds: Limits) -> str:
    """Return limits in one line."""
    return (
        f"{bounds.memory_mb} MiB · {bounds.cpus:g} CPU · {bounds.seconds:g} s · {bounds.processes} processes"
    )


def _predicted(prediction: Prediction) -> list[Part]:
    lines = ", ".join(str(line) for line in prediction.lines[:6])
    certain = "" if prediction.certainty.value == "exact" else f" ({prediction.certainty.value})"
    return [(f" {prediction.need.value:<8}", "muted"), prediction.value, (certain, "warning"),
            (f"  line {lines}" if lines else "", "faint")]  # fmt: skip

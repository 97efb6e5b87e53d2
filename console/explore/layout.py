"""The parts of the Explore screen."""

from __future__ import annotations

from collections.abc import Iterable

from textual.containers import Container
from textual.widget import Widget
from textual.widgets import Input, Static

from console.explore.editing.tab_bar import TabBar
from console.explore.editor import Editor
from console.explore.find.bar import FindBar
from console.explore.names.popup import NamePopup
from console.review.violations import ViolationDetail, ViolationList
from console.run.output_log import OutputLog


def contents() -> Iterable[Widget]:
    """Return editor, violations and output."""
    yield Container(TabBar(), Editor(id="editor"), id="work")
    violations = ViolationList(id="violations", for_author=True)
    details = ViolationDetail(id="detail", for_author=True)
    effects = Static(id="effects", classes="box")
    effects.border_title = "Effects"
    yield Container(violations, effects, details, id="side")
    log = OutputLog(id="output")
    log.hint = "Write code, then press ctrl+r."
    below = Container(Static(id="status"), log, id="below", classes="box")
    below.border_title = "Output"
    yield below


def below() -> Iterable[Widget]:
    """Return the lines for a violation, for the purpose and for finding, and the box for names."""
    yield Static(id="violation-line")
    yield Input(id="purpose", placeholder="Purpose, for the reviewer", select_on_focus=False)
    yield FindBar()
    yield NamePopup()

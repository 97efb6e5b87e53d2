"""The condition `writes_only_workspace`: it takes a proof, and says nothing about what is merely unproven."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.analysis import analyse
from engine.common.text import Untrusted
from engine.models import (
    Analysis,
    Draft,
    Language,
    Level,
    Permissions,
    Span,
    Unproven,
    Verdict,
)
from engine.policy import PolicyError, assess, load
from engine.policy.files.conditions import conditions
from engine.policy.files.schema import When
from engine.policy.request_facts import of_submission
from tests.engine.policy.violations import violation

DRAFT = Draft(code=Untrusted("print(1)"), language=Language.PYTHON)
LINE = Span(line=1, column=1, end_line=1, end_column=2)
HARMLESS = Analysis(verdict=Verdict.HARMLESS)
(HOLDS,) = conditions(When(writes_only_workspace=True))
(PROVEN,) = conditions(When(proven=True))
SAVES = "import matplotlib.pyplot as plt\nplt.savefig('plot.png')\n"
RULE = "{id: mine, risk: low, lowers: code-execution, when: {writes_only_workspace: true, requests_only: []}}"

levels = st.sampled_from(Level)
names = st.sampled_from(["", "a.csv", "b.png"])


def place(writes: str) -> Unproven:
    """Return a place that is not proven; `writes` is the file that it writes, if that is all."""
    return Unproven(span=LINE, reason=Untrusted("why"), writes=writes)


WRITES = Analysis(unproven=(place("a.csv"),))


@st.composite
def analyses(draw: st.DrawFn) -> Analysis:
    """Draw an analysis of any verdict that its model accepts."""
    found = Analysis(
        violations=tuple(violation(level) for level in draw(st.lists(levels, max_size=2))),
        complete=draw(st.booleans()),
    )
    places = tuple(place(name) for name in draw(st.lists(names, max_size=3)))
    return found.judged(places, proven=draw(st.booleans()))


def risk(folder: Path, analysis: Analysis, asked: Permissions | None = None) -> Level:
    """Return the risk of a draft where the owner lets code that writes only its workspace run at once."""
    file = folder / "policy.yaml"
    file.write_text(f"rules:\n  - {RULE}\n")
    draft = DRAFT.model_copy(update={"permissions": asked or Permissions()})
    return assess(draft, analysis, load(file)).risk


@settings(max_examples=200)
@given(analyses())
def test_it_holds_only_for_a_proof(found: Analysis) -> None:
    """Harmless code, and code each of whose places is known to write a file, and nothing else."""
    writes = bool(found.unproven) and all(one.writes for one in found.unproven)
    expected = found.verdict is Verdict.HARMLESS or (
        writes and found.complete and found.verdict is Verdict.UNPROVEN
    )
    assert expected is (HOLDS(of_submission(DRAFT, found)) is not None)


@settings(max_examples=200)
@given(analyses())
def test_harmless_is_what_it_was(found: Analysis) -> None:
    """`proven` holds where the verdict is `harmless`, and nowhere else; then this condition holds as well."""
    facts = of_submission(DRAFT, found)
    proven = PROVEN(facts) is not None
    assert (found.verdict is Verdict.HARMLESS) is proven
    assert not proven or HOLDS(facts) is not None


@settings(max_examples=200)
@given(analyses(), levels, names)
def test_more_never_makes_it_hold(found: Analysis, level: Level, name: str) -> None:
    """A further violation, or a further place, never turns what it does not hold for into what it does."""
    before = HOLDS(of_submission(DRAFT, found)) is not None
    more = (
        found.with_violations((violation(level),)),
        found.judged((*found.unproven, place(name)), proven=False),
    )
    for other in more if found.unproven or found.verdict is Verdict.HARMLESS else more[:1]:
        assert before or HOLDS(of_submission(DRAFT, other)) is None


@pytest.mark.parametrize(
    ("level", "analysis"),
    [
        (Level.LOW, WRITES),
        (Level.LOW, HARMLESS),
        (Level.HIGH, Analysis()),
        (Level.HIGH, Analysis(unproven=(place("a.csv"), place("")))),
        (Level.HIGH, WRITES.refused("it runs in a session")),
        (Level.HIGH, WRITES.with_violations((violation(Level.MEDIUM),))),
        (Level.HIGH, WRITES.model_copy(update={"complete": False})),
        (Level.HIGH, Analysis(unproven=(place("a.csv"),), violations=(violation(Level.HIGH),))),
    ],
)
def test_a_rule_may_let_it_run_at_once(tmp_path: Path, level: Level, analysis: Analysis) -> None:
    """With such a rule what is proven runs at once; whatever else stands against the proof keeps it HIGH."""
    assert level is risk(tmp_path, analysis)


def test_what_is_asked_for_stays_high(tmp_path: Path) -> None:
    """The proof is about the code, not about permissions."""
    assert Level.HIGH is risk(tmp_path, WRITES, Permissions(files=(Untrusted("a.csv"),)))


def test_the_shipped_rule_for_clean_code_does_not_hold(tmp_path: Path) -> None:
    """Who lets harmless code run at once has said nothing about code that writes."""
    file = tmp_path / "policy.yaml"
    file.write_text("rules:\n  - {id: clean-code, enabled: true}\n")
    assert Level.LOW is assess(DRAFT, HARMLESS, load(file)).risk
    assert Level.HIGH is assess(DRAFT, WRITES, load(file)).risk


@pytest.mark.parametrize(
    ("code", "level"),
    [
        (SAVES, Level.LOW),
        ("print(1)", Level.LOW),
        (SAVES + "open('x')", Level.HIGH),
        (SAVES.replace("plot.png", "../plot.png"), Level.HIGH),
    ],
)
def test_on_code(tmp_path: Path, code: str, level: Level) -> None:
    """On code as it is really analysed."""
    assert level is risk(tmp_path, analyse(code, Language.PYTHON))


@pytest.mark.parametrize(
    ("when", "problem"),
    [
        ("risk: high, when: {writes_only_workspace: true}", "belongs in a rule that lowers"),
        ("risk: low, lowers: code-execution, when: {writes_only_workspace: false}", "should be True"),
    ],
)
def test_it_is_refused_where_it_means_nothing(tmp_path: Path, when: str, problem: str) -> None:
    """A rule that raises would not match what lacks the proof, and its absence is no condition."""
    file = tmp_path / "policy.yaml"
    file.write_text(f"rules:\n  - {{id: mine, {when}}}\n")
    with pytest.raises(PolicyError) as caught:
        load(file)
    assert problem in str(caught.value)


def test_the_example_in_the_documentation_is_a_policy(tmp_path: Path) -> None:
    """The rule of docs/policy.md loads, and its examples hold."""
    text = (Path(__file__).parents[3] / "docs/policy.md").read_text()
    file = tmp_path / "policy.yaml"
    (block,) = [one for one in text.split("```yaml\n")[1:] if "writes_only_workspace: true" in one]
    file.write_text(block.partition("```")[0])
    assert "reports" in {rule.spec.id for rule in load(file).rules}

"""Why a submission has its level, in one plain sentence, the same in every client."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from engine.common.presentation import written_text
from engine.common.text import Untrusted
from engine.models import Analysis, Case, Level, Limits, Permissions, RuleMatch, Verdict, Violation

NAMED = 3
"""How many names are listed before the rest is counted."""
MOST_CHARACTERS = 300


def level_reason(case: Case) -> Untrusted:
    """Return why a case has its level: `HIGH: it asks to contact example.org, …`."""
    text = f"{case.assessment.risk.value.upper()}: {_clause(case)}"
    short = text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"
    return Untrusted(" ".join(short.split()))


def worst_violation(analysis: Analysis) -> Violation | None:
    """Return the gravest violation, the first of them; None where there is none."""
    return max(analysis.violations, key=lambda one: one.severity.rank, default=None)


def _clause(case: Case) -> str:
    refusing = [match for match in case.assessment.matches if match.refuses]
    if refusing:
        return f"the rule {refusing[0].rule} refuses it: {refusing[0].reason.text}"
    decisive = _decisive(case.assessment.matches, case.assessment.risk)
    if decisive is None:
        return _of_code(case)
    if words := _OF_RULE.get(decisive.rule):
        return words(case.submission.draft.permissions) or decisive.reason.text
    return decisive.reason.text


def _decisive(matches: Iterable[RuleMatch], risk: Level) -> RuleMatch | None:
    """Return the match that says most about the level; None where the code itself has to."""
    specific = [match for match in matches if match.level is risk and match.rule not in _GENERAL]
    return next((match for match in specific if match.rule not in _OF_RULE), next(iter(specific), None))


def _of_code(case: Case) -> str:
    """Return what of the code, or of what it asks for, is not proven harmless."""
    analysis, asked = case.analysis, case.submission.draft.permissions
    worst = worst_violation(analysis)
    if worst and worst.severity.rank >= Level.MEDIUM.rank:
        return f"line {worst.span.line}: {worst.message.text}"
    if words := next((words for words in (find(asked) for find in _ASKED) if words), ""):
        return words
    if analysis.verdict is Verdict.HARMLESS:
        known = "it is proven harmless and asks for nothing"
        rated_so = case.assessment.risk.rank > Level.MEDIUM.rank
        return f"the policy rates all code so; {known}" if rated_so else known
    if written := written_text(analysis):
        return f"it {written}, and is proven to do nothing else"
    if analysis.unproven:
        place = analysis.unproven[0]
        return f"line {place.span.line} could not be proven harmless: {place.reason.text}"
    return f"{case.submission.draft.language.value} code could not be proven harmless"


def _contacts(asked: Permissions) -> str:
    return _asks("to contact", asked.domains, ", which could not be proven harmless")


def _secrets(asked: Permissions) -> str:
    return _asks("for the secret", asked.secrets)


def _builds(asked: Permissions) -> str:
    return _asks("to run code of the package", asked.builds, " while it is installed")


def _packages(asked: Permissions) -> str:
    names = [package.name for package in asked.packages]
    return _asks("for the package", names, ", whose code could not be proven harmless")


def _foreign(asked: Permissions) -> str:
    names = [package.name for package in asked.packages if package.registry]
    return _asks("for the package", names, " from another registry")


def _files(asked: Permissions) -> str:
    return _asks("for the input file", asked.files)


def _limits(asked: Permissions) -> str:
    more = [(name, value) for name, value in asked.limits if value > getattr(Limits(), name)]
    return _asks("for higher limits:", [Untrusted(f"{name} {value:g}") for name, value in more])


def _session(asked: Permissions) -> str:
    return "it runs in a session, which keeps its state" if asked.session else ""


def _asks(what: str, names: Iterable[Untrusted], end: str = "") -> str:
    every = [name.text for name in names]
    more = f" and {len(every) - NAMED} more" if len(every) > NAMED else ""
    return f"it asks {what} {', '.join(every[:NAMED])}{more}{end}" if every else ""


_GENERAL = frozenset({"code-execution", "proven-harmless", "clean-code"})
"""Rules that say no more than that code runs."""
_ASKED = (_contacts, _secrets, _builds, _packages, _files, _limits, _session)
_OF_RULE: dict[str, Callable[[Permissions], str]] = {
    "network": _contacts,
    "foreign-package": _foreign,
    "package-builds": _builds,
    "package": _packages,
}
"""Rules about what is asked for: where another one matches at the same level, that says more."""

"""inspect_ai: an approver for tools that run code, to be named before a human one in an approval policy.

Code that is proven harmless, and trusts no library's C code, is approved, grave violations are rejected,
everything else is left to the next approver. Nothing is submitted, and nothing runs here.
"""

from __future__ import annotations

from typing import Any

from inspect_ai.approval import Approval, Approver, approver

from engine.client.environment import client_from_environment
from engine.common.presentation import proven_text
from engine.common.text import mark_hidden
from engine.models import Analysis, Language, Level, Verdict

CODE = ("code", "cmd", "command", "script")
"""Arguments of tools that hold code."""
SHELLS = ("bash", "sh", "shell", "terminal")
GRAVE = frozenset({Level.HIGH, Level.CRITICAL})
MOST_REASONS = 5


@approver(name="pratique")
def pratique(requester: str = "inspect") -> Approver:
    """Return an approver that asks Pratique's analysis."""

    async def approve(message: str, call: Any, view: Any, history: list[Any]) -> Approval:
        code = next((call.arguments[name] for name in CODE if name in call.arguments), None)
        if not isinstance(code, str):
            return Approval(decision="escalate", explanation=f"{call.function} is called without code")
        language = Language.SHELL if call.function in SHELLS else Language.PYTHON
        async with client_from_environment(requester) as client:
            return _judged(await client.analyse(code, language))

    return approve


def _judged(analysis: Analysis) -> Approval:
    if analysis.verdict is Verdict.HARMLESS and analysis.complete:
        if analysis.trusts:
            return Approval(decision="escalate", explanation=f"Pratique says: {proven_text(analysis)}")
        return Approval(decision="approve", explanation="Pratique has proven it harmless")
    grave = [one for one in analysis.violations if one.severity in GRAVE]
    reasons = [f"line {one.span.line}: {mark_hidden(one.message)}" for one in grave][:MOST_REASONS]
    if reasons:
        return Approval(decision="reject", explanation="; ".join(reasons))
    return Approval(decision="escalate", explanation="Pratique has no proof that it is harmless")

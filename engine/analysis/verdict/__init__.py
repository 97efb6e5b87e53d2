"""Proofs that code is harmless, by language: each returns the places that it could not prove, and why.

Harmless means: whatever its input, the program does nothing outside itself but read standard input,
write to standard output and error, and use memory and time up to its limits. docs/verdict.md says what
is proven, and by which argument.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from engine.analysis.verdict.javascript.proof import prove as prove_javascript
from engine.analysis.verdict.python.proof import prove as prove_python
from engine.analysis.verdict.shell.proof import prove as prove_shell
from engine.common.text import Untrusted
from engine.models import Analysis, Language, Span, Unproven

__all__ = ["PROOFS", "judge", "refused"]

_START = Span(line=1, column=1, end_line=1, end_column=1)

PROOFS: Mapping[Language, Callable[[str], tuple[Unproven, ...]]] = MappingProxyType(
    {Language.PYTHON: prove_python, Language.JAVASCRIPT: prove_javascript, Language.SHELL: prove_shell}
)
"""The proof of each language; a language without one is never harmless."""


def judge(analysis: Analysis, text: str, language: Language) -> Analysis:
    """Return the analysis of `text` with its verdict. Never raises: a proof that fails proves nothing."""
    if analysis.is_grave or not analysis.complete:
        return refused(analysis, None if analysis.complete else "not all of the code could be analysed")
    prove = PROOFS.get(language)
    if prove is None:
        return refused(analysis, f"not proven for {language} yet")
    try:
        return analysis.judged(prove(text), proven=True)
    except (RecursionError, MemoryError):
        return refused(analysis, "the code is nested too deeply to be proven")
    except Exception as error:
        return refused(analysis, f"the proof failed: {type(error).__name__}")


def refused(analysis: Analysis, reason: str | None) -> Analysis:
    """Return an analysis that proves nothing, for one more reason."""
    more = (Unproven(span=_START, reason=Untrusted(reason)),) if reason else ()
    return analysis.judged((*analysis.unproven, *more), proven=False)

"""Proofs that code is harmless, by language: each returns the places that it could not prove, and why.

Harmless means: whatever its input, the program does nothing outside itself but read standard input and
granted input files, write to standard output and error, and use memory and time up to its limits.
docs/verdict.md says what is proven, and by which argument.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from types import MappingProxyType

from engine.analysis.verdict.javascript.proof import prove as prove_javascript
from engine.analysis.verdict.python.data.imports import trusted_libraries
from engine.analysis.verdict.python.proof import prove as prove_python
from engine.analysis.verdict.shell.proof import prove as prove_shell
from engine.models import Analysis, Language, Unproven

__all__ = ["PROOFS", "judge"]

PROOFS: Mapping[Language, Callable[[str, Set[str]], tuple[Unproven, ...]]] = MappingProxyType(
    {
        Language.PYTHON: prove_python,
        Language.JAVASCRIPT: lambda text, _: prove_javascript(text),
        Language.SHELL: lambda text, _: prove_shell(text),
    }
)
"""The proof of each language; a language without one is never harmless."""


def judge(analysis: Analysis, text: str, language: Language, inputs: Set[str] = frozenset()) -> Analysis:
    """Return the analysis of `text` with its verdict. Never raises: a proof that fails proves nothing.

    `inputs` has the names of the input files that are granted with the code.
    """
    if not analysis.complete:
        return analysis.refused("not all of the code could be analysed")
    if analysis.is_grave:
        return analysis.judged(analysis.unproven, proven=False)
    prove = PROOFS.get(language)
    if prove is None:
        return analysis.refused(f"not proven for {language} yet")
    try:
        judged = analysis.judged(prove(text, inputs), proven=True)
        return judged.trusting(trusted_libraries(text)) if language is Language.PYTHON else judged
    except (RecursionError, MemoryError):
        return analysis.refused("the code is nested too deeply to be proven")
    except Exception as error:
        return analysis.refused(f"the proof failed: {type(error).__name__}")

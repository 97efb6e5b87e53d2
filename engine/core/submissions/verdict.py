"""The verdict of a whole draft: a proof of its code holds only where nothing else decides what the code
means.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.models import Analysis, Draft, Language

_IMPORTABLE = {
    Language.PYTHON: re.compile(r"\.(?:py[a-z]?|so|zip|egg|pth)\W*$", re.IGNORECASE),
    Language.JAVASCRIPT: re.compile(r"(?:\.(?:[cm]?[jt]s|node|wasm)|package\.json)\W*$", re.IGNORECASE),
}
"""Names of files that the language loads as modules: the folder of the input files is on its path."""
_SECRET = re.compile(r"(?:[A-Z0-9_]*_)?(?:TOKEN|KEY|SECRET|PASSWORD|PASSPHRASE|CREDENTIALS?)")
"""Names of secrets that mean nothing to an interpreter or a library as variables of its environment."""
_IMAGES = {
    Language.PYTHON: frozenset({"", "python", "python-data"}),
    Language.JAVASCRIPT: frozenset({"", "node"}),
    Language.SHELL: frozenset({"", "shell"}),
}
"""Images whose interpreter is the one that the proof is about."""


def verdict_of_draft(draft: Draft, analysis: Analysis) -> Analysis:
    """Return the analysis of a draft, unproven where the code around it is not part of the proof."""
    for reason in _reasons(draft):
        analysis = analysis.refused(reason)
    return analysis


def _reasons(draft: Draft) -> Iterator[str]:
    if draft.session or draft.operation is not None or draft.permissions.session:
        yield "it runs in a session, where earlier code decides what names mean"
    if draft.permissions.packages:
        yield "packages are installed, whose code is not part of the proof"
    if draft.image not in _IMAGES.get(draft.language, {""}):
        yield "the proof does not know the interpreter of this image"
    if not all(_SECRET.fullmatch(name.text) for name in draft.permissions.secrets):
        yield "a secret is a variable of the environment whose name may mean something to the interpreter"
    importable = _IMPORTABLE.get(draft.language)
    if importable is not None and any(importable.search(file.name.text) for file in draft.files):
        yield "an input file is code that an import may load"

"""Maps each language to its analyser, imported on first use."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import cast

from engine.analysis.raw_analysis import Analyser
from engine.models import Language

_ANALYSERS = {
    Language.PYTHON: ("engine.analysis.python", "analyse_python"),
    Language.JAVASCRIPT: ("engine.analysis.javascript", "analyse_javascript"),
    Language.SHELL: ("engine.analysis.shell", "analyse_shell"),
}


@cache
def analyser(language: Language) -> Analyser:
    """Return the analyser of `language`."""
    module, name = _ANALYSERS[language]
    return cast("Analyser", getattr(import_module(module), name))

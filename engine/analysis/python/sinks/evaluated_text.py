"""Text of the program that the standard library evaluates: doctests and logging configuration."""

from __future__ import annotations

import ast
import doctest
import re

from engine.analysis.python.declare import python_rule
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.sink_registry import PREFIXES, PythonCall, handles
from engine.analysis.python.evaluate.values import PythonValue
from engine.analysis.python.parse.child_nodes import breadth_first
from engine.analysis.python.parse.source import parse
from engine.models import Language, Level

LOGGING = python_rule(
    "py-logging-config",
    "A logging configuration calls a function by name",
    "exec_eval",
    Level.HIGH,
    attack="Names any function and its arguments in text that looks like settings.",
    why="HIGH: `()`, `ext://` and files for `fileConfig` call whatever they name (logging.config).",
    fix="Configure handlers and formatters of the module `logging` by `class`, or in code.",
    match=(
        "import logging.config\nlogging.config.dictConfig({'filters': {'f': {'()': 'os.system'}}})",
        "import logging.config\nlogging.config.dictConfig({'handlers': {'h': {'stream': 'ext://os.environ'}}})",
        "import logging.config\nlogging.config.fileConfig('log.ini')",
    ),
    not_match=(
        "import logging.config\nlogging.config.dictConfig({'version': 1})",
        "from logging.config import dictConfig\ndictConfig({'handlers': {'h': {'stream': 'ext://sys.stdout'}}})",
    ),
    cwe=470,
)
_CALLED = re.compile(r"""["']\(\)["']\s*[:=]|["']\(\)["']\]\s*=""")
_EXTERNAL = re.compile(r"ext://(?!sys\.(?:stdout|stderr)\b)")


@handles("logging.config.dictConfig")
def configure(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report a configuration that names what to call."""
    if _CALLED.search(evaluator.source) or _EXTERNAL.search(evaluator.source):
        evaluator.report(LOGGING, call.node, "The configuration names a function to call")
    return None


@handles("logging.config.fileConfig")
def configure_from_file(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report a configuration from a file, whose arguments of handlers are evaluated."""
    evaluator.report(LOGGING, call.node, "`fileConfig` evaluates the text of a file")
    return None


def _doctest(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Analyse the examples in docstrings as the code that they are."""
    for node in breadth_first(parse(evaluator.source, keep=evaluator.depth == 0)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and ">>>" in node.value:
            evaluator.embed(_examples(node.value), Language.PYTHON, call.node, None, "doctest")
    return None


def _examples(text: str) -> str:
    try:
        return "".join(example.source for example in doctest.DocTestParser().get_examples(text))
    except ValueError:
        return ""


PREFIXES["doctest"] = _doctest

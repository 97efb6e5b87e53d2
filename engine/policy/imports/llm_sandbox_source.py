"""Policies of llm-sandbox in Python source, such as its presets: read as text, never run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.common.file_faults import Fault, Place, PolicyError
from engine.policy.imports.llm_sandbox import SEVERITIES, SandboxPattern, SandboxPolicy, severity_of

MAX_BYTES = 1 << 18
MODULE_LEVEL = "module"
"""The name of a policy that is made outside of functions."""


def policies_in(file: Path, content: bytes) -> dict[str, SandboxPolicy]:
    """Return the policies of a file by the function that makes them.

    Raises:
        PolicyError: it is no Python, or too large.
    """
    if len(content) > MAX_BYTES:
        raise PolicyError(Fault(Place(file), f"it is larger than {MAX_BYTES} bytes"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = error.lineno if isinstance(error, SyntaxError) and error.lineno else 1
        raise PolicyError(Fault(Place(file, line), "it is no Python that can be read")) from None
    made = {name: policy for name, nodes in _scopes(tree) if (policy := _policy(nodes))}
    if not made:
        raise PolicyError(Fault(Place(file), "it makes no SecurityPolicy of llm-sandbox"))
    return made


def _scopes(tree: ast.Module) -> Iterator[tuple[str, list[ast.Call]]]:
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    outside = [node for node in tree.body if node not in functions]
    yield MODULE_LEVEL, [call for node in outside for call in _calls(node)]
    for function in functions:
        yield function.name, _calls(function)


def _calls(top: ast.AST) -> list[ast.Call]:
    return [node for node in ast.walk(top) if isinstance(node, ast.Call)]


def _policy(calls: list[ast.Call]) -> SandboxPolicy | None:
    policies = [call for call in calls if _name(call.func) == "SecurityPolicy"]
    if not policies:
        return None
    threshold = _severity(_argument(policies[0], "severity_threshold", 0)) or 0
    patterns = sorted((one for call in calls for one in _pattern(call)), key=lambda one: one.line)
    return SandboxPolicy(threshold, policies[0].lineno, patterns)


def _pattern(call: ast.Call) -> Iterator[SandboxPattern]:
    kind = _name(call.func)
    if kind in {"SecurityPattern", "RestrictedModule"}:
        value = _text(_argument(call, "pattern" if kind == "SecurityPattern" else "name"))
        why = _text(_argument(call, "description")) or ""
        severity = _severity(_argument(call, "severity"))
        yield SandboxPattern(call.lineno, value, why, severity, kind == "RestrictedModule")


def _argument(call: ast.Call, name: str, default: Any = None) -> Any:
    return next((one.value for one in call.keywords if one.arg == name), default)


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _text(node: Any) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _severity(node: Any) -> int | None:
    if isinstance(node, ast.Attribute):
        return SEVERITIES.get(node.attr)
    return severity_of(node.value) if isinstance(node, ast.Constant) else None

"""The structural fingerprint: equal for two drafts whose code differs in nothing that a run could show.

Only Python that is proven harmless has one. There names of local variables, comments and blanks may differ.
All other code is the same only where its bytes are: what a name means in shell, in a session or behind
`import *`, no reading of the text can tell.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any

from engine.models import Draft, Language, Verdict

MAX_BYTES = 256 * 1024
_BUILTINS = frozenset(dir(builtins))
_COOKIE = re.compile(r"\A(?:[^\n]*\n)?[ \t]*#.*?coding[:=]")
_AMBIGUOUS = re.compile("\r(?!\n)|[^\t\n\r\x20-\x7e\xa0-\u2027\u202f-\ufefe\uff00-\U0010ffff]")
"""Characters that end a line, or are a blank, for one reader and not for another; all controls among them."""


def structural_fingerprint(draft: Draft, verdict: Verdict) -> str | None:
    """Return the SHA-256 of a draft's structure in hexadecimal; None where only its bytes can be compared.

    `verdict` is that of the draft's analysis: only what is proven harmless has a fingerprint.

    Two drafts of one fingerprint have the same files, permissions and image, and the same code but for the
    names of its local variables, comments and blanks.
    """
    if verdict is not Verdict.HARMLESS or draft.language is not Language.PYTHON:
        return None
    if draft.session or draft.operation or draft.permissions.session:
        return None
    try:
        code = _structure(draft.code.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    rest = draft.model_dump(mode="json", exclude={"code", "purpose", "files"})
    files = [(file.name.text, hashlib.sha256(file.content).hexdigest()) for file in draft.files]
    return hashlib.sha256(json.dumps([rest, files, code], sort_keys=True).encode()).hexdigest()


def code_fingerprint(draft: Draft) -> str:
    """Return the SHA-256 by which code is known whoever submits it, whatever it asks for.

    In Python, names of local variables, comments and blanks do not count; other code is known by its bytes.
    """
    code = draft.code.text
    try:
        known = _structure(code) if draft.language is Language.PYTHON else code
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        known = code
    return hashlib.sha256(json.dumps([draft.language.value, known]).encode()).hexdigest()


def _structure(code: str) -> Any:
    """Return the syntax tree as nested lists. Raises ValueError where only the bytes can be compared."""
    if len(code.encode()) > MAX_BYTES or _AMBIGUOUS.search(code) or _COOKIE.search(code):
        raise ValueError("no two readers need agree on this text")
    tree = ast.parse(code)
    if "doctest" in code:
        raise ValueError("names of variables are also in the text of docstrings")
    names = [] if any(map(_shows_names, ast.walk(tree))) else local_names(tree)
    return _plain(tree, {name: f"#{number}" for number, name in enumerate(names)})


def _shows_names(node: ast.AST) -> bool:
    """Return whether code holds an exception, whose text may have the name of a variable."""
    return (isinstance(node, ast.ExceptHandler) and node.name is not None) or (
        isinstance(node, ast.FunctionDef) and node.name == "__exit__"
    )


def local_names(tree: ast.AST) -> list[str]:
    """Return the names that may be exchanged for others, in the order of their first appearance.

    They are those that code binds as variables and in no other way. Another name in the place of an import, a
    function, an argument, a class's attribute, a captured pattern or a built-in could mean something else.
    """
    bound: dict[str, None] = {}
    fixed = set(_BUILTINS)
    for node in _in_order(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.setdefault(node.id)
        fixed.update(_fixed(node))
    return [name for name in bound if name not in fixed and not name.startswith("__")]


def _fixed(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node binds other than as a variable, or declares to be another scope's."""
    match node:
        case ast.arg(arg=name):
            yield name
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            yield from names
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case ast.ClassDef(name=name):
            yield name
            yield from (inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))
        case ast.alias(name=name, asname=asname):
            yield (asname or name).split(".")[0]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)):
            yield name


def _in_order(tree: ast.AST) -> Iterator[ast.AST]:
    yield tree
    for child in ast.iter_child_nodes(tree):
        yield from _in_order(child)


def _plain(node: object, local: dict[str, str]) -> Any:
    """Return a node as nested lists, its local variables by number."""
    match node:
        case ast.Constant(value=value):
            return ["Constant", type(value).__name__, repr(value)]
        case ast.Name(id=name):
            return ["Name", local.get(name, name), type(node.ctx).__name__]
        case ast.AST():
            return [type(node).__name__, *(_plain(getattr(node, name, None), local) for name in node._fields)]
        case list():
            return [_plain(item, local) for item in node]
    return node if isinstance(node, str | int | None) else repr(node)

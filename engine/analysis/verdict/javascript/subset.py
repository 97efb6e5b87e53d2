"""What of JavaScript is never proven: what gives objects of a program behaviour that the language calls.

Plain programs are made of functions, arrays and objects with data, and hardly ever need it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from engine.analysis.verdict.javascript.names import CONSTRUCTED
from engine.analysis.verdict.javascript.tree import SyntaxPart

_REFUSED: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("class_declaration", "class"), "a class"),
        **dict.fromkeys(("this", "super", "meta_property"), "what a function is called on"),
        **dict.fromkeys(
            ("generator_function_declaration", "generator_function", "yield_expression"), "a generator"
        ),
        "method_definition": "a method, a getter or a setter",
        "await_expression": "`await`",
        "with_statement": "`with`",
        "labeled_statement": "a label",
    }
)
_NAMES = frozenset(
    {
        *("arguments", "Symbol", "Proxy", "Reflect", "Promise", "queueMicrotask"),
        *("setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "clearImmediate"),
    }
)


def outside(root: SyntaxPart) -> Iterator[tuple[SyntaxPart, str]]:
    """Yield what is outside of the subset, with what it is."""
    stack = [root]
    while stack:
        part = stack.pop()
        found = _REFUSED.get(part.type) or _special(part)
        if found:
            yield part, found
        else:
            stack.extend(part.parts)


def _special(part: SyntaxPart) -> str:
    match part.type:
        case "identifier" if part.text in _NAMES:
            return f"`{part.text}`"
        case "call_expression" if part.field("arguments").type == "template_string":
            return "a tagged template"
        case "call_expression" if part.field("function").type == "subscript_expression":
            return "a call of what lies under a computed key"
        case "new_expression" if part.field("constructor").text not in CONSTRUCTED:
            return "an object of a function of the program"
        case "arrow_function" | "function_expression" | "function_declaration" if "async" in part.words:
            return "an asynchronous function"
    return ""

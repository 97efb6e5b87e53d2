"""The syntax that the proof knows: whatever is not listed here is unproven, and nothing else looks at it.

Plain programs are made of functions, arrays and objects with data. They hardly ever need what gives objects
of a program behaviour that the language calls by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from engine.analysis.python.word_lists import words
from engine.analysis.verdict.javascript.global_names import CONSTRUCTED
from engine.analysis.verdict.javascript.tree import SyntaxPart

NODES = frozenset(
    words(
        """program expression_statement variable_declaration lexical_declaration variable_declarator
        statement_block empty_statement if_statement else_clause switch_statement switch_body switch_case
        switch_default for_statement for_in_statement while_statement do_statement break_statement
        continue_statement return_statement throw_statement try_statement catch_clause finally_clause

        function_declaration function_expression arrow_function formal_parameters arguments
        call_expression new_expression member_expression subscript_expression optional_chain

        identifier property_identifier shorthand_property_identifier computed_property_name
        shorthand_property_identifier_pattern array_pattern object_pattern pair_pattern rest_pattern
        assignment_pattern object_assignment_pattern array object pair spread_element

        number string string_fragment escape_sequence template_string template_substitution
        regex regex_pattern regex_flags true false null undefined

        assignment_expression augmented_assignment_expression binary_expression unary_expression
        update_expression ternary_expression sequence_expression parenthesized_expression"""
    )
)
"""The kinds of named nodes that a program may have."""
WORDS = frozenset(
    words(
        """var let const function return if else switch case default for in of while do break continue
        throw try catch finally new typeof void delete instanceof => ... ?
        ( ) [ ] { } ${ . , ; : " ' `
        = += -= *= /= %= **= <<= >>= >>>= &= |= ^= &&= ||= ??=
        + - * / % ** ++ -- ! ~ & | ^ << >> >>> && || ?? < > <= >= == != === !=="""
    )
)
"""The keywords, operators and marks that its nodes may have."""
_NAMES = frozenset(
    words(
        """arguments Symbol Proxy Reflect Promise queueMicrotask setTimeout setInterval setImmediate
        clearTimeout clearInterval clearImmediate"""
    )
)
_NAMING = frozenset({"identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern"})
_BRANCHES = frozenset({"if_statement", "else_clause"})
_CALLED: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("class_declaration", "class"), "a class"),
        **dict.fromkeys(("this", "super", "meta_property"), "what a function is called on"),
        **dict.fromkeys(
            ("generator_function_declaration", "generator_function", "yield_expression"), "a generator"
        ),
        **dict.fromkeys(("labeled_statement", "statement_identifier"), "a label"),
        "method_definition": "a method, a getter or a setter",
        "await_expression": "`await`",
        "with_statement": "`with`",
    }
)
"""What a reader calls some of the nodes that are not listed."""


def outside(root: SyntaxPart) -> Iterator[tuple[SyntaxPart, str]]:
    """Yield what is outside of the subset, with what it is; not what is within it."""
    stack = [root]
    while stack:
        part = stack.pop()
        found = _unlisted(part) or _special(part)
        if found:
            yield part, found
        else:
            stack.extend(part.parts)


def _unlisted(part: SyntaxPart) -> str:
    if part.type not in NODES:
        return _CALLED.get(part.type) or f"`{part.type.replace('_', ' ')}`"
    if WORDS.issuperset(part.words):
        return ""
    if "async" in part.words:
        return "an asynchronous function"
    return f"`{min(set(part.words) - WORDS)}`"


def _special(part: SyntaxPart) -> str:
    if part.type in _NAMING:
        return f"`{part.text}`" if part.text in _NAMES else ""
    if part.type == "call_expression":
        return _special_call(part)
    if part.type in _BRANCHES and any(one.type == "function_declaration" for one in part.parts):
        return "a function that is a branch by itself"
    if part.type == "new_expression" and part.field("constructor").text not in CONSTRUCTED:
        return "an object of a function of the program"
    return ""


def _special_call(call: SyntaxPart) -> str:
    if call.field("arguments").type != "arguments":
        return "a tagged template"
    if callee_of(call).type == "subscript_expression":
        return "a call of what lies under a computed key"
    return ""


def callee_of(call: SyntaxPart) -> SyntaxPart:
    """Return what is called, without the parentheses around it."""
    callee = call.field("function")
    while callee.type == "parenthesized_expression" and len(callee.parts) == 1:
        callee = callee.parts[0]
    return callee

"""What JavaScript may consist of is a list: whatever the grammar has besides is unproven."""

from __future__ import annotations

import tree_sitter_javascript
from tree_sitter import Language

from engine.analysis.javascript.grammar import parse
from engine.analysis.python.word_lists import words
from engine.analysis.verdict.javascript import proof, subset
from engine.analysis.verdict.javascript.tree import SyntaxPart, read_parts

_GRAMMAR = Language(tree_sitter_javascript.language())
_REFUSED_NODES = frozenset(
    words(
        """class class_body class_declaration class_heritage class_static_block field_definition decorator
        method_definition private_property_identifier this super meta_property
        await_expression yield_expression generator_function generator_function_declaration
        labeled_statement statement_identifier with_statement debugger_statement using_declaration
        import import_attribute import_clause import_specifier import_statement named_imports
        namespace_import export_clause export_specifier export_statement namespace_export
        jsx_attribute jsx_closing_element jsx_element jsx_expression jsx_namespace_name
        jsx_opening_element jsx_self_closing_element jsx_text html_character_reference html_comment
        hash_bang_line"""
    )
)
_REFUSED_WORDS = frozenset(
    words(
        """as async await class debugger export extends from get import meta set static target using with
        yield @ </ />"""
    )
) | {"static get"}
_READ_WITH_ANOTHER = frozenset(
    words(
        """variable_declarator switch_body else_clause formal_parameters arguments optional_chain
        property_identifier computed_property_name shorthand_property_identifier_pattern array_pattern
        object_pattern pair_pattern rest_pattern assignment_pattern object_assignment_pattern pair
        string_fragment escape_sequence template_substitution regex_pattern regex_flags"""
    )
)
"""Nodes of the subset that are part of another, whose handler reads them."""


def _kinds(*, named: bool) -> set[str]:
    """Return the kinds of nodes that the grammar can make."""
    numbers = range(_GRAMMAR.node_kind_count)
    return {
        _GRAMMAR.node_kind_for_id(one) or ""
        for one in numbers
        if _GRAMMAR.node_kind_is_visible(one) and _GRAMMAR.node_kind_is_named(one) is named
    }


def test_each_node_of_the_grammar_is_listed_or_refused() -> None:
    """A newer grammar has no kind of node that nobody has decided about; comments are left out."""
    assert _kinds(named=True) - {"comment"} == subset.NODES | _REFUSED_NODES
    assert frozenset() == subset.NODES & _REFUSED_NODES


def test_each_word_of_the_grammar_is_listed_or_refused() -> None:
    """A newer grammar has no keyword or operator that nobody has decided about."""
    assert _kinds(named=False) == subset.WORDS | _REFUSED_WORDS
    assert frozenset() == subset.WORDS & _REFUSED_WORDS


def test_what_is_not_listed_is_outside() -> None:
    """A node or a word of a kind that is not listed is refused, whichever it is."""
    part = read_parts(parse("1"))
    for kind in (*_REFUSED_NODES, "of_a_newer_grammar"):
        assert [kind] == [found.type for found, _ in subset.outside(_named(part, kind))]
    for word in (*_REFUSED_WORDS, "newer"):
        part.type, part.words = "program", [word]
        assert [part] == [found for found, _ in subset.outside(part)], word


def _named(part: SyntaxPart, kind: str) -> SyntaxPart:
    part.type = kind
    return part


def test_each_listed_node_is_read() -> None:
    """The walk has a handler for all nodes of the subset but parts of others, and for no others."""
    assert subset.NODES == proof.HANDLERS.keys() | _READ_WITH_ANOTHER

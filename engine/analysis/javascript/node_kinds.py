"""Kinds of nodes of the syntax tree, by what the collection of names does with them."""

from __future__ import annotations

FUNCTIONS = frozenset({
    "function_declaration", "function_expression", "arrow_function", "method_definition",
    "generator_function", "generator_function_declaration", "class_static_block",
})  # fmt: skip
BLOCKS = frozenset({
    "statement_block", "for_statement", "for_in_statement", "catch_clause", "class_body", "switch_body",
})  # fmt: skip
JSX = ("jsx_element", "jsx_self_closing_element", "jsx_fragment")
WANTED = frozenset({
    "call_expression", "new_expression", "assignment_expression", "augmented_assignment_expression",
    "member_expression", "subscript_expression", "string", "template_string", "regex", "while_statement",
    "for_statement", "do_statement", "import_statement", "identifier", "object", "spread_element", "pair",
    "shorthand_property_identifier", "with_statement", "class_heritage", "export_statement",
    "function_declaration", "variable_declarator", "function_expression", "field_definition",
    "binary_expression", "ternary_expression", "arrow_function", "expression_statement",
    "update_expression", *JSX,
})  # fmt: skip
HANDED = frozenset({"arguments"})
CALLS = frozenset({"call_expression", "new_expression"})
LEAVES = frozenset({
    "string", "identifier", "property_identifier", "number", "comment", "true", "false", "null", "undefined",
    "this", "super", "shorthand_property_identifier", "shorthand_property_identifier_pattern",
    "private_property_identifier", "statement_identifier", "regex", "empty_statement",
})  # fmt: skip

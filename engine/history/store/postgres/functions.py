"""Functions of the history's SQL that PostgreSQL does not have, or has by another name."""

from __future__ import annotations

FUNCTIONS = {
    "instr": ("text, text", "bigint", "sql", "SELECT strpos($1, $2)::bigint"),
    "hex": ("bytea", "text", "sql", "SELECT upper(encode($1, 'hex'))"),
    "json_valid": (
        "text",
        "boolean",
        "plpgsql",
        "BEGIN PERFORM $1::json; RETURN TRUE; EXCEPTION WHEN others THEN RETURN FALSE; END",
    ),
    "json_text": (
        "text, text",
        "text",
        "plpgsql",
        (
            r"BEGIN RETURN replace($1, '\u0000', '\ufffd')::json ->> $2;"
            " EXCEPTION WHEN others THEN RETURN NULL; END"
        ),
    ),
}
"""Of each: its arguments, what it returns, its language, and its body, which verification compares.

`json_text` is the operator `->>` on texts. PostgreSQL reads no NUL in JSON: none of the members that it is
asked for has one.
"""
CREATE_FUNCTIONS = tuple(
    f"CREATE FUNCTION {name} ({arguments}) RETURNS {result} "
    f"LANGUAGE {language} IMMUTABLE STRICT AS $body${body}$body$"
    for name, (arguments, result, language, body) in FUNCTIONS.items()
)
CREATE_OPERATOR = "CREATE OPERATOR ->> (LEFTARG = text, RIGHTARG = text, FUNCTION = json_text)"

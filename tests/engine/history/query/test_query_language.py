"""The query language: what it reads, prints, refuses, and how it survives hostile text."""

from __future__ import annotations

import random
import string
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.history.search.query.complete import complete, quoted
from engine.history.search.query.errors import QueryError
from engine.history.search.query.fields import ALIASES, FIELDS, FieldKind
from engine.history.search.query.parser import parse
from engine.history.search.query.printer import text_of
from engine.history.search.query.tree import And, Exact, FieldMatch, Not, Or, Query, Range, Wild
from tests.fuzzing import rounds

NOW = datetime(2026, 11, 21, 12, 30, tzinfo=UTC)  # a Saturday
HIGH, BOB = FieldMatch("risk", (Exact("high"),)), FieldMatch("reviewer", (Exact("bob"),))
WORD = FieldMatch("text", (Exact("word"),))


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("", And(())),
        ("risk:high reviewer:bob", And((HIGH, BOB))),
        ("risk:high AND reviewer:bob", And((HIGH, BOB))),
        ("risk:high OR reviewer:bob", Or((HIGH, BOB))),
        ("risk:high OR reviewer:bob word", Or((HIGH, And((BOB, WORD))))),
        ("(risk:high OR reviewer:bob) word", And((Or((HIGH, BOB)), WORD))),
        ("NOT risk:high", Not(HIGH)),
        ("-risk:high", Not(HIGH)),
        ("-(risk:high reviewer:bob)", Not(And((HIGH, BOB)))),
        ("NOT NOT risk:high", Not(Not(HIGH))),
        ("((risk:high))", HIGH),
        ("agent:bob*", FieldMatch("requester", (Wild(("bob", "")),))),
        ('agent:"b*b"', FieldMatch("requester", (Exact("b*b"),))),
        ("agent:a*b*c", FieldMatch("requester", (Wild(("a", "b", "c")),))),
        ("host:API.Example.com", FieldMatch("host", (Exact("api.example.com"),))),
        ("print(x)", FieldMatch("text", (Exact("print(x)"),))),
        ("(print(x))", FieldMatch("text", (Exact("print(x)"),))),
        ("or", FieldMatch("text", (Exact("or"),))),
        ('"OR"', FieldMatch("text", (Exact("OR"),))),
        ("duration:1..5m", FieldMatch("duration", (Range(1.0, 300.0),))),
        ("duration:>10s", FieldMatch("duration", (Range(low=10.0, low_open=True),))),
        ("memory:..<2gb", FieldMatch("memory", (Range(high=2.0 * 1024**3, high_open=True),))),
        ("exit:0", FieldMatch("exit", (Range(0.0, 0.0),))),
        ("severity:*", FieldMatch("severity", (Wild(("", "")),))),
    ],
)
def test_query_reads_as(text: str, tree: Query) -> None:
    """Each way to write a query has the tree that it looks like."""
    assert tree == parse(text, NOW)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("submitted:yesterday", "2026-11-20T00:00:00.000000Z", "2026-11-21T00:00:00.000000Z"),
        ("submitted:today", "2026-11-21T00:00:00.000000Z", "2026-11-22T00:00:00.000000Z"),
        ("submitted:monday", "2026-11-16T00:00:00.000000Z", "2026-11-17T00:00:00.000000Z"),
        ("submitted:saturday", "2026-11-21T00:00:00.000000Z", "2026-11-22T00:00:00.000000Z"),
        ("submitted:2026-11", "2026-11-01T00:00:00.000000Z", "2026-12-01T00:00:00.000000Z"),
        ("submitted:2026-11-20T06", "2026-11-20T06:00:00.000000Z", "2026-11-20T07:00:00.000000Z"),
        ("submitted:2026-11-19..2026-11-20", "2026-11-19T00:00:00.000000Z", "2026-11-21T00:00:00.000000Z"),
        ("submitted:2026-11-20..", "2026-11-20T00:00:00.000000Z", None),
        ("submitted:>2026-11-20", "2026-11-21T00:00:00.000000Z", None),
        ("submitted:<2026-11-20", None, "2026-11-20T00:00:00.000000Z"),
        ("submitted:<=2026-11-20", None, "2026-11-21T00:00:00.000000Z"),
        ("since:yesterday", "2026-11-20T00:00:00.000000Z", None),
        ("since:7d", "2026-11-14T12:30:00.000000Z", None),
        ("until:monday", None, "2026-11-16T00:00:00.000000Z"),
        ("since:2026-11-20T06:00+02:00", "2026-11-20T04:00:00.000000Z", None),
    ],
)
def test_times(text: str, low: str | None, high: str | None) -> None:
    """A moment is the stretch of time that people mean by it, in UTC."""
    found = parse(text, NOW)
    assert isinstance(found, FieldMatch)
    assert ("submitted", Range(low, high, high_open=high is not None)) == (found.field, found.values[0])


@pytest.mark.parametrize(
    ("text", "position", "problem", "hint"),
    [
        ("agnet:bob", 0, "Unknown field 'agnet'", "Did you mean agent?"),
        ("risk:high obsrved.host:x", 10, "Unknown field 'obsrved.host'", "Did you mean observed.host?"),
        ("(risk:high", 0, "This parenthesis is not closed", "Write ) at its end"),
        ("risk:high)", 9, "A parenthesis is closed that was not opened", "Write"),
        ("risk:high OR", 12, "The query ends where a term should follow", "Write risk:high"),
        ("risk:high AND OR word", 14, "A term should stand here, not 'OR'", 'Or write "OR"'),
        ("()", 1, "A term should stand here, not ')'", "Or write"),
        ("duration:..", 9, "'..' is no range", "Write 10..20"),
        ("exit:9999999999999999999", 5, "'9999999999999999999' is too large a number", ""),
        ("since:nextweek", 6, "'nextweek' is not a time", "Write 7d"),
        ("since:9999-12-31", 6, "'9999-12-31' is not a time", "Write 7d"),
        ("agent:" + "*a" * 9, 6, "More than 8 of * in one value", ""),
        ("agent:" + ",".join("a" * 51), 6, "More than 50 values", ""),
        ("agent:a,,b", 6, "The field requester has an empty value", "Delete a comma"),
        ("(" * 30 + "a" + ")" * 30, 21, "More than 20 levels of parentheses", ""),
        ("-" * 30 + "a", 21, "More than 20 levels of parentheses", ""),
        ("a " * 101, 200, "More than 100 terms", ""),
    ],
)
def test_error_names_the_place(text: str, position: int, problem: str, hint: str) -> None:
    """What cannot be understood is named with its place, and with what was probably meant."""
    with pytest.raises(QueryError) as raised:
        parse(text, NOW)
    assert (position, problem) == (raised.value.position, raised.value.problem)
    assert raised.value.hint.startswith(hint)


PARTS = (
    *FIELDS, *ALIASES, "AND", "OR", "NOT", "(", ")", "-", " ", ":", '"', "*", "..", "<", ">=", ",", "7d",
    "\\",
    "high", "bob", "2026-11-21", "T06", "10", "1.5", "mb", "ünï", "a", "%", "'", "\n", "\0", "\udc80",
)  # fmt: skip


def test_what_is_printed_reads_the_same() -> None:
    """Random text is refused with a place, or prints as a query that reads the same, and prints the same."""
    read = 0
    for chance in rounds(2.0):
        for _ in range(200):
            tree = _parsed("".join(chance.choices(PARTS, k=chance.randint(1, 12))))
            printed = text_of(tree) if tree else ""
            if tree and len(printed) <= 1000:
                assert tree == parse(printed, NOW), printed
                assert printed == text_of(parse(printed, NOW))
                read += 1
    assert read > 20


def _parsed(text: str) -> Query | None:
    """Return the tree of a text, or None where it is refused at a place within it."""
    position = 0
    try:
        return parse(text, NOW)
    except QueryError as error:
        position = error.position
    assert 0 <= position <= len(text)
    return None


def test_random_trees_survive_printing() -> None:
    """A tree of any shape prints as text that reads as the same tree."""
    for chance in rounds(2.0):
        for _ in range(100):
            tree = parse(_random_query(chance, 3), NOW)
            assert tree == parse(text_of(tree), NOW)


def _random_query(chance: random.Random, depth: int) -> str:
    if depth == 0 or chance.random() < 0.3:
        return chance.choice(
            ("risk:high", 'agent:"a \\" b"*', "duration:1..<3", "since:3d", "-lang:py", "w*")
        )
    inner = [_random_query(chance, depth - 1) for _ in range(chance.randint(1, 3))]
    joined = chance.choice((" ", " OR ", " AND ")).join(inner)
    return chance.choice((f"({joined})", f"-({joined})", joined, f"NOT ({joined})"))


@settings(max_examples=200)
@given(st.text(alphabet=string.printable, max_size=30))
def test_a_quoted_value_is_itself(value: str) -> None:
    """A value that a completion offers is read as exactly that value."""
    if not value or any(ord(letter) < 32 and letter not in "\t\n" for letter in value):
        return
    assert FieldMatch("artifact", (Exact(value),)) == parse(f"artifact:{quoted(value)}", NOW)


def test_completion_offers_fields_and_recorded_values() -> None:
    """The last word is completed: fields, fixed values, recorded values, quoted if need be."""
    assert ("observed.host:",) == complete("observed.h")
    assert ("(risk:high OR -reviewer:",) == complete("(risk:high OR -review")
    assert ("host:a.example",) == complete("host:a", ("a.example",))
    assert ('agent:"a b"',) == complete("agent:", ("a b",))
    assert ("submitted:today",) == complete("submitted:to")
    assert () == complete("nofield:x")


def test_every_field_is_explained() -> None:
    """Each field says what it is; a field without a column names the facts that it looks at."""
    for name, field in FIELDS.items():
        assert field.about, name
        assert (field.kind is FieldKind.CHOICE) == bool(field.choices), name
    assert set(ALIASES.values()) <= set(FIELDS)

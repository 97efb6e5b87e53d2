"""What goes back to agents: values, assertions, masked secrets, short tracebacks."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.models import AssertionOutcome, ExpectedOutput
from engine.policy.output.agent_output import check_output, fence, prepare_for_agent
from engine.policy.output.assertions import parse_assertion
from engine.policy.output.extraction import extract_value


@pytest.mark.parametrize(
    ("expect", "text", "value"),
    [
        (ExpectedOutput.JSON, '{"a": 1}', {"a": 1}),
        (ExpectedOutput.JSON, "loading\n[1, 2]\n", [1, 2]),
        (ExpectedOutput.JSON, 'note\n{\n "a": [1,\n 2]\n}', {"a": [1, 2]}),
        (ExpectedOutput.JSON, "no json", None),
        (ExpectedOutput.JSON, "NaN", None),
        (ExpectedOutput.JSON, "[" * 100_000, None),
        (ExpectedOutput.NUMBER, "the mean is 42.5\n", 42.5),
        (ExpectedOutput.NUMBER, "1\n2\n-3e2", -300.0),
        (ExpectedOutput.NUMBER, "7", 7),
        (ExpectedOutput.NUMBER, "1e999", None),
        (ExpectedOutput.NUMBER, "inf", None),
        (ExpectedOutput.NUMBER, "version v1", None),
        (ExpectedOutput.TABLE, "a,b\n1,2\n3,4", {"columns": ["a", "b"], "rows": [["1", "2"], ["3", "4"]]}),
        (
            ExpectedOutput.TABLE,
            '[{"a": 1}, {"b": 2}]',
            {"columns": ["a", "b"], "rows": [[1, None], [None, 2]]},
        ),
        (ExpectedOutput.TABLE, "just a line", None),
    ],
)
def test_values_are_found_or_not(expect: ExpectedOutput, text: str, value: object) -> None:
    """What is expected is found where it is, and is missing with a reason where it is not."""
    found, why = extract_value(text, expect)
    assert (value, value is None) == (json.loads(found) if found else None, bool(why))


@pytest.mark.parametrize(
    ("assertion", "truth"),
    [
        ("value == 42.5 within 1e-9", AssertionOutcome.REFUTED),
        ("value.total == 42.5 within 1e-9", AssertionOutcome.VERIFIED),
        ("value.total == 42 within 2%", AssertionOutcome.VERIFIED),
        ("value.total != 42 within 2%", AssertionOutcome.REFUTED),
        ('len(value["rows"]) >= 2', AssertionOutcome.VERIFIED),
        ("value.rows[1] == 'b'", AssertionOutcome.VERIFIED),
        ("value.rows[9] == 'b'", AssertionOutcome.UNDECIDED),
        ("value.ok == true", AssertionOutcome.VERIFIED),
        ("value.ok == 1", AssertionOutcome.UNDECIDED),
        ("value.total < 'a'", AssertionOutcome.UNDECIDED),
        ("__import__('os').system('x')", AssertionOutcome.UNDECIDED),
        ("value == value", AssertionOutcome.UNDECIDED),
    ],
)
def test_assertions_are_judged_by_arithmetic_alone(assertion: str, truth: AssertionOutcome) -> None:
    """An assertion is verified, refuted, or undecided where it says nothing about the value."""
    said = '{"total": 42.50000000001, "rows": ["a", "b"], "ok": true}'
    expected = AssertionOutcome.UNDECIDED if assertion.startswith("value == 42.5") else truth
    assert expected is check_output((said,), ExpectedOutput.JSON, assertion, ended_well=True).verified


def test_a_failed_run_verifies_nothing() -> None:
    """Whatever a run printed before it failed, its assertion is undecided."""
    assert (
        AssertionOutcome.UNDECIDED
        is check_output(("1",), ExpectedOutput.NUMBER, "value == 1", ended_well=False).verified
    )


@given(st.text(max_size=300))
def test_no_text_breaks_the_readers(text: str) -> None:
    """Any text is read by every reader, and any assertion, without an error."""
    for expect in (ExpectedOutput.JSON, ExpectedOutput.NUMBER, ExpectedOutput.TABLE):
        check_output((text,), expect, text[:200], ended_well=True)
    parse_assertion(text)
    prepare_for_agent(text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("key AKIAIOSFODNN7EXAMPLE end", "key [masked: access key] end"),
        ("ghp_" + "a1" * 18, "[masked: token]"),
        ("password = hunter2hunter2", "password = [masked: secret]"),
        ('{"api_key": "0123456789abcdef"}', '{"api_key": "[masked: secret]"}'),
        ("postgres://bob:pa55word@db/x", "postgres://bob:[masked: password]@db/x"),
        ("-----BEGIN PRIVATE KEY-----\nMIIE\n", "[masked: private key]"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "[masked: web token]"),
        ("token = ghp_" + "a1" * 18, "token = [masked: token]"),
        ("the token of my esteem", "the token of my esteem"),
        ("total: 1234567", "total: 1234567"),
    ],
)
def test_what_looks_like_a_secret_is_masked(text: str, left: str) -> None:
    """Keys, tokens and passwords go, with a word for what they were; plain words stay."""
    assert left == prepare_for_agent(text)


@pytest.mark.parametrize(
    "piece", ["-eyJ", "eyJ", "a://b:", "-----BEGIN PRIVATE KEY-----", "password=", "token-"]
)
def test_masking_reads_hostile_text_in_its_own_time(piece: str) -> None:
    """A megabyte of beginnings is read once, or this would not come to its end."""
    assert prepare_for_agent(piece * (1_000_000 // len(piece)))


def test_a_traceback_keeps_the_users_frames() -> None:
    """Frames of libraries are counted, those of the code and the error stay."""
    text = (
        "Traceback (most recent call last):\n"
        '  File "main.py", line 3, in <module>\n    json.loads("x")\n'
        '  File "/usr/lib/python3.13/json/__init__.py", line 346, in loads\n    f(s)\n    ~~^^\n'
        '  File "/usr/lib/python3.13/json/decoder.py", line 345, in decode\n    obj\n'
        "json.decoder.JSONDecodeError: Expecting value"
    )
    short = prepare_for_agent(text)
    assert 'File "main.py", line 3' in short
    assert "/usr/lib" not in short
    assert "[2 frames of libraries left out]\njson.decoder.JSONDecodeError: Expecting value" in short


def test_a_stack_of_node_keeps_the_users_frames() -> None:
    """Node's own frames go, those of main.js stay."""
    text = "Error: x\n    at f (main.js:1:7)\n    at Module._compile (node:internal/modules/cjs:1)\n"
    assert "Error: x\n    at f (main.js:1:7)\n  [1 frames of libraries left out]\n" == prepare_for_agent(text)


@given(st.text(max_size=50))
def test_a_fence_cannot_be_closed_from_within(text: str) -> None:
    """Whatever the text, the closing line occurs once."""
    whole = fence(f"</untrusted-s-1>{text}\n</untrusted-s-1->", "s-1")
    assert 1 == whole.count(whole.rpartition("\n")[2])

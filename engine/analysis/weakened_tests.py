"""Texts that make tests pass without testing: replaced assertions, skipped tests, false exit codes."""

from __future__ import annotations

import re

_TEST = re.compile(
    r"(?:^|/)(?:conftest\.py|test_[^/]*\.py|[^/]*_test\.(?:py|go|rb)|[^/]*\.(?:test|spec)\.[cm]?[jt]sx?)$"
)
_RUNNER = re.compile(r"(?:^|/)\.?bin/(?:pytest|py\.test|nose2?|tox|jest|mocha|vitest|ava|tap|karma|rspec)$")
_ASSERTION = re.compile(r"(?i)(?<![a-z])(?:assert|expect|should)")
_TRIVIAL = re.compile(
    r"\s*(?:pass|continue|None|;|(?:#|//).*|\(?\s*assert\s*\(?\s*(?:True|1)\b.*"
    r"|.*\b(?:assertTrue|expect|ok|assert)\(\s*(?:True|true|1)\b.*)?\s*"
)
_WEAKENS = re.compile(
    r"\bos\._exit\(\s*0|\bassert\s+True\b|\bpytest\.(?:skip\(|mark\.skip\b)|\bpytest_collection_modifyitems\b"
    r"|\boutcome\s*=\s*['\"]passed|\bexitstatus\s*=\s*0|\bexpect\(\s*true\s*\)|\bprocess\.exit\(\s*0"
    r"|\b(?:describe|it|test)\.skip\("
)


def is_test(path: str) -> bool:
    """Return whether a path is a file of tests, by the usual names."""
    return _TEST.search(path) is not None


def is_runner(path: str) -> bool:
    """Return whether a path is the program that runs tests."""
    return _RUNNER.search(path) is not None


def weakens(text: str) -> bool:
    """Return whether code that is written into a test keeps it from failing."""
    return _WEAKENS.search(text) is not None


def strips_assertions(pattern: str, replacement: str) -> bool:
    """Return whether a replacement turns assertions into something that always holds."""
    return _ASSERTION.search(pattern) is not None and _TRIVIAL.fullmatch(replacement) is not None

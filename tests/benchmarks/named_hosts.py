"""The hosts that code names in the URLs of its own texts, read without the analysis."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from urllib.parse import urlsplit

from engine.models import Language
from tests.benchmarks.corpora import Sample

_URL = re.compile(r"(?:https?|ftp|wss?)://[^\s\"'`<>)\]|;,]+")
_COMMENT = {
    Language.JAVASCRIPT: re.compile(r"(?m)^\s*(?://|\*).*$"),
    Language.SHELL: re.compile(r"(?m)^\s*#.*$"),
}


def named_hosts(case: Sample) -> set[str]:
    """Return the hosts of all complete URLs in a sample's texts, in small letters."""
    urls = (url for text in _texts(case) for url in _URL.findall(text))
    return {host for url in urls if (host := _host(url))}


def _host(url: str) -> str:
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    return host if re.fullmatch(r"[a-z0-9.-]+", host) else ""


def _texts(case: Sample) -> Iterator[str]:
    if case.language is not Language.PYTHON:
        yield _COMMENT[case.language].sub("", case.code)
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(case.code)
    except (SyntaxError, ValueError):
        return
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node.value

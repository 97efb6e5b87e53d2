"""The hosts that code names in the URLs of its own texts, read without the analysis."""

from __future__ import annotations

import ast
import base64
import binascii
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


def decoded_texts(case: Sample) -> str:
    """Return what literals of Python code hold that are encoded: base64, another character set, bytes."""
    if case.language is not Language.PYTHON:
        return ""
    return "\n".join(_decoded(case.code)).lower()


def _decoded(code: str) -> Iterator[str]:
    for text in re.findall(r"[A-Za-z0-9+/]{16,}={0,2}", code):
        try:
            yield base64.b64decode(text + "=" * (-len(text) % 4)).decode("utf-8", "replace")
        except binascii.Error:
            continue
    for numbers in re.findall(r"\[((?:\s*\d{1,3}\s*,){7,}\s*\d{1,3}\s*,?\s*)\]", code):
        yield "".join(chr(int(number)) for number in re.findall(r"\d+", numbers))
    for literal, codec in re.findall(r"""(b(?:"[^"\n]*"|'[^'\n]*'))\s*\.decode\(\s*["'](\w+)""", code):
        try:
            yield ast.literal_eval(literal).decode(codec, "replace")
        except (LookupError, ValueError):
            continue


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

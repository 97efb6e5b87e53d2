"""Substitutions that bash runs and the grammar takes for plain text, as in `${a:-`id`}`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tree_sitter import Node

from engine.analysis.embedded import analyse_embedded, from_point
from engine.analysis.raw_analysis import RawAnalysis
from engine.analysis.shell.grammar import is_escaped
from engine.analysis.shell.model import Script
from engine.analysis.shell.rules.syntax import SYNTAX
from engine.models import Language

MAX_HIDDEN = 50
"""How many of them are analysed; a script with more is incomplete."""
_MAX_BYTES = 20_000
"""How far the end of one is looked for."""
_OPENING = re.compile(rb"\$\(|`|[<>]\(")
_TOKEN = re.compile(rb"\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"|[()]", re.DOTALL)
_TICK = re.compile(rb"(?<!\\)(?:\\\\)*`")
_INDEX = re.compile(rb"\w\[[^\]\n]{0,200}?(?:\$\(|`)")
"""An index with a substitution, which bash expands wherever a name or a sum is evaluated from text."""
_UNESCAPED = re.compile(r"\\([`$\\])")
_QUOTES = frozenset({"string", "translated_string", "heredoc_body"})
_RUNS = frozenset({"command_substitution", "process_substitution"})


class _Spans:
    """Spans of bytes, merged, to look an offset up in."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(spans):
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(end, self._ends[-1])
            else:
                self._starts.append(start)
                self._ends.append(end)

    def __contains__(self, at: int) -> bool:
        index = bisect_right(self._starts, at) - 1
        return index >= 0 and at < self._ends[index]


@dataclass(frozen=True, slots=True)
class _Known:
    """What the grammar found: where substitutions open, and the spans of each kind of text."""

    openings: frozenset[int]
    ticked: _Spans
    quoted: _Spans
    inert: _Spans
    evaluated: _Spans
    """Sums and indexes: bash removes their quotes, and expands what is left once more."""


def check(script: Script) -> RawAnalysis:
    """Return what the hidden substitutions of a script do."""
    findings = RawAnalysis()
    if not _OPENING.search(script.tree.data):
        return findings
    for count, (start, inner) in enumerate(_hidden(script)):
        if inner is None or count >= MAX_HIDDEN:
            span = script.tree.span_of(start, start + 1)
            findings.violations.append(SYNTAX.violation(span, "A substitution could not be read"))
            findings.complete = False
            return findings
        findings.add(_analysed(script, *inner))
    return findings


def _analysed(script: Script, start: int, text: str) -> RawAnalysis:
    place = from_point(*script.tree.lines.point(script.tree.character(start)))
    return analyse_embedded(
        text, Language.SHELL, script.settings, script.depth, place=place, layer="substitution"
    )


def _hidden(script: Script) -> Iterator[tuple[int, tuple[int, str] | None]]:
    """Yield where bash begins a substitution and the grammar does not, with what `_inner` says of it."""
    data, known, end = script.tree.data, _known(script), 0
    for match in _OPENING.finditer(data):
        at = match.start()
        if at < end or at in known.openings:
            continue
        if at not in known.evaluated and _stays_quoted(data, at, known):
            continue
        if match[0][:1] in b"<>" and at in known.quoted:
            continue
        inner = _inner(data, at)
        yield at, inner
        end = inner[0] + len(inner[1].encode()) if inner else len(data)


def _stays_quoted(data: bytes, at: int, known: _Known) -> bool:
    return at in known.inert or (is_escaped(data, at) and at not in known.ticked)


def _inner(data: bytes, start: int) -> tuple[int, str] | None:
    """Return where the code of a substitution begins, and the code; None where its end was not found."""
    ticked = data[start : start + 1] == b"`"
    begin = start + (1 if ticked else 2)
    end = _tick(data, begin) if ticked else _parenthesis(data, begin)
    if end < 0:
        return None
    text = data[begin:end].decode("utf-8", "replace")
    return begin, _UNESCAPED.sub(r"\1", text) if ticked else text


def _tick(data: bytes, begin: int) -> int:
    match = _TICK.search(data, begin, begin + _MAX_BYTES)
    return match.end() - 1 if match else -1


def _parenthesis(data: bytes, begin: int) -> int:
    depth = 1
    for match in _TOKEN.finditer(data, begin, begin + _MAX_BYTES):
        depth += {b"(": 1, b")": -1}.get(match[0], 0)
        if depth == 0:
            return match.start()
    return -1


# --- what the grammar found ---------------------------------------------------------------------------


def _known(script: Script) -> _Known:
    runs = script.nodes("command_substitution", "process_substitution", "arithmetic_expansion")
    evaluated = script.nodes(
        "subscript", "arithmetic_expansion", "c_style_for_statement", "compound_statement", "array"
    )
    inert = script.nodes("raw_string", "ansi_c_string", "comment")
    ticked = [node for node in runs if script.tree.data[node.start_byte : node.start_byte + 1] == b"`"]
    texts = [node for node in inert if _stays_text(script, node)]
    bodies = [body for node in script.nodes("heredoc_redirect") if (body := _quoted_body(script, node))]
    return _Known(
        frozenset([node.start_byte for node in runs] + [node.end_byte - 1 for node in ticked]),
        ticked=_Spans((node.start_byte + 1, node.end_byte - 1) for node in ticked),
        quoted=_spans(script.nodes("string", "heredoc_body")),
        inert=_spans(node for node in [*texts, *bodies] if not _is_expanded(script, node)),
        evaluated=_spans(node for node in evaluated if _is_sum(script, node)),
    )


def _spans(nodes: Iterable[Node]) -> _Spans:
    return _Spans((node.start_byte, node.end_byte) for node in nodes)


def _stays_text(script: Script, node: Node) -> bool:
    """Return whether quoted text is not one that arithmetic, a name or a prompt would expand later."""
    text = _text(script, node)
    if node.type == "comment" or not _OPENING.search(text):
        return True
    return not _INDEX.search(text) and b"@P}" not in script.tree.data


def _text(script: Script, node: Node) -> bytes:
    return script.tree.data[node.start_byte : node.end_byte]


def _is_sum(script: Script, node: Node) -> bool:
    if node.type == "compound_statement":
        return _text(script, node).startswith(b"((")
    return node.type != "array" or b"[" in _text(script, node)


def _quoted_body(script: Script, node: Node) -> Node | None:
    """Return the body of a here-document in which bash expands nothing."""
    parts = {child.type: child for child in node.named_children}
    start = parts.get("heredoc_start")
    return parts.get("heredoc_body") if start and set(_text(script, start)) & set(b"'\"\\") else None


def _is_expanded(script: Script, node: Node) -> bool:
    """Return whether text with a substitution is within double quotes, where single quotes quote nothing."""
    if not _OPENING.search(_text(script, node)):
        return False
    parent = node.parent
    while node.type != "heredoc_body" and parent is not None and parent.type not in _RUNS:
        if parent.type in _QUOTES:
            return True
        parent = parent.parent
    return False

"""What stays of a record or a case whose texts are erased.

Numbers, times, digests, names of principals and words of the product stay. Every other text is emptied, and a
list or an object that is not known to be free of texts with it. Data without such texts stays as it was.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

Json = Mapping[str, Any]
_HEX = re.compile(r"(sha256:)?[0-9a-f]{64}|[0-9a-f]{128}|")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+-]{0,99}|")
_PACKED_DIGEST = re.compile(r"[A-Za-z0-9+/]{86}==")
_PATTERNS = {
    **dict.fromkeys(("code", "digest", "original_digest", "key", "case_sha256", "policy", "analysis"), _HEX),
    "content": _PACKED_DIGEST,
    **dict.fromkeys(
        (
            "id", "submission", "outcome", "at", "until", "deadline", "started_at", "submitted_at",
            "language", "status", "risk", "level", "rule", "rules", "severity", "confidence", "category",
            "verdict", "kill_reason", "image", "image_digest", "runtime", "pre_approval", "role", "roles",
            "shown_by", "carried_from", "equivalent_to", "revived_as", "revises", "rescan", "state", "expect",
            "verified", "match_mode", "sandbox", "session",
        ),
        _WORD,
    ),
}  # fmt: skip
"""The texts that stay, by their names, where they look like what they are."""
_OBJECTS = frozenset({
    "submission", "draft", "requester", "by", "permissions", "limits", "grant", "analysis", "assessment",
    "decision", "review_record", "claim", "result", "span",
})  # fmt: skip
_LISTS = frozenset({"violations", "matches", "reviews", "artifacts", "files", "triage", "samples"})
"""Lists of objects that stay; each of them is emptied of its texts."""
_WHOLE = frozenset({"chunks", "signature"})
"""What has no text of anybody's."""
_PEOPLE = frozenset({"by", "requester"})
_SAID = {"reason": "", "comments": [], "text": ""}
"""What a reviewer or responder said, in a decision or a note."""


def without_texts(data: Json) -> dict[str, Any]:
    """Return the data of a record, or a stored case, without its texts."""
    return {name: _value(name, value, "") for name, value in data.items()}


def _value(name: str, value: Any, parent: str) -> Any:
    if name in _WHOLE or value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return _text(name, value, parent)
    if isinstance(value, Mapping):
        return {key: _value(key, one, name) for key, one in value.items()} if name in _OBJECTS else None
    return _list(name, value)


def _text(name: str, value: str, parent: str) -> str:
    if name in _PEOPLE or parent in _PEOPLE:
        return value
    pattern = _PATTERNS.get(name)
    return value if pattern and pattern.fullmatch(value) else ""


def _list(name: str, values: list[Any]) -> list[Any]:
    """Return the numbers of a list, its objects where they stay, and its texts where they are known words."""
    kept: list[Any] = []
    for value in values:
        if isinstance(value, Mapping):
            kept += [{key: _value(key, one, name) for key, one in value.items()}] if name in _LISTS else []
        elif isinstance(value, list):
            kept.append(_list(name, value))
        elif not isinstance(value, str) or _text(name, value, ""):
            kept.append(value)
    return kept


def without_words_of(author: str, data: Json) -> dict[str, Any]:
    """Return a stored case without what `author` said in its decisions."""
    changed = dict(data)
    if isinstance(data.get("decision"), Mapping):
        changed["decision"] = _unsaid(author, data["decision"])
    if data.get("reviews"):
        changed["reviews"] = [_unsaid(author, review) for review in data["reviews"]]
    return changed


def _unsaid(author: str, decision: Json) -> Json:
    by = decision.get("by")
    return said_nothing(decision) if isinstance(by, Mapping) and by.get("name") == author else decision


def said_nothing(data: Json) -> dict[str, Any]:
    """Return a decision or a note without what was said in it."""
    return {name: _SAID.get(name, value) if value else value for name, value in data.items()}

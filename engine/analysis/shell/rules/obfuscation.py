"""Obfuscated commands and data."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis import paths
from engine.analysis.shell.declare import HIGH, MEDIUM, found, rule
from engine.analysis.shell.flow import before
from engine.analysis.shell.model import Command, Script
from engine.analysis.shell.values import shown
from engine.models import Confidence, Level, Violation

HIDDEN_COMMAND = rule(
    "sh-hidden-command",
    "Hides the name of a command",
    "obfuscation",
    HIGH,
    attack="Writes the command so that neither a reader nor a word list recognises it.",
    why="HIGH: a command is split only to hide it; the message shows the command.",
    fix="Write the command directly.",
    match=(
        "a='r';b='m'; $a$b -rf /",
        'c""at /etc/passwd',
        "$'\\x63at' x",
        "{cat,/etc/passwd}",
        "cat${IFS}/etc/passwd",
        "$(printf 'r\\155') x",
        "w\\ho\\am\\i",
        "$(echo tac | rev) a",
        "x='a[$(id)]'; echo $((x))",
    ),
    not_match=(
        "\\rm -rf x",
        '"$HOME"/bin/x',
        "python${V} a.py",
        "'ls' -l",
        "$(which sh) -c x",
        "echo {a,b}",
    ),
    cwe=506,
)
DECODE = rule(
    "sh-decode",
    "Decodes data",
    "obfuscation_write",
    MEDIUM,
    attack="Decodes what was made unreadable on purpose.",
    why=(
        "MEDIUM: decoding data is common, and running the decoded data has its own rule;"
        " HIGH where it is written to a system path."
    ),
    fix="Send the data without encoding.",
    match=(
        "base64 -d a > b",
        "echo aGk= | base64 --decode",
        "xxd -r -p a",
        "openssl base64 -d -in a",
        "uudecode a",
    ),
    not_match=(
        "base64 a",
        "xxd a",
        "openssl version",
    ),
    cwe=506,
)
ENCODED_WRITE = rule(
    "sh-encoded-write",
    "Writes encoded data to a file",
    "obfuscation_write",
    MEDIUM,
    attack="Stores a payload or stolen data in a form that is hard to recognise.",
    why=(
        "MEDIUM: the encoding is reversible, but the next reader has to notice it;"
        " HIGH where it is written to a system path."
    ),
    fix="Write the data without encoding.",
    match=(
        'e=$(echo -n "$d" | base64 -w 0); echo "$e" > a.py',
        "base64 x > y",
        "xxd -p a >> b",
        "cat a | base64 | tee b",
    ),
    not_match=(
        "echo a > b",
        "base64 a",
        "sha256sum a > b",
    ),
    cwe=506,
)
ESCAPED = rule(
    "sh-escaped-text",
    "Writes text as escaped characters",
    "obfuscation_write",
    MEDIUM,
    attack="Keeps words from being read or found by a search.",
    why="MEDIUM: the message shows the text.",
    fix="Write the text without escapes.",
    match=(
        "printf '\\x2f\\x65\\x74\\x63\\x2f\\x70\\x61\\x73\\x73\\x77\\x64'",
        "echo -e '\\0145\\0166\\0151\\0154\\0040\\0143\\0157\\0144\\0145'",
    ),
    not_match=(
        "printf '\\x1b[31mred\\x1b[0m'",
        "echo -e '\\033[1m'",
        "printf '\\t%s\\n' a",
    ),
    cwe=506,
)
LONG_LITERAL = rule(
    "sh-encoded-literal",
    "Contains a long encoded string",
    "obfuscation",
    MEDIUM,
    attack="Carries a payload that is decoded later.",
    why="MEDIUM: certificates and pictures look the same.",
    fix="Send the data as an input file.",
    match=(
        "x=" + "QUJD" * 60,
        "echo '" + "4a6f686e" * 40 + "' > a",
    ),
    not_match=(
        "x=abc",
        "echo " + "x" * 300,
    ),
    cwe=506,
    confidence=Confidence.MEDIUM,
)

_ESCAPES = re.compile(r"\\(?:x[0-9a-fA-F]{2}|0?[0-7]{3}|u[0-9a-fA-F]{4})")
_COLOUR = re.compile(r"\\(?:x1[bB]|033|e|0?33)\[?")
_ENCODED = re.compile(r"[A-Za-z0-9+/]{200,}={0,2}")
_GLOBBED = re.compile(r"(?:/[\w.*-]+)*/[\w.-]*[*?\[][\w.*?\[\]!-]*")
"""The path of a program, spelled as a pattern."""
_MAX_HEAD = 2000
_SPLIT = re.compile(r"\w+(?:\$[@*]|\$\{[@*]\}|\$\(\s*(?:true|:)?\s*\)|``)\w+")
"""A word with something in its middle that expands to nothing."""
_NAME = re.compile(r"[\w./+-]+")
_PLAIN = re.compile(r"[\w./+:@%^~,=-]+")
_BLANKS = frozenset({"", " ", "\t", "\n", "\r"})
_PREFIXES = frozenset({"sudo", "env", "command", "exec", "nohup", "time", "builtin", "doas"})
_PREFIX = re.compile(rf"(?:\w+=\S*|{'|'.join(sorted(_PREFIXES))})\s+")
_COMPUTED = re.compile(r"printf|rev\b|base64|xxd|\btr\b|\bcut\b|\bsed\b|echo\s+-")
_IFS = re.compile(r"\$\{?IFS\b")
_UNALIASED = re.compile(r"\\\w+")
_PIECE = re.compile(r"\$\{?\w+|\$'")
_BROKEN = re.compile(r"\w(?:\"\"|''|\\|\"\w|'\w|\$@|\$\*)\w*|^['\"]\w{1,3}['\"]\w")


_INDEX_COMMAND = re.compile(r"\w+\[\s*(?:\$\((?!\()|`)")


def _hidden_indexes(script: Script) -> Iterator[Violation]:
    """Yield texts that run a command where arithmetic evaluates them: `x='a[$(id)]'; echo $((x))`."""
    for _, arg, step in script.assignments:
        if _INDEX_COMMAND.match(arg.text):
            yield HIDDEN_COMMAND.violation(step.span, f"An index that runs a command: {shown(arg.text)[:80]}")


def check(script: Script) -> Iterator[Violation]:
    """Yield hidden commands and encoded data."""
    for command in script.commands:
        if command.own:
            continue
        if _is_hidden(script, command):
            yield found(HIDDEN_COMMAND, command, "Resolves to")
        if _decodes(command):
            yield found(DECODE, command, severity=_stored(command))
        if _writes_encoded(command):
            yield found(ENCODED_WRITE, command, severity=_stored(command))
        yield from _escaped(script, command)
    yield from _literals(script)
    yield from _hidden_indexes(script)


def _is_hidden(script: Script, command: Command) -> bool:
    if _is_plain(script, command):
        return False
    name = command.program.text
    if _GLOBBED.fullmatch(name) or _SPLIT.fullmatch(_head(script.tree.slice(command.start, command.end))):
        return True
    if not _NAME.fullmatch(name):
        return False
    raw = script.tree.slice(command.start, command.end)
    if raw.startswith("{") and "," in raw.split()[0]:
        return True
    head = _head(raw)
    if head == name or head.startswith(("$(", "`")):
        return bool(_COMPUTED.search(head)) and head != name
    return bool(_IFS.search(raw)) or _is_disguised(head)


def _is_plain(script: Script, command: Command) -> bool:
    """Return whether the first word of a command is its name, unchanged."""
    program = command.program
    if not program.literal or program.start != command.start or program.text in _PREFIXES:
        return False
    after = script.tree.slice(program.end, program.end + 1)
    return after in _BLANKS and _PLAIN.fullmatch(program.text) is not None


def _is_disguised(head: str) -> bool:
    """Return whether a word is assembled from parts, none of which shows what it is."""
    if "$'" in head and _ESCAPES.search(head):
        return True
    if "/" in head or _UNALIASED.fullmatch(head):
        return False
    return bool(_BROKEN.search(head)) or len(_PIECE.findall(head)) > 1


def _head(raw: str) -> str:
    """Return the first word as it is written, substitutions included."""
    text = raw[:_MAX_HEAD]
    while match := _PREFIX.match(text):
        text = text[match.end() :]
    if text.startswith("$("):
        depth = 0
        for index, char in enumerate(text):
            depth += (char == "(") - (char == ")")
            if char == ")" and depth == 0:
                return text[: index + 1]
    if text.startswith("`"):
        return text[: text.find("`", 1) + 1] or text
    return text.split(maxsplit=1)[0] if text[:1].strip() else ""


def _decodes(command: Command) -> bool:
    name, words = command.name, command.words
    if name in {"base64", "gbase64", "base32", "basenc"}:
        return any(
            word in {"-d", "-D", "--decode", "-di", "-id"}
            or (word.startswith("-") and "d" in word[1:4] and "-" not in word[1:])
            for word in words
        )
    if name == "xxd":
        return any(word.startswith("-") and "r" in word for word in words)
    if name in {"b64decode", "uudecode"}:
        return True
    if name in {"b64encode", "uuencode"}:
        return True
    return name == "openssl" and "-d" in words and bool({"base64", "-base64", "-a", "enc"} & set(words))


def _stored(command: Command) -> Level | None:
    """Return HIGH for unreadable data that a command puts where the system keeps its own files."""
    files = [redirect.target.text for redirect in command.redirects if redirect.writes]
    if command.name == "tee":
        files += [arg.text for arg in command.operands]
    if command.name == "xxd":
        files += [arg.text for arg in command.operands[1:]]
    option = ("-out",) if command.name == "openssl" else ("-o", "--output")
    if (named := command.option(*option)) is not None:
        files.append(named.text)
    places = (path for path in map(paths.normal, files) if not paths.is_device(path))
    system = any(paths.is_system(path) and path != "/dev/null" for path in places)
    return HIGH if system else None


def _writes_encoded(command: Command) -> bool:
    writes = [
        r for r in command.redirects if r.writes and r.operator[:1] != "2" and r.target.text != "/dev/null"
    ]
    if not writes and command.name != "tee":
        return False
    if any("encoded" in arg.taints for arg in command.args) or "encoded" in (
        command.feed.taints if command.feed else ()
    ):
        return True
    tools = {"base64", "gbase64", "base32", "xxd", "uuencode", "b64encode", "basenc"}
    if command.name in tools or (command.name == "openssl" and command.words[:1] == ["base64"]):
        return True
    return any(other.name in tools for other in before(command)) and command.name in {
        "cat",
        "tee",
        "tr",
        "sed",
        "rev",
        "fold",
        "printf",
        "echo",
    }


def _escaped(script: Script, command: Command) -> Iterator[Violation]:
    if command.name not in {"echo", "printf", "print"} and "\\x" not in command.text:
        return
    raw = script.tree.slice(command.start, command.end)
    if "\\" not in raw:
        return
    count = len(_ESCAPES.findall(_COLOUR.sub("", raw)))
    if count >= 8 and not re.search(r"\\x(?:e[0-9a-f]|f0|c[2-9a-f]|d[0-9a-f])", raw, re.IGNORECASE):
        yield found(ESCAPED, command, f"{count} escaped characters")


def _literals(script: Script) -> Iterator[Violation]:
    text = script.tree.text
    if len(text) < 200:
        return
    for match in _ENCODED.finditer(text):
        run = match[0]
        if len(set(run)) > 3 and (re.fullmatch(r"[0-9a-fA-F]+", run) or _mixed(run)):
            yield LONG_LITERAL.violation(
                script.tree.lines.span(match.start(), match.end()),
                f"{len(run)} characters: {shown(run[:24])}…",
            )
            return


def _mixed(run: str) -> bool:
    return bool(
        re.search(r"[A-Z]", run) and (re.search(r"[a-z]", run) or len(set(run)) > 3) and "/" * 3 not in run
    )

"""Rules: commands and data that are kept from the reader's eyes."""

from __future__ import annotations

from engine.analysis.shell.declare import HIGH, MEDIUM, rule
from engine.models import Confidence

HIDDEN_COMMAND = rule(
    "sh-hidden-command",
    "Hides the name of a command",
    "obfuscation",
    HIGH,
    attack="Writes the command so that neither a reader nor a word list recognises it.",
    why="HIGH: nobody writes a command in pieces but to hide it; the message shows what it is.",
    fix="Write the command as it is.",
    match=(
        "a='r';b='m'; $a$b -rf /",
        'c""at /etc/passwd',
        "$'\\x63at' x",
        "{cat,/etc/passwd}",
        "cat${IFS}/etc/passwd",
        "$(printf 'r\\155') x",
        "w\\ho\\am\\i",
        "$(echo tac | rev) a",
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
    attack="Unpacks what was made unreadable on purpose.",
    why="MEDIUM: data is decoded every day; running what was decoded has a rule of its own.",
    fix="Send the data as it is.",
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
    attack="Stores a payload, or loot, in a form that nobody recognises.",
    why="MEDIUM: the encoding is reversible, but the next reader has to notice.",
    fix="Write the data as it is.",
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
    attack="Keeps words from being read or searched for.",
    why="MEDIUM: the message shows what the text is.",
    fix="Write the text as it is.",
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
    "Carries a long encoded text",
    "obfuscation",
    MEDIUM,
    attack="Carries a payload that is unpacked later.",
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

RULES = (
    HIDDEN_COMMAND,
    DECODE,
    ENCODED_WRITE,
    ESCAPED,
    LONG_LITERAL,
)

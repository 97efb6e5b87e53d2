"""Computes the output of commands that depend only on their words and input, without running them."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable

from engine.analysis.shell.expansion import unescaped
from engine.analysis.shell.values import MAX_TEXT, UNKNOWN

Output = str
_FORMAT = re.compile(r"%(%|[-+ #0]*\d*(?:\.\d+)?[a-zA-Z])")
_SED = re.compile(r"s(.)((?:(?!\1).)*)\1((?:(?!\1).)*)\1(g?)\Z", re.DOTALL)


def output(name: str, words: list[str], given: str) -> Output:
    """Return what `name words` prints with `given` on its input, or unknown."""
    work = _PURE.get(name)
    if work is None:
        return UNKNOWN
    if any(UNKNOWN in word for word in words) and name not in {"echo", "printf"}:
        return UNKNOWN
    try:
        return work(words, given)[:MAX_TEXT]
    except (ValueError, binascii.Error, IndexError, UnicodeError, re.error):
        return UNKNOWN


def _echo(words: list[str], given: str) -> str:
    options = ""
    while words and re.fullmatch(r"-[neE]+", words[0]):
        options += words[0]
        words = words[1:]
    text = " ".join(words)
    return (unescaped(text) if "e" in options else text) + ("" if "n" in options else "\n")


def _printf(words: list[str], given: str) -> str:
    words = words[1:] if words[:1] == ["--"] else words
    if not words or words[0].startswith("-v"):
        return ""
    pattern, rest = unescaped(words[0]), list(words[1:])
    pieces: list[str] = []
    for _ in range(64):
        pieces.append(_FORMAT.sub(lambda match: _formatted(match[1], rest), pattern))
        if not rest or "%" not in pattern:
            break
    return "".join(pieces)


def _formatted(code: str, rest: list[str]) -> str:
    if code == "%":
        return "%"
    word = rest.pop(0) if rest else ""
    if UNKNOWN in word:
        return UNKNOWN
    kind = code[-1]
    if kind == "b":
        return unescaped(word)
    if kind == "c":
        return word[:1]
    if kind in "xXod" and len(code) == 1:
        number = ord(word[1]) if word[:1] in {"'", '"'} and word[1:] else int(word or "0", 0)
        return format(number, kind)
    return word


def _base64(words: list[str], given: str) -> str:
    if not any(word in {"-d", "-D", "--decode", "-di", "-id"} for word in words):
        return UNKNOWN if UNKNOWN in given else _encoded(words, given.encode())
    return _known(base64.b64decode("".join(_input(words, given).split()) + "==").decode("utf-8", "strict"))


def _encoded(words: list[str], data: bytes) -> str:
    whole = base64.b64encode(data).decode()
    if "-w0" in words or "--wrap=0" in words or words[:2] == ["-w", "0"]:
        return whole
    return "".join(f"{whole[at : at + 76]}\n" for at in range(0, len(whole), 76))


def _base32(words: list[str], given: str) -> str:
    if not any(word.startswith(("-d", "--d")) for word in words):
        return UNKNOWN
    return _known(base64.b32decode(_input(words, given).strip()).decode("utf-8", "strict"))


def _xxd(words: list[str], given: str) -> str:
    options = "".join(word.lstrip("-") for word in words if word.startswith("-"))
    if "r" not in options or "p" not in options:
        return UNKNOWN
    return _known(
        bytes.fromhex("".join(_input(words, given).split()).replace("0x", "")).decode("utf-8", "strict")
    )


def _input(words: list[str], given: str) -> str:
    if UNKNOWN in given:
        raise ValueError("unknown input")
    return given


def _known(text: str) -> str:
    return UNKNOWN if UNKNOWN in text else text


def _tr(words: list[str], given: str) -> str:
    if words[:1] in (["-d"], ["--delete"]):
        gone = set(_set(words[1]))
        return "".join(char for char in given if char not in gone)
    if len(words) != 2 or words[0].startswith("-"):
        return UNKNOWN
    source, target = _set(words[0]), _set(words[1])
    target = target + target[-1:] * (len(source) - len(target))
    return given.translate(str.maketrans(source, target[: len(source)]))


def _set(text: str) -> str:
    named = {"[:lower:]": "abcdefghijklmnopqrstuvwxyz", "[:upper:]": "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
    for name, chars in named.items():
        text = text.replace(name, chars)
    return re.sub(r"(.)-(.)", lambda m: "".join(map(chr, range(ord(m[1]), ord(m[2]) + 1))), unescaped(text))


def _rev(words: list[str], given: str) -> str:
    return "\n".join(line[::-1] for line in given.split("\n"))


def _cat(words: list[str], given: str) -> str:
    return given if not words or words == ["-"] else UNKNOWN


def _which(words: list[str], given: str) -> str:
    names = [word for word in words if not word.startswith("-")]
    return names[0] if len(names) == 1 else UNKNOWN


def _sed(words: list[str], given: str) -> str:
    script = words[1] if words[:1] == ["-e"] else words[0]
    match = _SED.match(script)
    if match is None or len(words) > 2 or len(given) > 4096 or re.search(r"[*+{\\(]", match[2]):
        return UNKNOWN
    return re.sub(match[2], lambda _: match[3], given, count=0 if match[4] else 1)


def _rot(words: list[str], given: str) -> str:
    return given.translate(
        str.maketrans(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
            "NOPQRSTUVWXYZABCDEFGHIJKLMnopqrstuvwxyzabcdefghijklm",
        )
    )


def _openssl(words: list[str], given: str) -> str:
    if words[:1] not in (["base64"], ["enc"]) or "-d" not in words or any("aes" in word for word in words):
        return UNKNOWN
    return _base64(["-d"], given)


_PURE: dict[str, Callable[[list[str], str], str]] = {
    "echo": _echo,
    "printf": _printf,
    "print": _echo,
    "base64": _base64,
    "gbase64": _base64,
    "b64decode": lambda words, given: _base64(["-d"], given),
    "base32": _base32,
    "xxd": _xxd,
    "tr": _tr,
    "rev": _rev,
    "cat": _cat,
    "tee": _cat,
    "tac": lambda words, given: "\n".join(given.split("\n")[::-1]),
    "which": _which,
    "basename": lambda words, given: words[0].rstrip("/").rsplit("/", 1)[-1],
    "dirname": lambda words, given: words[0].rpartition("/")[0] or ".",
    "sed": _sed,
    "rot13": _rot,
    "openssl": _openssl,
    "mktemp": lambda words, given: "/tmp/tmp.pratique",
}

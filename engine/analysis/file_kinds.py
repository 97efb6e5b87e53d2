"""Says what an input file is: code in a supported language, unreadable code, or data."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from engine.models import Language

_SUFFIXES = {
    **dict.fromkeys((".py", ".pyw"), Language.PYTHON),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts"), Language.JAVASCRIPT),
    **dict.fromkeys((".sh", ".bash", ".zsh", ".ksh", ".bashrc", ".profile"), Language.SHELL),
}
_COMPILED = frozenset({
    ".pyc", ".pyo", ".pyd", ".so", ".dylib", ".dll", ".wasm", ".node", ".exe", ".elf", ".o", ".a", ".class",
})  # fmt: skip
_FOREIGN = frozenset({".pl", ".pm", ".rb", ".php", ".lua", ".ps1", ".bat", ".cmd", ".tcl", ".awk"})
_MAGIC = (b"\x7fELF", b"MZ", b"\x00asm", b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe")
_SHEBANG = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*#!\s*(\S+)(?:[ \t]+(?:-\S+[ \t]+)*(\S+))?")
_INTERPRETERS = (
    (re.compile(r"(?:python|pypy)[\d.]*\Z"), Language.PYTHON),
    (re.compile(r"(?:node|nodejs|deno|bun)\Z"), Language.JAVASCRIPT),
    (re.compile(r"(?:ba|z|da|k|a)?sh\Z"), Language.SHELL),
)


class Unreadable(ValueError):
    """Raised for a file with unreadable code, with the reason."""


def suffix(name: str) -> str:
    """Return the lower-case suffix of a name, blanks and dots behind it left out."""
    base = PurePosixPath(name.rstrip(" .\t")).name.lower()
    return PurePosixPath("x" + base).suffix


def language_of(name: str, content: bytes) -> Language | None:
    """Return the language of code by its name or its first line; None for data. Raises Unreadable."""
    ending = suffix(name)
    if ending in _COMPILED or content.startswith(_MAGIC) or _is_bytecode(content):
        raise Unreadable("it is compiled")
    if ending in _FOREIGN:
        raise Unreadable(f"no analysis reads the language of {ending} files")
    if ending in _SUFFIXES:
        return _SUFFIXES[ending]
    started = _SHEBANG.match(content[:512])
    return _interpreted(started) if started else None


def _interpreted(started: re.Match[bytes]) -> Language:
    words = [word.decode("latin-1").rpartition("/")[2] for word in started.groups() if word]
    program = words[-1] if words[0] == "env" else words[0]
    for pattern, language in _INTERPRETERS:
        if pattern.match(program):
            return language
    raise Unreadable("no analysis reads the language that its first line names")


def _is_bytecode(content: bytes) -> bool:
    """Return whether content starts as CPython's compiled modules do: PEP 552."""
    return (
        content[2:4] == b"\r\n"
        and len(content) >= 16
        and 3000 <= int.from_bytes(content[:2], "little") < 4000
    )

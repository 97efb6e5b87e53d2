"""Programs that run another program, such as `sudo`, `env` and `docker exec`, and what they run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis.shell.model import Arg
from engine.analysis.shell.wrappers.elsewhere import BESIDE, PROGRAMS
from engine.analysis.shell.wrappers.local import LOCAL, SHELLED
from engine.analysis.shell.wrappers.options import Inner, Wrapper, read_words

__all__ = ["assigned", "basename", "beside", "code_texts", "may_run_another", "reads_code", "unwrap"]

WRAPPERS = {**LOCAL, **SHELLED, **BESIDE}
"""Every program that runs another."""
_NAMES = frozenset({*WRAPPERS, *PROGRAMS, "runuser"})
MOST = 100
"""How many wrappers in front of each other are taken off."""
_LOADER = re.compile(r"ld(?:-linux[\w-]*|-musl[\w-]*|64)?\.so(?:\.\d+)*")
"""The dynamic loader runs the program that it is given (ld.so(8))."""
_COMPOUND = re.compile(r"[\s;|&]")
_SPLIT = re.compile(r"-(?:[a-zA-Z]*S(?P<glued>.*)|-split-string(?:=(?P<long>.*))?)", re.DOTALL)
_AS_USER = re.compile(r"-[a-z]*u.*|--user(?:=.*)?")


def basename(text: str) -> str:
    """Return the name of a program without its folder."""
    return text.rsplit("/", 1)[-1] if "/" in text else text


def unwrap(fields: list[Arg]) -> tuple[tuple[str, ...], list[Arg]]:
    """Return the wrappers in front of a command, and the fields of the command itself."""
    found: list[str] = []
    while len(fields) > 1 and len(found) < MOST:
        wrapper, start = _resolved(fields)
        rest = _behind(wrapper, fields, start) if wrapper is not None and not wrapper.kept else []
        if not rest:
            break
        found.append(_name(fields[0]))
        fields = rest
    return tuple(found), fields


def may_run_another(program: Arg) -> bool:
    """Return whether a program may be one that runs another; cheap, and never wrong with a no."""
    return _name(program) in _NAMES


def beside(fields: list[Arg]) -> list[Arg]:
    """Return the fields of the command that a program such as `docker exec` runs elsewhere."""
    wrapper, start = _resolved(fields)
    if wrapper is None or not wrapper.kept or wrapper.joined:
        return []
    rest = _behind(wrapper, fields, start)
    entry = next((i for i, field in enumerate(fields) if field.text == "--entrypoint"), None)
    return [fields[entry + 1], *rest] if entry is not None and rest else rest


def code_texts(fields: list[Arg]) -> Iterator[tuple[str, Arg | None]]:
    """Yield the shell code that a program is given, and the word that holds it whole."""
    wrapper, start = _resolved(fields)
    if wrapper is None:
        return
    inner = _read(wrapper, fields, start)
    for text in inner.texts:
        field = fields[start + text.first]
        yield field.text[text.offset :], None if text.offset else field
    if wrapper.joined and inner.at is not None:
        words = fields[start + inner.at :]
        if len(words) > 1 or _COMPOUND.search(words[0].text) or wrapper.kept:
            yield " ".join(word.text for word in words), words[0] if len(words) == 1 else None


def reads_code(fields: list[Arg]) -> bool:
    """Return whether a program starts a shell that reads its input: `ssh host`, `su`, `newgrp`."""
    wrapper, start = _resolved(fields)
    if wrapper is None or not wrapper.reads:
        return False
    inner = _read(wrapper, fields, start)
    return inner.at is None and not inner.texts


def assigned(fields: list[Arg]) -> tuple[tuple[str, str], ...]:
    """Return the variables that a wrapper is given: `env A=b`."""
    pairs = (field.text.partition("=") for field in fields)
    return tuple((name, value) for name, equals, value in pairs if equals and name.isidentifier())


def _name(field: Arg) -> str:
    name = basename(field.text)
    return _LOADER.sub("ld.so", name) if ".so" in name else name


def _resolved(fields: list[Arg]) -> tuple[Wrapper | None, int]:
    """Return the wrapper that a command begins with, and the number of words that name it."""
    name, start = _name(fields[0]), 1
    while name in PROGRAMS and name not in WRAPPERS:
        at = _read(PROGRAMS[name], fields, start).at
        if at is None:
            return None, start
        name, start = f"{name} {fields[start + at].text}", start + at + 1
    if name == "runuser" and not any(_AS_USER.fullmatch(field.text) for field in fields):
        return SHELLED["su"], start
    return WRAPPERS.get(name), start


def _read(wrapper: Wrapper, fields: list[Arg], start: int) -> Inner:
    return read_words(wrapper, [field.text for field in fields[start:]])


def _behind(wrapper: Wrapper, fields: list[Arg], start: int) -> list[Arg]:
    """Return the fields after the wrapper's own, or nothing where it runs no command."""
    name = _name(fields[0])
    if name == "env" and (rest := _split_string(fields)):
        return rest
    if name == "coproc" and len(fields) > 3 and fields[2].text == "{":
        return fields[3:]
    at = _read(wrapper, fields, start).at
    if at is None:
        return []
    rest = fields[start + at :]
    return [] if wrapper.joined and len(rest) == 1 and _COMPOUND.search(rest[0].text) else rest


def _split_string(fields: list[Arg]) -> list[Arg]:
    """Return the words of `env -S 'a b'`, whose value may be glued to the option."""
    for index, field in enumerate(fields[1:], 1):
        match = _SPLIT.fullmatch(field.text)
        if match:
            text = match["glued"] or match["long"]
            source = field if text else next(iter(fields[index + 1 : index + 2]), field)
            words = [field._replace(text=word, literal=False) for word in (text or source.text).split()]
            return [fields[0], *words, *fields[index + (1 if text else 2) :]]
        if field.text[:1] != "-":
            return []
    return []

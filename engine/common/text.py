"""Text from agents and guests: kept apart by type, and made visible before anyone sees it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from engine.common.unicode.repertoire import hidden, outside


@dataclass(frozen=True, slots=True, order=True)
class Untrusted:
    """Text that an agent or a guest wrote. It is no `str`, so a type checker refuses it where text is shown.

    `visible(untrusted)` is the one way to a terminal; `.text` is for code that computes.
    """

    text: str

    def __bool__(self) -> bool:
        return bool(self.text)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        made = core_schema.no_info_after_validator_function(cls, core_schema.str_schema(strict=True))
        given = core_schema.union_schema([core_schema.is_instance_schema(cls), made])
        return core_schema.no_info_after_validator_function(
            _encodable,
            core_schema.json_or_python_schema(json_schema=made, python_schema=given),
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda value: value.text, return_schema=core_schema.str_schema()
            ),
        )


def _encodable(value: Untrusted) -> Untrusted:
    try:
        value.text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"not valid Unicode text: lone surrogate at character {error.start}") from None
    return value


def visible(value: Untrusted | str, *, keep: str = "") -> str:
    """Return `value` for a screen: every character outside the repertoire of the display is a mark.

    Control characters become control pictures (ESC is `␛`), all others their number: `⟨202E⟩`. What is left
    has one width in every terminal, and stands where it was written. Characters in `keep` (say, `"\\n\\t"`)
    pass as they are. Source: Trojan Source, CVE-2021-42574; `engine.common.unicode.repertoire`.
    """
    text = value.text if isinstance(value, Untrusted) else value
    return text if text.isascii() and text.isprintable() else _marked(outside(), text, keep)


def mark_hidden(value: Untrusted | str, *, keep: str = "") -> str:
    """Return `value` for a program: only what nobody sees, or what steers a terminal, is a mark.

    Languages of every direction and emoji stay text.
    """
    text = value.text if isinstance(value, Untrusted) else value
    return text if text.isascii() and text.isprintable() else _marked(hidden(), text, keep)


def _marked(pattern: re.Pattern[str], text: str, keep: str) -> str:
    return pattern.sub(lambda match: match[0] if match[0] in keep else _stand_in(match[0]), text)


def mark(character: str) -> str:
    """Return the visible stand-in of one character, or the character itself where it needs none."""
    return _stand_in(character) if is_marked(character) else character


def is_marked(character: str) -> bool:
    """Return whether a character is displayed as a mark."""
    if character.isascii():
        return not character.isprintable()
    return outside().match(character) is not None


def _stand_in(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"\u27e8{code:04X}\u27e9"


def many(count: int, thing: str) -> str:
    """Return a count in words: `1 line`, `2 lines`."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"

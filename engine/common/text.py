"""Text from agents and guests: kept apart by type, and made visible before anyone sees it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema


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
    """Return `value` with every character that could move, hide, colour or reorder text shown as a mark.

    Control characters become control pictures (ESC is `␛`); bidirectional, zero-width, blank, tag, private
    and surrogate characters become `⟨202E⟩`. Characters in `keep` (say, `"\\n\\t"`) pass as they are.
    Source: Trojan Source, CVE-2021-42574.
    """
    text = value.text if isinstance(value, Untrusted) else value
    if text.isascii() and text.isprintable():
        return text
    return _SUSPECT.sub(lambda match: match[0] if match[0] in keep else mark(match[0]), text)


def mark(character: str) -> str:
    """Return the visible stand-in of one character, or the character itself where it needs none."""
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if is_deceptive(character):
        return f"\u27e8{code:04X}\u27e9"
    return character


def is_deceptive(character: str) -> bool:
    """Return whether a character is invisible, reorders its neighbours, or steers a terminal."""
    return bool(_SUSPECT.match(character))


def _suspect_pattern() -> re.Pattern[str]:
    blanks = "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
    spaces = "".join(chr(code) for code in range(0x80, 0x3001) if unicodedata.category(chr(code)) == "Zs")
    ranges = (
        "\x00-\x1f\x7f-\x9f"
        "\u061c\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff0-\ufffb"
        "\ud800-\udfff\ue000-\uf8ff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
        "\U000e0000-\U000e0fff\U000f0000-\U0010ffff"
    )
    return re.compile(f"[{ranges}{blanks}{spaces}]")


_SUSPECT = _suspect_pattern()


def many(count: int, thing: str) -> str:
    """Return a count in words: `1 line`, `2 lines`."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"

"""Text that gives instructions to an agent: in strings, comments, output, exceptions and file names.

The message never repeats that text, for the agent reads the message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from engine.analysis.positions import Lines
from engine.analysis.text.rules import INSTRUCTION
from engine.models import Violation

_MOST = 20
_GAP = r"(?:[^\w()\[\]{}=]|_){1,12}"
"""What may stand between two words: also a quote, a plus sign and another quote, or an underscore."""


class _Phrase(NamedTuple):
    """A phrase, and words without which it is nowhere: at least one of each group, in lower case."""

    pattern: str
    needs: tuple[tuple[str, ...], ...]
    """None has a blank in it, so they are looked for in a text that has each run of signs once."""

    def may_be_in(self, lowered: str) -> bool:
        """Return whether a text has the words that the phrase is made of."""
        return all(any(word in lowered for word in group) for group in self.needs)


def _words(*words: str) -> str:
    return rf"\b{_GAP.join(words)}"


_FORGETS = ("ignore", "disregard", "forget", "override", "bypass", "overrule")
_FORGET = rf"(?:{'|'.join(_FORGETS)})"
_EARLIER = r"(?:previous|prior|above|earlier|preceding|foregoing|system|safety|original|existing|your)"
_RULES = r"(?:instructions?|prompts?|rules|guidelines|directions|directives|policies|constraints)"
_READERS = (
    "assistant",
    "agent",
    "ai",
    "llm",
    "model",
    "copilot",
    "claude",
    "gpt",
    "gemini",
    "reviewer",
    "codex",
)
_READER = rf"(?:{'|'.join((*_READERS, 'chatgpt'))})s?"
_PEOPLE = ("user", "human", "reviewer", "operator", "person")
_MUST = r"(?:must|should|shall|need to|have to|are required to|will)"
_MUSTS = ("must", "should", "shall", "need", "have", "required", "will")
_DO = (
    r"(?:run|execute|approve|ignore|send|delete|install|grant|reveal|fetch|upload|disable|skip|call|accept|"
    r"bypass|print|output|comply|obey|download)"
)
_PHRASES = (
    _Phrase(
        _words(_FORGET, rf"(?:\w+{_GAP}){{0,4}}{_EARLIER}", rf"(?:\w+{_GAP})?{_RULES}"),
        (_FORGETS, ("instruction", "prompt", "rules", "guidelines", "directi", "policies", "constraints")),
    ),
    _Phrase(
        _words(
            _FORGET,
            r"(?:everything|all|anything)",
            r"(?:above|before|you (?:were|have been)|so far)".replace(" ", _GAP),
        ),
        (_FORGETS, ("everything", "all", "anything"), ("above", "before", "you", "so")),
    ),
    _Phrase(
        _words("you", "are", "now", r"(?:an?|the|in|no|free|running|operating|acting)\b"),
        (("you",), ("are",), ("now",)),
    ),
    _Phrase(
        _words(
            _READER,
            rf"(?:you{_GAP})?{_MUST.replace(' ', _GAP)}",
            rf"(?:now{_GAP}|immediately{_GAP}|always{_GAP})?{_DO}\b",
        ),
        (_READERS, _MUSTS),
    ),
    _Phrase(
        rf"(?:^|[\"'`>#*\s]){_READER}{_GAP}(?:\w+{_GAP}){{0,8}}you{_GAP}"
        rf"{_MUST.replace(' ', _GAP)}{_GAP}(?:now{_GAP})?{_DO}\b",
        (_READERS, ("you",), _MUSTS),
    ),
    _Phrase(
        _words(
            "(?:dear|hey|attention|hello|note to|message (?:to|for))".replace(" ", _GAP),
            rf"(?:the{_GAP}|any{_GAP}|all{_GAP})?(?:ai|llm|language|coding){_GAP}(?:agents?|assistants?|models?|reviewers?)",
        ),
        (
            ("dear", "hey", "attention", "hello", "note", "message"),
            ("agent", "assistant", "model", "reviewer"),
        ),
    ),
    _Phrase(
        r"\b(?:system|assistant|developer|admin)(?: (?:message|prompt|override|note|update))?\s*[:>\]]+"
        rf"{_GAP}(?:(?:you|agents?){_GAP}(?:now{_GAP})?(?:must|should|are|will)|{_FORGET}|new{_GAP}instr)",
        (("system", "assistant", "developer", "admin"), ("you", "agent", "new", *_FORGETS)),
    ),
    _Phrase(
        _words(
            rf"(?:do{_GAP}not|don.{{1,3}}t|never)",
            r"(?:tell|inform|mention|notify|alert|ask|warn|reveal)",
            rf"(?:\w+{_GAP}){{0,4}}(?:user|human|reviewer|operator|person)\b",
        ),
        (
            ("not", "don", "never"),
            ("tell", "inform", "mention", "notify", "alert", "ask", "warn", "reveal"),
            _PEOPLE,
        ),
    ),
    _Phrase(
        _words(
            "without",
            r"(?:asking|telling|informing|notifying|waiting for|confirmation from)".replace(" ", _GAP),
            rf"(?:the{_GAP}|a{_GAP}|any{_GAP})?(?:user|human|reviewer|operator|anyone|person)\b",
        ),
        (("without",), (*_PEOPLE, "anyone")),
    ),
    _Phrase(
        _words(
            r"(?:approve|accept|grant|allow)",
            r"(?:this|the|every|all)",
            rf"(?:\w+{_GAP})?(?:submission|request|code|run|permission|script|change)s?",
            r"(?:without|immediately|automatically|now|at once)\b".replace(" ", _GAP),
        ),
        (("approve", "accept", "grant", "allow"), ("without", "immediately", "automatically", "now", "once")),
    ),
    _Phrase(
        _words(
            "new", "(?:system )?instructions?".replace(" ", _GAP), rf"(?:for|to){_GAP}(?:the{_GAP})?{_READER}"
        ),
        (("new",), ("instruction",)),
    ),
    _Phrase(
        _words(
            r"(?:reveal|print|output|repeat|show)",
            r"(?:me )?(?:your|the)".replace(" ", _GAP),
            rf"(?:system{_GAP}prompt|hidden{_GAP}prompt|initial{_GAP}instructions)",
        ),
        (("system", "hidden", "initial"), ("prompt", "instructions")),
    ),
    _Phrase(
        r"<\|?(?:im_start|im_end|endoftext|system|begin_of_text|start_header_id)\|?>",
        (("<",), ("im_start", "im_end", "endoftext", "system", "begin_of_text", "start_header_id")),
    ),
    _Phrase(
        r"\[/?INST\]|<</?SYS>>|</?(?:system|system-reminder|system_prompt|function_results?|tool_results?|tool_response)>",
        (("inst]", "sys>>", "system", "function_result", "tool_res"),),
    ),
    _Phrase(r"(?m:^)[^\w\n]{0,8}#{2,4} ?(?:system|instruction)s?:\s", (("##",), ("system", "instruction"))),
)
_ALL = tuple(phrase.pattern for phrase in _PHRASES)


def check(source: str, lines: Lines) -> Iterator[Violation]:
    """Yield the places at which the text speaks to whoever reads it on a model's behalf."""
    patterns = _possible(source)
    if not patterns:
        return
    for match, _ in zip(_joined(patterns).finditer(source), range(_MOST), strict=False):
        yield INSTRUCTION.violation(
            lines.span(*match.span()), "Text that speaks to the agent that reads it, and tells it what to do"
        )


def _possible(source: str) -> tuple[str, ...]:
    """Return the phrases that can be in a text. Case beyond ASCII is left to the regular expressions."""
    if not source.isascii():
        return _ALL
    once = "\n".join(set(source.lower().split()))
    return tuple(phrase.pattern for phrase in _PHRASES if phrase.may_be_in(once))


@lru_cache(maxsize=64)
def _joined(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)

"""Text that gives instructions to an agent: in strings, comments, output, exceptions and file names.

The message never repeats that text, for the agent reads the message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis.positions import Lines
from engine.analysis.text.rules import INSTRUCTION
from engine.models import Violation

_MOST = 20
_GAP = r"(?:[^\w()\[\]{}=]|_){1,12}"
"""What may stand between two words: also a quote, a plus sign and another quote, or an underscore."""


def _phrase(*words: str) -> str:
    return rf"\b{_GAP.join(words)}"


_FORGET = r"(?:ignore|disregard|forget|override|bypass|overrule)"
_EARLIER = r"(?:previous|prior|above|earlier|preceding|foregoing|system|safety|original|existing|your)"
_RULES = r"(?:instructions?|prompts?|rules|guidelines|directions|directives|policies|constraints)"
_READER = r"(?:assistant|agent|ai|llm|model|copilot|claude|gpt|chatgpt|gemini|reviewer|codex)s?"
_MUST = r"(?:must|should|shall|need to|have to|are required to|will)"
_DO = (
    r"(?:run|execute|approve|ignore|send|delete|install|grant|reveal|fetch|upload|disable|skip|call|accept|"
    r"bypass|print|output|comply|obey|download)"
)
_PHRASES = (
    _phrase(
        _FORGET,
        rf"(?:\w+{_GAP}){{0,4}}{_EARLIER}",
        rf"(?:\w+{_GAP})?{_RULES}",
    ),
    _phrase(
        _FORGET,
        r"(?:everything|all|anything)",
        r"(?:above|before|you (?:were|have been)|so far)".replace(" ", _GAP),
    ),
    _phrase("you", "are", "now", r"(?:an?|the|in|no|free|running|operating|acting)\b"),
    _phrase(
        _READER,
        rf"(?:you{_GAP})?{_MUST.replace(' ', _GAP)}",
        rf"(?:now{_GAP}|immediately{_GAP}|always{_GAP})?{_DO}\b",
    ),
    _phrase(
        "(?:dear|hey|attention|hello|note to|message (?:to|for))".replace(" ", _GAP),
        rf"(?:the{_GAP}|any{_GAP}|all{_GAP})?(?:ai|llm|language|coding){_GAP}(?:agents?|assistants?|models?|reviewers?)",
    ),
    (
        r"\b(?:system|assistant|developer|admin)(?: (?:message|prompt|override|note|update))?\s*[:>\]]+"
        rf"{_GAP}(?:(?:you|agents?){_GAP}(?:now{_GAP})?(?:must|should|are|will)|{_FORGET}|new{_GAP}instr)"
    ),
    _phrase(
        "do",
        "not",
        r"(?:tell|inform|mention|notify|alert|ask|warn|reveal)",
        rf"(?:\w+{_GAP}){{0,4}}(?:user|human|reviewer|operator|person)\b",
    ),
    _phrase(
        "without",
        r"(?:asking|telling|informing|notifying|waiting for|confirmation from)".replace(" ", _GAP),
        rf"(?:the{_GAP}|a{_GAP}|any{_GAP})?(?:user|human|reviewer|operator|anyone|person)\b",
    ),
    _phrase(
        r"(?:approve|accept|grant|allow)",
        r"(?:this|the|every|all)",
        rf"(?:\w+{_GAP})?(?:submission|request|code|run|permission|script|change)s?",
        r"(?:without|immediately|automatically|now|at once)\b".replace(" ", _GAP),
    ),
    _phrase(
        "new", "(?:system )?instructions?".replace(" ", _GAP), rf"(?:for|to){_GAP}(?:the{_GAP})?{_READER}"
    ),
    _phrase(
        r"(?:reveal|print|output|repeat|show)",
        r"(?:me )?(?:your|the)".replace(" ", _GAP),
        rf"(?:system{_GAP}prompt|hidden{_GAP}prompt|initial{_GAP}instructions)",
    ),
    r"<\|?(?:im_start|im_end|endoftext|system|begin_of_text|start_header_id)\|?>",
    r"\[/?INST\]|<</?SYS>>|</?(?:system|system-reminder|system_prompt|function_results?|tool_results?|tool_response)>",
    r"(?m)^\W*#{2,4} ?(?:system|instruction)s?:\s",
)
_INSTRUCTION = re.compile("|".join(f"(?:{phrase.replace('(?m)', '')})" for phrase in _PHRASES), re.IGNORECASE)
_HINT = re.compile(
    r"(?i)ignor|disregard|forget|overrid|overrul|bypass|you\W|assistant|agent|system|without|approve|accept|grant|allow|"
    r"instruct|\[/?inst|<\||reveal|not\W"
)


def check(source: str, lines: Lines) -> Iterator[Violation]:
    """Yield the places at which the text speaks to whoever reads it on a model's behalf."""
    if not _HINT.search(source):
        return
    for match, _ in zip(_INSTRUCTION.finditer(source), range(_MOST), strict=False):
        yield INSTRUCTION.violation(
            lines.span(*match.span()), "Text that speaks to the agent that reads it, and tells it what to do"
        )

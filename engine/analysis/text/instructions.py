"""Text that gives instructions to an agent: in strings, comments, output, exceptions and file names.

The message never repeats that text, for the agent reads the message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import NamedTuple

from engine.analysis.positions import Lines
from engine.analysis.python.word_lists import words
from engine.analysis.text.rules import INSTRUCTION
from engine.models import Violation

_MOST = 20
_GAP = r"(?:[^\w()\[\]{}=]|_){1,12}"
"""What may stand between two words: also a quote, a plus sign and another quote, or an underscore."""


class _Parts(NamedTuple):
    """A text in lower case, and its words."""

    text: str
    words: frozenset[str]


class _Phrase(NamedTuple):
    """A phrase, and what must be in a text that has it: at least one of each group, in lower case."""

    pattern: str
    words: tuple[tuple[str, ...], ...]
    """Whole words: what stands before and behind is no letter and no digit."""
    parts: tuple[tuple[str, ...], ...] = ()
    """Parts of words, and signs."""
    leads: bool = True
    """Whether the phrase begins with one of the first group of words."""

    def may_be_in(self, text: _Parts) -> bool:
        """Return whether a text has the words and the parts that the phrase is made of."""
        return all(not text.words.isdisjoint(group) for group in self.words) and all(
            any(part in text.text for part in group) for group in self.parts
        )

    def search(self, text: str, start: int) -> re.Match[str] | None:
        """Return where the phrase is first, from `start` on."""
        pattern = _compiled(self.pattern)
        if not self.leads:
            return pattern.search(text, start)
        first = _compiled("|".join(self.words[0])).finditer(text, start)
        return next((match for word in first if (match := pattern.match(text, word.start()))), None)


def _phrase(*words: str) -> str:
    return rf"\b{_GAP.join(words)}"


_FORGETS = ("ignore", "disregard", "forget", "override", "bypass", "overrule")
_FORGET = rf"(?:{'|'.join(_FORGETS)})"
_FORMER = words("""previous prior above earlier preceding foregoing system safety original existing your""")
_EARLIER = rf"(?:{'|'.join(_FORMER)})"
_RULES = r"(?:instructions?|prompts?|rules|guidelines|directions|directives|policies|constraints)"
_READERS = words("""assistant agent ai llm model copilot claude gpt gemini reviewer codex chatgpt""")
_READER = rf"(?:{'|'.join(_READERS)})s?"
_READ = (*_READERS, *(f"{reader}s" for reader in _READERS))
_PEOPLE = ("user", "human", "reviewer", "operator", "person")
_MUST = r"(?:must|should|shall|need to|have to|are required to|will)"
_MUSTS = ("must", "should", "shall", "need", "have", "required", "will")
_DONE = words(
    """run execute approve ignore send delete install grant reveal fetch upload disable skip call accept
    bypass print output comply obey download"""
)
_DO = rf"(?:{'|'.join(_DONE)})"
PHRASES = (
    _Phrase(
        _phrase(_FORGET, rf"(?:\w+{_GAP}){{0,4}}{_EARLIER}", rf"(?:\w+{_GAP})?{_RULES}"),
        (_FORGETS, _FORMER),
        (("instruction", "prompt", "rules", "guidelines", "directi", "policies", "constraints"),),
    ),
    _Phrase(
        _phrase(
            _FORGET,
            r"(?:everything|all|anything)",
            r"(?:above|before|you (?:were|have been)|so far)".replace(" ", _GAP),
        ),
        (_FORGETS, ("everything", "all", "anything")),
        (("above", "before", "you", "so"),),
    ),
    _Phrase(
        _phrase("you", "are", "now", r"(?:an?|the|in|no|free|running|operating|acting)\b"),
        (("you",), ("are",), ("now",)),
    ),
    _Phrase(
        _phrase(
            _READER,
            rf"(?:you{_GAP})?{_MUST.replace(' ', _GAP)}",
            rf"(?:now{_GAP}|immediately{_GAP}|always{_GAP})?{_DO}\b",
        ),
        (_READ, _MUSTS, _DONE),
    ),
    _Phrase(
        rf"(?:^|[\"'`>#*\s]){_READER}{_GAP}(?:\w+{_GAP}){{0,8}}you{_GAP}"
        rf"{_MUST.replace(' ', _GAP)}{_GAP}(?:now{_GAP})?{_DO}\b",
        (_READ, ("you",), _MUSTS, _DONE),
        leads=False,
    ),
    _Phrase(
        _phrase(
            "(?:dear|hey|attention|hello|note to|message (?:to|for))".replace(" ", _GAP),
            rf"(?:the{_GAP}|any{_GAP}|all{_GAP})?(?:ai|llm|language|coding){_GAP}(?:agents?|assistants?|models?|reviewers?)",
        ),
        (
            ("dear", "hey", "attention", "hello", "note", "message"),
            ("ai", "llm", "language", "coding"),
        ),
        (("agent", "assistant", "model", "reviewer"),),
    ),
    _Phrase(
        r"\b(?:system|assistant|developer|admin)(?: (?:message|prompt|override|note|update))?\s*[:>\]]+"
        rf"{_GAP}(?:(?:you|agents?){_GAP}(?:now{_GAP})?(?:must|should|are|will)|{_FORGET}|new{_GAP}instr)",
        (("system", "assistant", "developer", "admin"),),
        (("you", "agent", "new", *_FORGETS),),
    ),
    _Phrase(
        _phrase(
            rf"(?:do{_GAP}not|don.{{1,3}}t|never)",
            r"(?:tell|inform|mention|notify|alert|ask|warn|reveal)",
            rf"(?:\w+{_GAP}){{0,4}}(?:user|human|reviewer|operator|person)\b",
        ),
        (("tell", "inform", "mention", "notify", "alert", "ask", "warn", "reveal"), _PEOPLE),
        (("not", "don", "never"),),
        leads=False,
    ),
    _Phrase(
        _phrase(
            "without",
            r"(?:asking|telling|informing|notifying|waiting for|confirmation from)".replace(" ", _GAP),
            rf"(?:the{_GAP}|a{_GAP}|any{_GAP})?(?:user|human|reviewer|operator|anyone|person)\b",
        ),
        (("without",), (*_PEOPLE, "anyone")),
    ),
    _Phrase(
        _phrase(
            r"(?:approve|accept|grant|allow)",
            r"(?:this|the|every|all)",
            rf"(?:\w+{_GAP})?(?:submission|request|code|run|permission|script|change)s?",
            r"(?:without|immediately|automatically|now|at once)\b".replace(" ", _GAP),
        ),
        (("approve", "accept", "grant", "allow"), ("without", "immediately", "automatically", "now", "once")),
    ),
    _Phrase(
        _phrase(
            "new", "(?:system )?instructions?".replace(" ", _GAP), rf"(?:for|to){_GAP}(?:the{_GAP})?{_READER}"
        ),
        (("new",), ("instruction", "instructions"), ("for", "to")),
    ),
    _Phrase(
        _phrase(
            r"(?:reveal|print|output|repeat|show)",
            r"(?:me )?(?:your|the)".replace(" ", _GAP),
            rf"(?:system{_GAP}prompt|hidden{_GAP}prompt|initial{_GAP}instructions)",
        ),
        (("reveal", "print", "output", "repeat", "show"), ("system", "hidden", "initial")),
        (("prompt", "instructions"),),
    ),
    _Phrase(
        r"<\|?(?:im_start|im_end|endoftext|system|begin_of_text|start_header_id)\|?>",
        (),
        (("<",), ("im_start", "im_end", "endoftext", "system", "begin_of_text", "start_header_id")),
        leads=False,
    ),
    _Phrase(
        r"\[/?inst\]|<</?sys>>|</?(?:system|system-reminder|system_prompt|function_results?|tool_results?|tool_response)>",
        (),
        (("inst]", "sys>>", "system", "function_result", "tool_res"),),
        leads=False,
    ),
    _Phrase(
        r"(?m:^)[^\w\n]{0,8}#{2,4} ?(?:system|instruction)s?:\s",
        (("system", "systems", "instruction", "instructions"),),
        (("##",),),
        leads=False,
    ),
)
_WORD = re.compile(r"[^\W_]+")
_BETWEEN = {code: " " for code in range(128) if not chr(code).isalnum()}
"""What stands between the words of a text in ASCII, as a table for `str.translate`."""


def check(source: str, lines: Lines) -> Iterator[Violation]:
    """Yield the places at which the text speaks to whoever reads it on a model's behalf."""
    for match in islice(_matches(folded(source)), _MOST):
        yield INSTRUCTION.violation(
            lines.span(*match.span()), "Text that speaks to the agent that reads it, and tells it what to do"
        )


def folded(source: str) -> str:
    """Return a text in lower case, of the same length: also what case folding takes for a letter of ASCII."""
    lowered = source.replace("\u0130", "i").lower()
    return lowered if lowered.isascii() else lowered.replace("\u0131", "i").replace("\u017f", "s")


def _matches(text: str) -> Iterator[re.Match[str]]:
    """Yield the phrases in a text of lower case in their order; none begins within another."""
    parts = _Parts(text, _words(text))
    phrases = [phrase for phrase in PHRASES if phrase.may_be_in(parts)]
    end = 0
    while found := [match for phrase in phrases if (match := phrase.search(text, end))]:
        first = min(found, key=re.Match.start)
        yield first
        end = first.end()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.translate(_BETWEEN).split() if text.isascii() else _WORD.findall(text))


_compiled = cache(re.compile)

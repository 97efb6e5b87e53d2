"""The rules of text."""

from __future__ import annotations

from engine.analysis.rule import Rule
from engine.models import Confidence, Language, Level

_EVERY = frozenset(Language)


def _rule(  # noqa: PLR0913 - a record
    name: str,
    title: str,
    severity: Level,
    *,
    attack: str,
    why: str,
    fix: str,
    match: tuple[str, ...],
    not_match: tuple[str, ...],
    cwe: int = 1007,
    category: str = "trojan_source",
    languages: frozenset[Language] = _EVERY,
    confidence: Confidence = Confidence.HIGH,
) -> Rule:
    return Rule(
        id=name, title=title, category=category, severity=severity, languages=languages, attack=attack,
        why=why, fix=fix, match=match, not_match=not_match, confidence=confidence, cwe=cwe,
        owasp="LLM05:2025",
    )  # fmt: skip


BIDI = _rule(
    "text-bidi",
    "Reorders the text on the screen",
    Level.HIGH,
    attack="Shows a comment where there is code, or the other way round (CVE-2021-42574).",
    why="HIGH: source code needs no bidirectional control characters; LOW for the plain direction marks.",
    fix="Remove the character, or write it as an escape.",
    match=("x = 'a\u202e\u2066b'", "msg='\u2067'; exit"),
    not_match=("x = 'abc'", "echo 'مرحبا بالعالم'"),
    cwe=94,
)
INVISIBLE = _rule(
    "text-invisible",
    "Contains characters that cannot be seen",
    Level.HIGH,
    attack="Makes two names, or two texts, that look the same and are not; or carries text that nobody sees.",
    why="HIGH inside names and for tag characters; MEDIUM between other characters; emoji are left alone.",
    fix="Remove the character, or write it as an escape.",
    match=("is\u200bAdmin = 1", "x = '\U000e0041\U000e0042'", "a\u2060b"),
    not_match=("x = '👩\u200d💻'", "isAdmin = 1", "x = 'می\u200cخواهم'"),
)
HOMOGLYPH = _rule(
    "text-homoglyph",
    "Mixes letters that look alike",
    Level.HIGH,
    attack="Defines a second function whose name looks like a trusted one (UTS #39, CVE-2021-42694).",
    why="HIGH: no alphabet is mixed within one name by accident; MEDIUM inside texts and comments.",
    fix="Write the name in one alphabet.",
    match=("sayНello = 1", "if x: аdmin = 1", "environmentǃ=1"),
    not_match=("sayHello = 1", "Δx = 1", "ρ_max = 2", "имя = 1"),
)
LOOKALIKE = _rule(
    "text-lookalike-name",
    "Has a name in another alphabet that reads as a Latin one",
    Level.MEDIUM,
    attack="Takes the place of a known name letter by letter.",
    why="MEDIUM: the name may be an honest word of another language.",
    fix="Write the name in the alphabet of the names around it.",
    match=("хоре = 1", "ѕсоре = 2"),
    not_match=("имя = 1", "scope = 2", "α = 1"),
    confidence=Confidence.MEDIUM,
)
FOLDED = _rule(
    "text-folded-name",
    "Writes a plain name in unusual letters",
    Level.HIGH,
    attack="Python reads 𝓮𝔁𝓮𝓬 and ｅｘｅｃ as exec, while a search for exec finds nothing.",
    why="HIGH: such letters in a name have no purpose but to escape a search.",
    fix="Write the name in plain letters.",
    match=("𝓮𝔁𝓮𝓬('x')", "ｅｖａｌ('x')"),
    not_match=("exec_it = 1", "x = 'ｅｖａｌ'", "µ = 1", "x² = 1", "'''\nE = mc²\n'''"),
    category="obfuscation",
    cwe=506,
)
BLANK_NAME = _rule(
    "text-blank-name",
    "Has a name that looks like a blank",
    Level.HIGH,
    attack="Hides a parameter or a variable in what looks like white space.",
    why="HIGH: a letter without a shape has no honest use in code.",
    fix="Remove it.",
    match=("const { timeout,\u3164} = q", "x\uffa0 = 1"),
    not_match=("const { timeout } = q", "x = '\u3000'"),
)
CONTROL = _rule(
    "text-control",
    "Contains control characters",
    Level.HIGH,
    attack="Moves the cursor or erases what was printed, so that `cat` shows other code than runs.",
    why="HIGH: an editor does not produce them; MEDIUM for those that do nothing on a terminal.",
    fix="Write the character as an escape.",
    match=("x = 1 # \x1b[2K", "rm -rf x\recho ok", "x = '\x08'", "x = '\x00'"),
    not_match=("x = 1\r\ny = 2\r\n", "x = '\\x1b'", "\tx = 1"),
    cwe=150,
)
READINGS = _rule(
    "text-two-readings",
    "Two readers take this text differently",
    Level.HIGH,
    attack="Hides code where the reviewer sees a comment or a blank, and the interpreter does not.",
    why="HIGH: what was read may not be what would run; nothing about this code counts as proven.",
    fix="Use line feeds as line ends, spaces and tabs as blanks, and UTF-8 as the encoding.",
    match=("x = 1\x0cy = 2", "x = 1\ry = 2", "echo ok \x0b#x", "x = 1 // a\u2028y = 2"),
    not_match=("x = 1\r\ny = 2", "x = 1\n\ty = 2\n", "# -*- coding: utf-8 -*-\nx = 1", "echo ok # fine"),
    cwe=436,
)
SEPARATOR = _rule(
    "text-line-separator",
    "Ends a line with a character that few editors show",
    Level.MEDIUM,
    attack="Ends a comment early: JavaScript goes on after U+2028 where the reader still sees a comment.",
    why="MEDIUM: HIGH in JavaScript, where the character ends a line of code.",
    fix="Use a plain line end, or write the character as an escape.",
    match=("x = 1 // a\u2028y = 2", "# a\u0085b"),
    not_match=("x = 1\ny = 2",),
)
LONG_LINE = _rule(
    "text-long-line",
    "Has a very long line",
    Level.MEDIUM,
    attack="Puts the payload where nobody scrolls.",
    why="MEDIUM from 3,000 characters on; LOW from 1,000.",
    fix="Break the line; send data as an input file.",
    match=("x = '" + "ab" * 2000 + "'",),
    not_match=("x = '" + "ab" * 100 + "'",),
    category="obfuscation",
    cwe=506,
)
FAR_RIGHT = _rule(
    "text-far-right",
    "Has code far to the right, behind blanks",
    Level.HIGH,
    attack="Puts the payload behind so many blanks that it stands outside of the window.",
    why="HIGH: nobody types eighty blanks in the middle of a line.",
    fix="Move it to a line of its own.",
    match=("x = 1;" + " " * 120 + "y = 2",),
    not_match=("x = 1" + " " * 30 + "# why", "x = 1" + " " * 200, "x = 1" + " " * 100 + "# far"),
    category="obfuscation",
    cwe=506,
)
FAR_DOWN = _rule(
    "text-far-down",
    "Has code far down, behind empty lines",
    Level.MEDIUM,
    attack="Puts the payload where the reader believes that the file has ended.",
    why="MEDIUM from 40 empty lines on; HIGH from 100.",
    fix="Remove the empty lines.",
    match=("x = 1" + "\n" * 60 + "y = 2",),
    not_match=("x = 1" + "\n" * 5 + "y = 2", "x = 1" + "\n" * 80),
    category="obfuscation",
    cwe=506,
)
SHEBANG = _rule(
    "text-shebang",
    "Its first line names another language",
    Level.MEDIUM,
    attack="Is analysed as one language and run as another.",
    why="MEDIUM: the declared language decides what runs here, but somebody is mistaken.",
    fix="Declare the language that the code is written in.",
    match=("#!/usr/bin/env ruby\n1", "#!/usr/bin/perl\n1"),
    not_match=("x = 1", "# !/usr/bin/perl"),
    cwe=436,
)
COOKIE = _rule(
    "text-encoding-cookie",
    "Declares an encoding that changes what the code says",
    Level.HIGH,
    attack="Lets the interpreter decode harmless-looking text (UTF-7, rot13) into other code.",
    why="HIGH: code that is no UTF-8 is another code than the one that is shown.",
    fix="Write UTF-8 and remove the line.",
    match=("# -*- coding: utf-7 -*-\nx = 1", "#!/usr/bin/python\n# coding=rot13\nx = 1"),
    not_match=("# -*- coding: utf-8 -*-\nx = 1", "x = 'coding: rot13'"),
    languages=frozenset({Language.PYTHON}),
    cwe=176,
)
SUPPRESSION = _rule(
    "text-suppression",
    "A comment asks analysers to be silent",
    Level.LOW,
    attack="Asks tools to look away from the line.",
    why="LOW: shown, and not obeyed.",
    fix="Remove the comment.",
    match=(
        "f(1) // nosemgrep",
        "f(1) // NOSONAR",
        "/* eslint-disable */ f(1)",
        "f 1 # shellcheck disable=SC2086",
    ),
    not_match=("f(1) // no second try", "f 1 # shell checks are disabled"),
    category="unreadable",
    languages=frozenset({Language.JAVASCRIPT, Language.SHELL}),
    cwe=693,
)
RULES: tuple[Rule, ...] = (
    BIDI, INVISIBLE, HOMOGLYPH, LOOKALIKE, FOLDED, BLANK_NAME, CONTROL, READINGS, SEPARATOR, LONG_LINE,
    FAR_RIGHT, FAR_DOWN, SHEBANG, COOKIE, SUPPRESSION,
)  # fmt: skip

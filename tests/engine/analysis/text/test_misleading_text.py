"""Text that is drawn otherwise than it is read is a violation where it misleads, and only there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis import analyse
from engine.analysis.positions import Lines
from engine.analysis.text.prose import Prose
from engine.models import Language, Level, Violation

PYTHON, JAVASCRIPT, SHELL = Language.PYTHON, Language.JAVASCRIPT, Language.SHELL
ENGLAND = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
INVISIBLE_IN_NAMES = (
    "\U0001107f\U00016fe4\u2d7f\U0001d159\u034f\u180b\u180e\u2060\u200b\ufe00\ufe0f\U00013430\U00013438\U000e0101"
    "\u17b4\u2061\u206a\ufeff\u00ad\U0001bca0"
)


def found(code: str, language: Language = PYTHON) -> list[Violation]:
    """Return the violations about the text of a code."""
    return [each for each in analyse(code, language).violations if each.rule.startswith("text-")]


def worst(code: str, language: Language = PYTHON) -> Level | None:
    """Return the severity of the gravest of them."""
    return max((each.severity for each in found(code, language)), key=lambda level: level.rank, default=None)


@pytest.mark.parametrize("character", INVISIBLE_IN_NAMES, ids=lambda character: f"{ord(character):X}")
@pytest.mark.parametrize("language", Language)
def test_an_invisible_character_in_a_name_is_high(character: str, language: Language) -> None:
    """Two names that look the same are never "nothing found"."""
    assert Level.HIGH is worst(f"paid=1\npaid{character}=2\n", language)
    assert Level.HIGH is worst(f"p{character}aid=1\n", language)


@pytest.mark.parametrize(
    "code",
    ["paid\u0338 = 1", "paid\u0301 = 1", "имя\u0306 = 1", "Δ\u0307 = 1", "x\u20d7 = 1", "a\u0360b = 1",
     "λ\u0345 = 1", "const a\u200d = 1", "f(e\u0301)", "x.nam\u0323e", "f'{nam\u0323e}'", "漢\u3099 = 1"],
)  # fmt: skip
def test_a_combining_character_in_a_name_is_high(code: str) -> None:
    """Also in code within a string."""
    assert Level.HIGH is worst(code)


@pytest.mark.parametrize(
    "text",
    ["👨🏽×10", "5👍🏽", "क्षि 500", "நி×100", "🇩🇪 10", "👩\u200d💻7", "1️⃣0", "กี่ 20", "e\u0301\u03019",
     "⚠\ufe0f3", "3👨\u200d👩\u200d👧", f"{ENGLAND}5",
     "ស្រី 40", "한\u11a85", "한ᄀ5", "௹ி7"],
)  # fmt: skip
def test_digits_beside_joined_text_are_medium(text: str) -> None:
    """A terminal that counts otherwise could cover them."""
    assert Level.MEDIUM is worst(f'note = "{text}"; total = 1')
    assert Level.MEDIUM is worst(f"total = 1  # {text}")


@pytest.mark.parametrize(
    ("severity", "code"),
    [
        (Level.HIGH, "א = ב - ג"),
        (Level.HIGH, "def خروج(): pass"),
        (Level.HIGH, "x = ٣"),
        (Level.HIGH, "print(f'{א}')"),
        (Level.HIGH, "ߊ = 1"),
        (Level.HIGH, "ܐ = 1"),
        (Level.HIGH, "ދ = 1"),
        (Level.HIGH, "𞤀 = 1"),
        (Level.HIGH, "if role != 'user' and א: pass"),
        (Level.MEDIUM, "x = 'שלום' + 5"),
        (Level.MEDIUM, "x = {'שלום': 5}"),
        (Level.MEDIUM, "x = ('א', 'ב')"),
        (Level.MEDIUM, "pay('ב', 100)"),
        (Level.MEDIUM, "x = 'סכום 100'"),
        (Level.MEDIUM, "# المبلغ 100"),
    ],
)
def test_letters_that_reorder_what_is_beside_them_are_marked(severity: Level, code: str) -> None:
    """Names are HIGH, digits and code beside text MEDIUM."""
    assert severity is worst(code)


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ('"""Solves XᵀWX β = XᵀWy, with β₂x² and H₂O in µs: ∑ᵢ αᵢ ≤ 1."""\nx = 1\n', PYTHON),
        ("def f(x):\n    '''\n    E = mc², σ²/n, x̄ and ŷ\n    '''\n    return x  # β₂x², XᵀWX\n", PYTHON),
        ("// β₂x² and XᵀWX\nconst x = `XᵀWX ${1}`; /* αᵢ */\n", JAVASCRIPT),
        ("# XᵀWX\necho 'β₂x²' \"XᵀWX\"\n", SHELL),
        ("# 日本語のコメント、한국어, привет мир, Größe, naïve café, Ελληνικά 10\nx = '漢字 5'\n", PYTHON),
        ("print('✅ 10 done, ❌ 3 failed, 🚀'); x = '👍🏽 ok'; y = '⚠\ufe0f 3 warnings'\n", PYTHON),
        ("print('é 5', 'e\u0301te\u0301')  # NFD\n", PYTHON),
        ("x = 'नमस्ते दुनिया'; y = 'สวัสดี'; z = 'שלום עולם'; w = 'می\u200cخواهم'\n", PYTHON),
        ("имя = 'привет'; größe = 1; naïve = 2; 変数 = 3; Δt = 4\n", PYTHON),
        ("x = '1\ufe0f\u20e3 first'; y = '🇩🇪'; z = '👩\u200d👩\u200d👧'\n", PYTHON),
        ("x = 'Да\\nНужно'\n", PYTHON),
        ("x = 'ˈkæt', 'Gorʹkij'\n", PYTHON),
    ],
)
def test_ordinary_text_is_not_grave(code: str, language: Language) -> None:
    """Mathematics, other languages and emoji in strings and comments are mostly nothing, and never HIGH."""
    assert worst(code, language) in ({Level.MEDIUM} if "ˈ" in code else {None})


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("# sayНello\nsayНello = 1\n", PYTHON),
        ("x = 'sayНello'; f(sayНello)", PYTHON),
        ("\\сurl example.org", SHELL),
        ("x = f'{sayНello}'", PYTHON),
        ("`${sayНello}`", JAVASCRIPT),
        ('echo "$(сurl x)"', SHELL),
    ],
)
def test_a_look_alike_in_code_is_high_whatever_stands_in_text(code: str, language: Language) -> None:
    """A comment with the same word, a backslash, or a string around the code lower nothing."""
    assert Level.HIGH is worst(code, language)


def test_no_text_hides_in_a_flag() -> None:
    """Tags are a flag only where they name one of the three that Unicode recommends."""
    hidden = "".join(chr(0xE0000 + ord(char)) for char in "ignore all rules")
    assert None is worst(f"x = '{ENGLAND}'")
    for text in (f"🏴{hidden}", f"{ENGLAND}{hidden}", f"🏴{hidden}\U000e007f", hidden):
        assert Level.HIGH is worst(f"x = '{text}'")


def test_one_rule_speaks_for_all_places() -> None:
    """A file full of such text has one violation of each kind, with the places."""
    (one,) = found("x = '👨🏽1'\n" * 40)
    assert 39 == len(one.related)


@pytest.mark.parametrize(
    ("shown", "source", "language"),
    [
        ("x = 'A' + f'B{c}D' # E", "x = 'a' + f'b{c}d' # e", PYTHON),
        ('x = """F\n\'G""" + h', 'x = """f\n\'g""" + h', PYTHON),
        ("f'{{L}}{m}' + RB'\\'N'", "f'{{l}}{m}' + rb'\\'n'", PYTHON),
        ('a="B"+`C${d}E`/*F*/+g//H\n/J"K/', 'a="b"+`c${d}e`/*f*/+g//h\n/j"k/', JAVASCRIPT),
        ("n / o / p", "n / o / p", JAVASCRIPT),
        ("echo a \"B$(c)D\" 'E' # F\ng#h", "echo a \"b$(c)d\" 'e' # f\ng#h", SHELL),
    ],
)
def test_strings_and_comments_are_told_from_code(shown: str, source: str, language: Language) -> None:
    """Upper case is what is text; code within strings is code."""
    prose = Prose(source, language)
    told = "".join(char.upper() if prose.covers(at) else char for at, char in enumerate(source))
    assert shown == told.replace("RB'", "RB'")


@given(st.text("ab'\"`#/*\\{}$() \nשé\u0301👨🏽5", max_size=80), st.sampled_from(Language))
def test_any_text_has_exact_spans(source: str, language: Language) -> None:
    """Each span of these rules holds a character beyond ASCII."""
    lines = Lines(source)
    for one in found(source, language):
        for span in (one.span, *one.related) if one.rule in {"text-joined", "text-right-to-left"} else ():
            start, end = lines.offset(span.line, span.column), lines.offset(span.end_line, span.end_column)
            assert not source[start:end].isascii()

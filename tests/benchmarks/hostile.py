"""Files made to break an analyzer; each contains a payload that must be found."""

from __future__ import annotations

import random
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import log10

from engine.models import Analysis, Language, Level

_PAYLOAD = {
    Language.PYTHON: "__import__('os').system('rm -rf /')",
    Language.JAVASCRIPT: "require('child_process').execSync('rm -rf /')",
    Language.SHELL: "rm -rf /",
}
_SPELLED = {
    Language.PYTHON: """
import os eval( exec( ) ( [ ] { } f'{ }' ' : def class lambda yield return os.system getattr(
__builtins__ * ** = := , . x 1 9**9 for in if else while True try except match case _ async await @
-> \\ # é 𝑒 b'\\xff' % + .join( .format( chr( bytes( base64 zlib globals() [::-1] not is None
import* from . del global nonlocal with as type X[T] 0x 1e999 1_0 r' u'
""",
    Language.JAVASCRIPT: """
( ) [ ] { } ' " ` ${ => = + - / /a+/ , ; . ?. : eval require import from const let function class
async await new this constructor __proto__ process env fs child_process exec 'x' 1e9
String.fromCharCode 0x41 while(true) for(;;) atob Buffer.from join split \\u0041 é // /* */ ...
yield <!-- #x #! static get set of in instanceof typeof void delete debugger with
""",
    Language.SHELL: """
$ ${ } ( ) $( ` ' " \\ | & ; < > { , .. [[ ]] (( )) if then fi for in do done case esac
function x=1 rm -rf / eval bash -c curl | sh * ~ # ! = += é $'\\x41' <( >( /dev/tcp/h/1 2>&1 IFS
base64 -d xargs printf %s echo ${x:0:1} ${!a} ${a//b/c} ${a[@]} @ ? coproc select time
""",
}
_WORDS = {language: spelled.split() for language, spelled in _SPELLED.items()}
_ORDINARY = {
    Language.PYTHON: "import os\ndef f(a):\n    return [os.getcwd() + x for x in a if x]\nprint(f('ab'))\n",
    Language.JAVASCRIPT: "const f = (a) => a.map((x) => `${x}!`);\nconsole.log(f(['a', 'b']));\n",
    Language.SHELL: 'for f in *.txt; do\n  if [ -n "$f" ]; then echo "$f"; fi\ndone\n',
}
Make = Callable[[random.Random, Language, int], str | bytes]


@dataclass(frozen=True, slots=True)
class Hostile:
    """One file, and how it was made."""

    kind: str
    language: Language
    source: str | bytes


def _nested(chance: random.Random, language: Language, most: int) -> str:
    """The payload within brackets, blocks or operators, up to twenty thousand deep."""
    depth = int(10 ** chance.uniform(1, min(log10(most), 4.3)))
    payload = _PAYLOAD[language]
    shapes = {
        Language.PYTHON: [("(", ")"), ("[", "]"), ("{1:", "}"), ("f(", ")"), ("-", ""), ("not ", ""),
                          ("lambda: ", ""), ("1 if x else ", ""), ("x[", "]"), ("(yield ", ")"),
                          ("a.b(", ")"),
                          ("*", ""), ("x := (", ")"), ("f'{", "}'")],
        Language.JAVASCRIPT: [("(", ")"), ("[", "]"), ("{a:", "}"), ("f(", ")"), ("!", ""), ("x=>", ""),
                              ("x?", ":1"), ("`${", "}`"), ("{", "}"), ("if(x)", ""), ("new ", ""),
                              ("function f(){", "}"), ("async()=>{", "}")],
        Language.SHELL: [("$(", ")"), ("(", ")"), ("{ ", ";}"), ("if true; then ", "; fi"), ("! ", ""),
                         ("f() { ", "; }"), ('"$(', ')"'), ("`", "`"), ("while :; do ", "; done"),
                         ("bash -c '", "'"), ("eval ", ""), ("echo ${x:-", "}"), ("a=", " ")],
    }  # fmt: skip
    opening, closing = chance.choice(shapes[language])
    depth = min(depth, most // 2 // len(opening + closing))
    return f"{opening * depth}{payload}{closing * depth}\n{payload}\n"


def _blocks(chance: random.Random, language: Language, most: int) -> str:
    """Statements within statements."""
    depth = chance.randrange(10, 400)
    if language is Language.PYTHON:
        head = chance.choice(["if x:", "for a in b:", "while x:", "with a:", "def f():", "class A:", "try:"])
        body = "".join(" " * level + head + "\n" for level in range(depth))
        return body + " " * depth + _PAYLOAD[language] + "\n"
    word = {Language.JAVASCRIPT: "if (x) {\n", Language.SHELL: "if true; then\n"}[language]
    end = {Language.JAVASCRIPT: "}\n", Language.SHELL: "fi\n"}[language]
    return word * depth + _PAYLOAD[language] + "\n" + end * depth


def _long(chance: random.Random, language: Language, most: int) -> str:
    """An expression or a text of up to a megabyte, and the payload behind it."""
    size = int(10 ** chance.uniform(3, log10(most)))
    piece = chance.choice(
        ["1+", "'a'+", "x.", "x,", "a=", "-", "9", "'\\x41'", "f(", "a.b(c)+", "  ", "é", "\t"]
    )
    many = piece * (size // len(piece))
    return f"x = {many}1\n{_PAYLOAD[language]}\n"


def _digits(chance: random.Random, language: Language, most: int) -> str:
    """A number of up to a million digits, or a power that nobody can hold."""
    digits = "9" * int(10 ** chance.uniform(3, log10(most)))
    number = chance.choice(
        [digits, "0x" + digits, "9**9**9**9", "1<<(1<<60)", "1e" + digits[:400], "(9**9)**(9**9)"]
    )
    return f"x = {number}\n{_PAYLOAD[language]}\n"


def _regex(chance: random.Random, language: Language, most: int) -> str:
    """A regular expression that takes for ever, in code that only runs the payload."""
    inner = chance.choice(["(a+)+", "(a|a)*", "(a*)*", "(.*a){20}", "((a?){9}){9}", "(x+x+)+y"])
    pattern = inner * chance.randrange(1, 60) + "$"
    uses = {
        Language.PYTHON: f"import re\nre.match({pattern!r}, 'a' * 99)",
        Language.JAVASCRIPT: f"/{pattern}/.test('a'.repeat(99))",
        Language.SHELL: f"[[ $x =~ {pattern} ]]; echo x | grep -E '{pattern}'",
    }
    return f"{uses[language]}\n{_PAYLOAD[language]}\n"


def _doubled(chance: random.Random, language: Language, most: int) -> str:
    """A text that doubles with each line, and is then run."""
    times = chance.randrange(5, 200)
    lines = {
        Language.PYTHON: "a = 'x' * 99\n" + "a = a + a\n" * times + "exec(a)",
        Language.JAVASCRIPT: "var a = 'x';\n" + "a = a + a;\n" * times + "eval(a)",
        Language.SHELL: "a=x\n" + "a=$a$a\n" * times + 'eval "$a"',
    }
    return f"{lines[language]}\n{_PAYLOAD[language]}\n"


def _zeroed(chance: random.Random, language: Language, most: int) -> str:
    """Ordinary code with NULs in it, and the payload behind them."""
    code = _ORDINARY[language]
    at = chance.randrange(len(code))
    return code[:at] + "\0" * chance.randrange(1, 9) + code[at:] + _PAYLOAD[language] + "\n"


def _surrogate(chance: random.Random, language: Language, most: int) -> str:
    """Text that is no Unicode."""
    code = _ORDINARY[language]
    at = chance.randrange(len(code))
    return code[:at] + chr(chance.randrange(0xD800, 0xE000)) + code[at:]


def _no_text(chance: random.Random, language: Language, most: int) -> bytes:
    """Bytes that are no UTF-8."""
    code = _ORDINARY[language].encode()
    at = chance.randrange(len(code))
    return code[:at] + bytes([chance.randrange(0x80, 0x100)]) + code[at:] + chance.randbytes(8) + b"\xff"


def _soup(chance: random.Random, language: Language, most: int) -> str:
    """Words of the language in any order, around the payload."""
    words = _WORDS[language]
    glue = chance.choice(["", " ", " ", "\n"])
    before, after = (glue.join(chance.choices(words, k=chance.randrange(40))) for _ in range(2))
    before = before if language is Language.PYTHON else ""  # quotes before it would make it a text
    return f"{before}\n{_PAYLOAD[language]}\n{after}"


def _mangled(chance: random.Random, language: Language, most: int) -> str:
    """Ordinary code and the payload, with characters taken out, put in and swapped."""
    code = list(_ORDINARY[language])
    for _ in range(chance.randrange(1, 8)):
        at = chance.randrange(len(code))
        code[at : at + chance.randrange(3)] = chance.choice(
            ["", "(", "'", "\\", "\x0c", "\u202e", "}", "\ufeff"]
        )
        code = code or ["x"]
    return f"{_PAYLOAD[language]}\n{''.join(code)}"


def _fanned(chance: random.Random, language: Language, most: int) -> str:
    """Functions or variables of which each uses the one before twice, and the payload at the bottom."""
    times = chance.randrange(5, 400)
    payload = _PAYLOAD[language]
    if chance.random() < 0.5:
        define, use = {
            Language.PYTHON: ("def f{n}(x): return {body}\n", "f{n}(x), f{n}(x)"),
            Language.JAVASCRIPT: ("function f{n}(x) {{ return {body}; }}\n", "f{n}(x) + f{n}(x)"),
            Language.SHELL: ("f{n}() {{ {body}; }}\n", "f{n}; f{n}"),
        }[language]
    else:
        define, use = {
            Language.PYTHON: ("x{n} = lambda: ({body})\n", "x{n}(), x{n}()"),
            Language.JAVASCRIPT: ("const x{n} = [{body}];\n", "x{n}, ...x{n}"),
            Language.SHELL: ("x{n}='{body}'\n", "'$x{n}$x{n}'"),
        }[language]
    lines = [define.format(n=0, body=payload)]
    lines += [define.format(n=n, body=use.format(n=n - 1)) for n in range(1, times)]
    return "".join(lines) + use.format(n=times - 1) + "\n" + payload + "\n"


def _chained(chance: random.Random, language: Language, most: int) -> str:
    """The callable of the payload, handed on from name to name thousands of times."""
    times = int(10 ** chance.uniform(1, min(4.3, log10(most / 20))))
    first, step, last = {
        Language.PYTHON: ("import os\na0 = os.system\n", "a{n} = a{m}\n", "a{m}('rm -rf /')\n"),
        Language.JAVASCRIPT: ("const a0 = require('child_process').execSync;\n", "const a{n} = a{m};\n",
                              "a{m}('rm -rf /');\n"),
        Language.SHELL: ("a0='rm -rf /'\n", "a{n}=$a{m}\n", "eval $a{m}\n"),
    }[language]  # fmt: skip
    middle = "".join(step.format(n=n, m=n - 1) for n in range(1, times))
    return first + middle + last.format(m=times - 1)


def _layered(chance: random.Random, language: Language, most: int) -> str:
    """Code within code within code, each layer encoded, until it does not fit any more."""
    code = _PAYLOAD[language]
    for _ in range(chance.randrange(1, 40)):
        encoded = b64encode(code.encode()).decode()
        outer = {
            Language.PYTHON: f"exec(__import__('base64').b64decode('{encoded}'))",
            Language.JAVASCRIPT: f"eval(atob('{encoded}'))",
            Language.SHELL: f"echo {encoded} | base64 -d | sh",
        }[language]
        if len(outer) > most:
            break
        code = outer
    return code + "\n"


def _unseen(chance: random.Random, language: Language, most: int) -> str:
    """Characters by the thousand that turn, join or hide what is read, around the payload."""
    piece = chance.choice(
        ["\u202e", "\u200b", "\u0301", "\ufe0f", "\U000e0061", "\u3164", "\x1b[2K", "\r", "\x7f"]
    )
    many = piece * int(10 ** chance.uniform(0, log10(most) - 1))
    comment = "//" if language is Language.JAVASCRIPT else "#"
    return f"{comment} {many}\n{_PAYLOAD[language]} {comment} {many}\n"


_MAKERS: tuple[Make, ...] = (
    _nested, _blocks, _long, _digits, _regex, _doubled, _zeroed, _surrogate, _no_text, _soup, _mangled,
    _fanned, _chained, _layered, _unseen,
)  # fmt: skip


def hostile(count: int, seed: int = 0, most: int = 1_000_000) -> Iterator[Hostile]:
    """Yield so many files of up to about `most` characters, the same ones for the same seed."""
    languages = tuple(Language)
    chance = random.Random(seed)  # noqa: S311
    for number in range(count):
        make = _MAKERS[number % len(_MAKERS)]
        language = languages[number // len(_MAKERS) % len(languages)]
        yield Hostile(make.__name__.strip("_"), language, make(chance, language, most))


def fault(analysis: Analysis) -> str:
    """Return what is wrong with the analysis of a hostile file: `crashed`, `late`, `passed` or nothing."""
    rules = {violation.rule for violation in analysis.violations}
    if "analysis-crashed" in rules:
        return "crashed"
    if "analysis-deadline" in rules:
        return "late"
    high = any(violation.severity.rank >= Level.HIGH.rank for violation in analysis.violations)
    return "" if high else "passed"

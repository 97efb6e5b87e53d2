"""Dangerous code is found however it is written."""

from __future__ import annotations

import pytest

from engine.analysis import analyse
from engine.models import Language, Level
from tests.engine.analysis.evasions import EVASIONS
from tests.engine.analysis.evasions_javascript import BOMBS_AND_TEXTS, PASSED_ON, THROUGH_OBJECTS
from tests.engine.analysis.evasions_python import (
    BY_HOOK,
    BY_VALUE,
    EVALUATED_TEXT,
    INDIRECT,
    KERNEL_AND_BOUNDLESS,
)

_CASES = [(language, code) for language, codes in EVASIONS.items() for code in codes]
_CASES += [(Language.PYTHON, code) for code in (*BY_VALUE, *BY_HOOK, *INDIRECT, *KERNEL_AND_BOUNDLESS)]
_CASES += [(Language.PYTHON, code) for code in EVALUATED_TEXT]
_CASES += [(Language.JAVASCRIPT, code) for code in (*PASSED_ON, *THROUGH_OBJECTS, *BOMBS_AND_TEXTS)]


@pytest.mark.parametrize(("language", "code"), _CASES)
def test_an_evasion_is_found(language: Language, code: str) -> None:
    """Each reaches something dangerous without writing its name: MEDIUM at least."""
    assert any(found.severity.rank >= Level.MEDIUM.rank for found in analyse(code, language).violations)


@pytest.mark.parametrize(
    ("language", "code"),
    [
        (Language.SHELL, "for f in *.txt; do cat \"$f\"; done"),
        (Language.SHELL, "ls src/*/README*"),
        (Language.SHELL, "cat docs/*.md"),
        (Language.JAVASCRIPT, "const s = [...'abc'].reverse().join(''); console.log(s)"),
        (Language.JAVASCRIPT, "html`<p>${x}</p>`"),
        (Language.JAVASCRIPT, "let t = 'a'; t = t + 'b'; console.log(t)"),
        (Language.JAVASCRIPT, "const table = { run }; for (const k of Object.keys(table)) table[k]()"),
        (Language.JAVASCRIPT, "class A extends B { f() { return new this.constructor(1) } }"),
        (Language.JAVASCRIPT, "function f(n) { if (n) f(n - 1) } for (let i = 0; i < 1e6; i++) f(i)"),
        (Language.JAVASCRIPT, "process.env.NODE_ENV = 'test'; const { name: n } = o; console.log(n)"),
        (Language.PYTHON, "try:\n    import numpy as np\nexcept ImportError:\n    np = None\nprint(np)"),
        (Language.PYTHON, "d = dict(a=1)\nprint(d.get('a'))"),
        (Language.PYTHON, "import os\ngo = os.getcwd\nprint(go())"),
        (Language.PYTHON, "from pathlib import Path\nprint((Path('a') / 'b').name)"),
        (Language.PYTHON, "def f(x=len):\n    return x('a')\nprint(f())"),
        (Language.PYTHON, "def g():\n    yield print\nnext(g())(1)"),
        (Language.PYTHON, "import sys\nsys.path.insert(0, 'src')"),
        (Language.PYTHON, "def f(*, b: dict[str, int] | None = None) -> tuple[int, ...]: ..."),
        (Language.PYTHON, "import os\nos.environ['TZ'] = 'UTC'"),
        (Language.PYTHON, "import os\nos.nice(10)"),
        (Language.PYTHON, "i = 1\nfor _ in range(9):\n    i += i"),
        (Language.PYTHON, "for i in range(10**6):\n    print(i)"),
        (Language.PYTHON, "@contextlib.contextmanager\ndef c():\n    yield 1\nwith c() as x:\n    print(x)"),
        (Language.PYTHON, "class A:\n    @property\n    def o(self):\n        return 1\nprint(A().o)"),
    ],
)  # fmt: skip
def test_similar_harmless_code_is_clean(language: Language, code: str) -> None:
    """The same constructs in ordinary code are no violations of MEDIUM or above."""
    found = analyse(code, language).violations
    assert [] == [one.rule for one in found if one.severity.rank >= Level.MEDIUM.rank]

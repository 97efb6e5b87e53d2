"""Rules about time, memory, processes and disk without a bound."""

from __future__ import annotations

import zlib

from engine.analysis.python.rules.make import python_rule
from engine.models import Level

ENDLESS = python_rule(
    "py-endless-loop",
    "A loop has no exit",
    "resource",
    Level.MEDIUM,
    attack="Keeps a processor busy until the run is killed.",
    why="MEDIUM: the deadline ends it; HIGH where every turn takes memory, disk or processes.",
    fix="Give the loop a condition or a `break`.",
    match=(
        "while True:\n    pass",
        "while 1:\n    print('x')",
        "import itertools\nfor i in itertools.count():\n    f(i)",
        "i = 0\nwhile i < 10:\n    print(i)",
        "x = 1\nwhile x > 0:\n    x += 1",
        "import itertools\nsum(x for x in itertools.count())",
        "import time\ntime.sleep(600)",
        "def g():\n    while True:\n        yield 1\nlist(g())",
    ),
    not_match=(
        "while True:\n    if f():\n        break",
        "def g():\n    while True:\n        yield 1",
        "while x:\n    x -= 1",
        "i = 0\nwhile i < 10:\n    i += 1",
        "go = True\ndef stop():\n    global go\n    go = False\nwhile go:\n    stop()",
        "import itertools\nnext(x for x in itertools.count() if x > 9)",
    ),
    cwe=835,
)
BOMB = python_rule(
    "py-process-bomb",
    "Processes or threads are started without a bound",
    "resource",
    Level.CRITICAL,
    attack="Takes every process of the machine.",
    why="CRITICAL: there is no honest use.",
    fix="Use a pool of fixed size.",
    match=(
        "import os\nwhile True:\n    os.fork()",
        "import threading\nwhile True:\n    threading.Thread(target=f).start()",
        "import subprocess\nwhile 1:\n    subprocess.Popen(['sleep', '9'])",
        "import os\n[os.fork() for _ in iter(int, 1)]",
        "import subprocess\n[subprocess.Popen(['sleep', '9']) for _ in range(10000)]",
        "from multiprocessing import Pool\nPool(50000)",
    ),
    not_match=(
        "import threading\nfor i in range(4):\n    threading.Thread(target=f).start()",
        "from multiprocessing import Pool\nPool(4)",
    ),
    cwe=400,
)
ALLOCATION = python_rule(
    "py-huge-allocation",
    "A huge amount of memory or work is asked for",
    "resource",
    Level.MEDIUM,
    attack="Fills the memory, or computes for years.",
    why="MEDIUM above 64 MB or 100 million steps; HIGH above 1 GB or ten thousand million steps.",
    fix="Work in pieces.",
    match=(
        "'x' * 10**9",
        "9**9**9",
        "x = bytearray(2**30)",
        "list(range(10**9))",
        "[0] * (1 << 30)",
        "'%1000000000d' % 1",
        "f'{1:1000000000}'",
        "'a'.ljust(10**10)",
        "import itertools\nlist(itertools.permutations(range(20)))",
        "import mmap\nmmap.mmap(-1, 2**34)",
    ),
    not_match=(
        "'x' * 1000",
        "2**64",
        "range(10**9)",
        "bytearray(100)",
        "'%10d' % 1",
        "import itertools\nlist(itertools.combinations(range(9), 2))",
        "x * 10**9",
    ),
    cwe=770,
)
GROWTH = python_rule(
    "py-endless-growth",
    "Something grows in a loop without an exit",
    "resource",
    Level.HIGH,
    attack="Fills memory or disk.",
    why="HIGH: only the limit of the sandbox ends it.",
    fix="Give the loop a bound.",
    match=(
        "a = []\nwhile True:\n    a.append('x' * 999)",
        "s = 'x'\nwhile True:\n    s += s",
        "x = [0]\nfor _ in range(64):\n    x = x * 2",
    ),
    not_match=(
        "a = []\nfor i in range(9):\n    a.append(i)",
        "s = 'a'\nfor _ in range(3):\n    s += s",
        "n = 1\nfor _ in range(64):\n    n = n * 2",
    ),
    cwe=770,
)
RECURSION = python_rule(
    "py-endless-recursion",
    "A function calls itself without a condition",
    "resource",
    Level.MEDIUM,
    attack="Exhausts the stack; with a raised limit, crashes the interpreter.",
    why="MEDIUM: the interpreter's limit ends it; HIGH where the limit is raised.",
    fix="Give the recursion an end.",
    match=(
        "def f():\n    f()",
        "def a():\n    b()\ndef b():\n    a()",
        "f = lambda: f()",
        "class A:\n    def __init__(self):\n        self.a = A()",
    ),
    not_match=(
        "def f(n):\n    if n:\n        f(n - 1)",
        "def f(n):\n    return n and f(n - 1)",
        "def even(n):\n    return n == 0 or odd(n - 1)\ndef odd(n):\n    return n != 0 and even(n - 1)",
    ),
    cwe=674,
)
LIMITS = python_rule(
    "py-limits",
    "Limits of the interpreter or the process are changed",
    "resource",
    Level.LOW,
    attack="Makes room for an exhaustion.",
    why="LOW: deep recursion needs it; MEDIUM for limits of the process.",
    fix="Do without.",
    match=("import sys\nsys.setrecursionlimit(10**6)", "import resource\nresource.setrlimit(a, b)"),
    not_match=("import sys\nsys.getrecursionlimit()",),
    cwe=400,
)
REGEX = python_rule(
    "py-regex-explosion",
    "A regular expression can take exponential time",
    "resource",
    Level.MEDIUM,
    attack="Hangs on a short text.",
    why="MEDIUM: needs a text that does it.",
    fix="Do not repeat what already repeats.",
    match=(
        "import re\nre.compile(r'(a+)+$')",
        "import re\nre.match(r'(a|a)*b', x)",
        "import re\nre.compile(r'(([a-z])+.)+x')",
    ),
    not_match=("import re\nre.compile(r'(ab)+')", "import re\nre.compile(r'a+b+')"),
    cwe=1333,
)
FLOOD = python_rule(
    "py-file-flood",
    "Many files or much data are written in a loop",
    "resource",
    Level.MEDIUM,
    attack="Fills the disk or its table of files.",
    why="MEDIUM: bounded by the sandbox's disk.",
    fix="Write less.",
    match=(
        "for i in range(100000):\n    open(f'/tmp/{i}', 'w')",
        "for i in range(10**8):\n    print('spam')",
    ),
    not_match=(
        "for i in range(10):\n    open(f'/tmp/{i}', 'w')",
        "for i in range(1000):\n    print(i)",
    ),
    cwe=400,
)
ZIP_BOMB = python_rule(
    "py-decompression",
    "A constant unpacks to very much more than itself",
    "resource",
    Level.HIGH,
    attack="A few bytes fill the memory.",
    why="HIGH: the ratio is that of a bomb.",
    fix="Read in pieces, with a bound.",
    match=(f"import zlib\nzlib.decompress({zlib.compress(bytes(1_000_000))!r})",),
    not_match=("import zlib\nzlib.decompress(x)",),
    cwe=409,
)

RULES = (ENDLESS, BOMB, ALLOCATION, GROWTH, RECURSION, LIMITS, REGEX, FLOOD, ZIP_BOMB)

"""Rules for unbounded time, memory, processes and disk."""

from __future__ import annotations

from engine.analysis.python.declare import python_rule
from engine.models import Level

ENDLESS = python_rule(
    "py-endless-loop",
    "A loop has no exit",
    "resource",
    Level.MEDIUM,
    attack="Keeps a processor busy until the run is killed.",
    why=("MEDIUM: the time limit ends it; HIGH where every iteration uses memory, disk or processes."),
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
    "Processes or threads are started without a limit",
    "resource",
    Level.CRITICAL,
    attack="Uses up all processes of the machine.",
    why="CRITICAL: there is no legitimate use.",
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
    "Requests a huge amount of memory or computation",
    "resource",
    Level.MEDIUM,
    attack="Fills the memory, or computes for years.",
    why="MEDIUM above 64 MB or 100 million steps; HIGH above 1 GB or 10 billion steps.",
    fix="Process the data in smaller parts.",
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
        "pow(3, 10**9)",
        "x = 3\nfor _ in range(40):\n    x *= x",
        "import math\nmath.prod(range(1, 10**7))",
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
    "Data grows in a loop without an exit",
    "resource",
    Level.HIGH,
    attack="Fills memory or disk.",
    why="HIGH: only the limits of the sandbox end it.",
    fix="Give the loop a limit.",
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
FLOOD = python_rule(
    "py-file-flood",
    "Many files or large amounts of data are written in a loop",
    "resource",
    Level.HIGH,
    attack="Fills the disk or its file table.",
    why="HIGH: ten thousand files, or 256 MB, in one loop; MEDIUM for very much output.",
    fix="Write less.",
    match=(
        "for i in range(100000):\n    open(f'/tmp/{i}', 'w')",
        "for i in range(10**8):\n    print('spam')",
        "import os\nfor i in range(20000):\n    os.symlink('a', f'b{i}')",
        "with open('a', 'wb') as f:\n    for _ in range(1000):\n        f.write(b'x' * 10**6)",
    ),
    not_match=(
        "for i in range(10):\n    open(f'/tmp/{i}', 'w')",
        "for i in range(1000):\n    print(i)",
        "with open('a', 'w') as f:\n    for i in range(1000):\n        f.write('x' * 80)",
    ),
    cwe=400,
)

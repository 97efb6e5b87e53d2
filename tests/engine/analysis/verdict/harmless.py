# ruff: noqa: E501, ISC004 - programs, one in a line where it fits
"""Programs that only compute and print, each with something that a proof could stumble over."""

from __future__ import annotations

HARMLESS = (
    "print('hello')",
    "x = [1, 2]\nx.append(3)\nprint(sum(x), f'{x!r:>10}')",
    "def f(xs, key=None):\n    return sorted(xs, key=key)\nprint(f([3, 1], key=lambda x: -x))",
    "def apply(function, *args, **words):\n    return function(*args, **words)\nprint(apply(max, 1, 2))",
    "import math\nprint(math.sqrt(2), math.pi)",
    "from math import sqrt as root\nprint(root(4))",
    "import io\nf = io.StringIO('a')\nf.seek(0)\nprint(f.read(), f.tell())",
    "import re\nprint(re.sub(r'(a)', lambda m: m.group(1).upper(), 'banana'))",
    "import json\nprint(json.dumps({'a': [1, None]}, indent=2))",
    "from functools import lru_cache\n@lru_cache(maxsize=8)\ndef f(x): return x\n@lru_cache\ndef g(x): return f(x)\nprint(lru_cache(len))",
    "from __future__ import annotations\nfrom typing import Mapping\ndef f(x: Mapping[str, Undefined]) -> None: ...",
    "from typing import List, Optional\ndef f(x: Optional[List[int]] = None) -> 'int': return 1",
    "from collections.abc import Iterable\ndef flat(x):\n    if isinstance(x, Iterable):\n        for y in x: yield y\nprint(list(flat([1])))",
    "def f(x):\n    if type(x) is int or type(x) in (str, bytes):\n        return type(x).__name__\nprint(f(1), type(1))",
    "print('{} {:>{width}} {name!r}'.format(1, 2, width=3, name='x'))",
    "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    print(error, error.args)\nfinally:\n    pass",
    "import sys\nfor line in sys.stdin:\n    sys.stdout.write(line)\nprint('done', file=sys.stderr)\nsys.exit(0)",
    "name = input('? ')\nprint(name.strip().title())",
    "import io, csv\nout = io.StringIO()\ncsv.writer(out).writerow([1, 2])\nprint(out.getvalue())",
    "import os\nprint(os.path.join('a', 'b'), os.linesep)",
    "import datetime\nprint(datetime.datetime.now().strftime('%Y'), datetime.timedelta(days=1).days)",
    "import random\nrandom.seed(1)\nprint(random.choice([1, 2]), random.Random(2).random())",
    "count = 0\ndef bump():\n    global count\n    count += 1\nbump()\nprint(count)",
    "def outer():\n    n = 0\n    def inner():\n        nonlocal n\n        n += 1\n        return n\n    return inner\nprint(outer()())",
    "def f(input, dir, type, open):\n    return input, dir, type, open\nprint(f(1, 2, 3, 4))",
    'def f(x):\n    """\n    >>> f(2)\n    4\n    >>> y = f(3); y.bit_length()\n    3\n    """\n    return x * 2\n'
    "if __name__ == '__main__':\n    import doctest\n    doctest.testmod(verbose=True)",
    "import math\ndef area(radius):\n    '''\n    >>> math.isclose(area(1), math.pi)\n    True\n    '''\n"
    "    return math.pi * radius ** 2\nfrom doctest import testmod\ntestmod()",
    "print([y := 1, y ** 2, *[z for z in range(3) if (w := z)]], w)",
    "import heapq, bisect, itertools, string, statistics\nh = []\nheapq.heappush(h, 1)\n"
    "print(bisect.bisect([1], 1), list(itertools.chain.from_iterable([[1]])), string.digits, statistics.mean([1]))",
    "import itertools as i\nprint(next(i.islice(iter('abc'), 1, 2)), [*enumerate('a')], list(enumerate(i.chain(i.zip_longest('a', 'bc')))))",
    "from itertools import accumulate, chain, cycle\nfor x in chain([1], [2]): print(x, [y for y in accumulate([x])])\nturn = cycle(['a', 'b'])\nprint(next(turn))",
    "from functools import cmp_to_key\ndef f(a, b): return a - b\nxs = sorted([2, 1], key=cmp_to_key(f))\nxs.sort(key=cmp_to_key(f))",
    "import json\nprint(json.dumps({'a': {1}}, default=list, sort_keys=True), isinstance(1, bytearray))\nsieve = bytearray(9)\nsieve[0] = 1",
    "from collections import ChainMap, Counter, OrderedDict\nprint(dict(ChainMap({}, {1: 2})), Counter('a'), OrderedDict(a=1))",
    "x = {1: 'a'}\ndel x[1]\nx |= {2: 'b'}\nassert x, 'empty'\nprint(*x, sep=', ', end='\\n')",
    "from decimal import Decimal, getcontext\ngetcontext().prec = 5\nprint(Decimal(1) / Decimal(3))",
    "def f(x):\n    if x is None:\n        raise NameError('x')\n    return x\ntry:\n    print(f(1))\nexcept (NameError, UnboundLocalError):\n    pass",
    "\ufeffprint('ä', 'naïve'.encode('latin-1').decode('latin-1'))",
)

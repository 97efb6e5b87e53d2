# ruff: noqa: E501, ISC004 - programs, one in a line where it fits
"""Programs that only compute and print, each with something that a proof could stumble over."""

from __future__ import annotations

HARMLESS = (
    "print('hello')",
    "x = [1, 2]\nx.append(3)\nprint(sum(x), f'{x!r:>10}')",
    "def f(xs, key=None):\n    return sorted(xs, key=key)\nprint(f([3, 1], key=lambda x: -x))",
    "def apply(function, *args, **words):\n    return function(*args, **words)\nprint(apply(max, 1, 2))",
    "from collections import Counter, defaultdict, namedtuple\nP = namedtuple('P', 'left right')\n"
    "d = defaultdict(list)\nd[1].append(P(1, 2).left)\nprint(Counter('aab').most_common(1), d)",
    "import math\nprint(math.sqrt(2), math.pi)",
    "from math import sqrt as root\nprint(root(4))",
    "import re\nprint(re.sub(r'(a)', lambda m: m.group(1).upper(), 'banana'))",
    "import json\nprint(json.dumps({'a': [1, None]}, indent=2))",
    "class Node:\n    def __init__(self, value, next=None):\n        self.value = value\n        self.next = next\n"
    "    def __repr__(self):\n        return f'{type(self).__name__}({self.value})'\n"
    "    def __eq__(self, other):\n        return isinstance(other, Node) and self.value == other.value\n"
    "print(Node(1, Node(2)).next)",
    "class Base:\n    def area(self): raise NotImplementedError\nclass Square(Base):\n    def __init__(self, side):\n"
    "        super().__init__()\n        self.side = side\n    def area(self): return self.side ** 2\nprint(Square(2).area())",
    "class C:\n    def __enter__(self): return self\n    def __exit__(self, kind, value, trace):\n"
    "        if kind and not kind is ValueError: print(kind.__name__, f'{kind}', kind)\n"
    "        return kind is not None and issubclass(kind, (KeyError, ValueError))\n"
    "class D(C):\n    def __exit__(self, *given): return super().__exit__(*given)\nwith D(): raise KeyError(1)\n",
    "from contextlib import suppress\nclass E(Exception):\n    def __init__(self, x):\n        super().__init__(x)\n"
    "        Exception.__init__(self, x)\n        E.__init__\ntry:\n    raise ImportError\nexcept (ImportError, E) as e:\n    print(e)\n"
    "with suppress(ModuleNotFoundError):\n    raise ModuleNotFoundError('x', name='y')\n",
    "from functools import lru_cache\n@lru_cache(maxsize=8)\ndef f(x): return x\n@lru_cache\ndef g(x): return f(x)\nprint(lru_cache(len))",
    "from dataclasses import KW_ONLY, dataclass, field\nclass Base: pass\n@dataclass\nclass Box(Base):\n    _: KW_ONLY\n"
    "    items: list = field(default_factory=list)\nprint(Box())",
    "from copy import deepcopy\nclass C:\n    __slots__ = ['a', '_b', '__c', '__dict__']\nclass D:\n    __slots__ = ('a',)\nclass E:\n"
    "    __slots__ = 'a'\nprint(deepcopy([C(), D(), E()]), type(1) in (int, str))",
    "from dataclasses import dataclass, field\n@dataclass\nclass Box:\n    items: list = field(default_factory=list)\n"
    "    def total(self):\n        items = self.items\n        return sum(items)\nprint(Box([1, 2]).total())",
    "from dataclasses import dataclass, field\n@dataclass(order=True)\nclass Item:\n    weight: int\n"
    "    names: list[str] = field(default_factory=list)\nprint(Item(1))",
    "from enum import Enum\nclass Color(Enum):\n    RED = 1\nprint(Color.RED.name, Color(1), Color['RED'].value)",
    "from enum import Enum, IntFlag, auto\nclass A(str, Enum):\n    RED: str = 'x'\nclass B(IntFlag):\n    RED = auto()\n    BLUE = 1 << 2\n"
    "class C(Enum):\n    def show(self): return self.name\n    RED = (1, int)\nprint(A.RED, B.RED | B.BLUE, C.RED.show())",
    "from functools import cached_property\nclass A:\n    @cached_property\n    def x(self): return 1\nprint(A().x)",
    "from types import SimpleNamespace\ndef f(x: SimpleNamespace) -> int: return x.a\nprint(f(SimpleNamespace(a=1, b=2)))",
    "from abc import ABC, abstractmethod\nclass Shape(ABC):\n    @abstractmethod\n    def area(self): ...",
    "from __future__ import annotations\nfrom typing import Mapping\ndef f(x: Mapping[str, Undefined]) -> None: ...",
    "from typing import List, Optional\ndef f(x: Optional[List[int]] = None) -> 'int': return 1",
    "from collections.abc import Iterable\ndef flat(x):\n    if isinstance(x, Iterable):\n        for y in x: yield y\nprint(list(flat([1])))",
    "def f(x):\n    if type(x) is int or type(x) in (str, bytes):\n        return type(x).__name__\nprint(f(1), type(1))",
    "from functools import lru_cache, reduce, wraps\ndef deco(f):\n    @wraps(f)\n    def inner(*a):\n        return f(*a)\n    return inner\n"
    "@deco\n@lru_cache(maxsize=None)\ndef fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nprint(fib(9))",
    "print('{} {:>{width}} {name!r}'.format(1, 2, width=3, name='x'))",
    "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    print(error, error.args)\nfinally:\n    pass",
    "match (1, {'a': 2}):\n    case (int(x), {'a': y, **rest}) if x < y:\n        print(x, y, rest)\n    case _:\n        pass",
    "import sys\nfor line in sys.stdin:\n    sys.stdout.write(line)\nprint('done', file=sys.stderr)\nsys.exit(0)",
    "name = input('? ')\nprint(name.strip().title())",
    "import io, csv\nout = io.StringIO()\ncsv.writer(out).writerow([1, 2])\nprint(out.getvalue())",
    "import os\nprint(os.path.join('a', 'b'), os.linesep)",
    "import datetime\nprint(datetime.datetime.now().strftime('%Y'), datetime.timedelta(days=1).days)",
    "import random\nrandom.seed(1)\nprint(random.choice([1, 2]), random.Random(2).random())",
    "count = 0\ndef bump():\n    global count\n    count += 1\nbump()\nprint(count)",
    "def outer():\n    n = 0\n    def inner():\n        nonlocal n\n        n += 1\n        return n\n    return inner\nprint(outer()())",
    "def f(input, dir, type, open):\n    return input, dir, type, open\nprint(f(1, 2, 3, 4))",
    "class Stack:\n    def __init__(self):\n        self.__items = []\n    def push(self, x):\n        self.__items.append(x)\n"
    "    def __helper(self): return self.__items\n    def show(self): return self.__helper()\nprint(Stack().show())",
    "class Temp:\n    def __init__(self): self._c = 0\n    @property\n    def c(self): return self._c\n"
    "    @c.setter\n    def c(self, value): self._c = value\n    @staticmethod\n    def f(): return 1\n    @classmethod\n"
    "    def make(cls): return cls()\nt = Temp.make()\nt.c = 2\nprint(getattr(t, 'c'), hasattr(t, 'x'))",
    'def f(x):\n    """\n    >>> f(2)\n    4\n    >>> y = f(3); y.bit_length()\n    3\n    """\n    return x * 2\n'
    "if __name__ == '__main__':\n    import doctest\n    doctest.testmod(verbose=True)",
    "import math\ndef area(radius):\n    '''\n    >>> math.isclose(area(1), math.pi)\n    True\n    '''\n"
    "    return math.pi * radius ** 2\nfrom doctest import testmod\ntestmod()",
    "from contextlib import contextmanager\n@contextmanager\ndef c():\n    yield 1\nwith c() as x: print(x)",
    "print([y := 1, y ** 2, *[z for z in range(3) if (w := z)]], w)",
    "import heapq, bisect, itertools, string, statistics\nh = []\nheapq.heappush(h, 1)\n"
    "print(bisect.bisect([1], 1), list(itertools.chain.from_iterable([[1]])), string.digits, statistics.mean([1]))",
    "x = {1: 'a'}\ndel x[1]\nx |= {2: 'b'}\nassert x, 'empty'\nprint(*x, sep=', ', end='\\n')",
    "from decimal import Decimal, getcontext\ngetcontext().prec = 5\nprint(Decimal(1) / Decimal(3))",
    "import copy, statistics\nclass A:\n    def m(self): return copy.copy([1])\nprint(A().m(), statistics.mean([1]))",
    "from contextlib import suppress\nwith suppress(ImportError):\n    import numpy\ntry:\n    raise ExceptionGroup('x', [ValueError()])\n"
    "except* (ValueError, ImportError) as e:\n    print(e)",
    "class A:\n    def split(self): return 1\ntry:\n    raise ExceptionGroup('x', [ValueError()])\nexcept* ValueError:\n    print(A().split())",
    "from collections import namedtuple\nfrom typing import NewType, Optional, Type, TypeVar\nT, Id = TypeVar('T'), NewType('Id', int)\n"
    "P = namedtuple('P', ['x', 'y'])\ndef f(x: Type[P], y: Optional[Id]) -> T: return x\nprint(f(P, Id(1)))",
    "\ufeffprint('ä', 'naïve'.encode('latin-1').decode('latin-1'))",
)

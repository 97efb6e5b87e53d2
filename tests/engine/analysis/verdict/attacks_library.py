# ruff: noqa: E501, ISC004 - programs, one in a line where it fits
"""Programs with an effect, by names that Python resolves in another way, and by what the library hands out."""

from __future__ import annotations

_ADDS = "class E:\n    _os = system = 1\n    def __radd__(self, o): o('x', 'w')\n"

RESOLVED = (
    # `x += y` reads `x`
    f"{_ADDS}open += E()",
    f"{_ADDS}import random\nrandom += E()",
    f"{_ADDS}def f():\n    global open\n    open += E()\nf()",
    f"{_ADDS}class A:\n    open += E()",
    f"{_ADDS}type += E()",
    f"{_ADDS}getattr += E()",
    # `(x): int` binds no name
    "def f():\n    (open): int\n    open('x', 'w')\nf()",
    "def f():\n    if 0:\n        (eval): int\n    return eval('1')",
    # what a class binds is looked for in no function around it
    "def f():\n    open = 1\n    class A:\n        x = open('x', 'w')\n        open = 2\nf()",
    "def f(eval):\n    class A:\n        for x in eval('1'): pass\n        del eval",
    "def f(eval):\n    class A:\n        if 0: eval = 1\n        x = [y for y in eval('1')]",
    # within a class, `__x` is `_C__x`
    "import random as _C__x\nclass C:\n    y = __x\n    __x = 1\nclass B: _os = system = 1\nC.y._os.system('id')",
)

_MADE = "('X', (), {'__get' + 'attr__': print})"
_RATIO = "class V:\n    def __radd__(self, o): return self\n    def is_finite(self): return False\n    def __truediv__(self, o): return A\n"
_SPLITS = "class G(ExceptionGroup):\n    def split(self, kind):\n        raise kind('x', name='venv.__main__', **{'name_' + 'from': 'y'})\n"
_NAMED = "from collections import namedtuple\nimport copy, functools, typing\n"

HANDED = (
    # an alias of `typing` for the type of types
    f"from typing import Type\nT = Type[int]\nT._inst = True\nT{_MADE}",
    f"from typing import Type\nclass M(Type): pass\nM{_MADE}",
    f"from typing import Type\nclass M(Type[int]): pass\nM{_MADE}",
    f"from typing import Annotated\nclass M(Annotated[type, 1]): pass\nM{_MADE}",
    "import typing as t\nclass E(t.Annotated[ImportError, 1]): pass\nraise E('x', **{'name_' + 'from': 'y'})",
    f"import typing\ndef f(t):\n    t._inst = True\n    t{_MADE}\nf(typing.Type[int])",
    "from typing import Deque\nt = Deque[int]\nsetattr(t, '_inst', True)",
    "from typing import Union\nu = Union\ndef f(form, types): return types\nu._getitem = f\nimport difflib",
    "class A:\n    __slots__ = ('_inst',)",
    # a text that `typing` keeps as code
    "from typing import Union\nclass T:\n    _evaluate = 1\n    def __eq__(self, o): o._evaluate({}, {}, frozenset(), recursive_guard=frozenset())\nUnion['print(1)', T()]",
    "from typing import List\nclass T:\n    _evaluate = 1\n    def __eq__(self, o): return o._evaluate\nList['print(1)'] == List[T()]",
    # `statistics` calls the type of a number
    f"import statistics\n{_RATIO}class A:\n    as_integer_ratio = staticmethod(lambda: (V(), None))\nstatistics.mean([A]){_MADE}",
    f"from statistics import variance\n{_RATIO}class A:\n    numerator, denominator = V(), None\nvariance([A]){_MADE}",
    f"from statistics import mean\n{_RATIO}def f(): pass\nf.as_integer_ratio = lambda: (V(), None)\nmean([f])",
    # a group of exceptions is handed the classes by which it is split
    f"{_SPLITS}try:\n    raise G('x', [ValueError()])\nexcept* ImportError:\n    pass",
    f"{_SPLITS}try:\n    raise G('x', [ValueError()])\nexcept* (ValueError, ModuleNotFoundError):\n    pass",
    f"{_SPLITS}from contextlib import suppress\nwith suppress(ImportError):\n    raise G('x', [ValueError()])",
    # `copy` takes the attribute of an object that a method is named by
    f"{_NAMED}class A:\n    m = classmethod(namedtuple('__class__', 'x'))\ncopy.copy(A.m){_MADE}",
    f"{_NAMED}class A:\n    m = functools.cache(namedtuple('__dict__', 'x'))\ncopy.copy(A().m)['__reduce_' + 'ex__'] = print",
    f"{_NAMED}class A:\n    m = functools.cache(typing.NewType('__cl' + 'ass__', int))\ncopy.copy(A().m)",
    f"{_NAMED}class A:\n    m = classmethod(typing.TypeVar('__class__'))\ncopy.copy(A.m)",
    f"{_NAMED}class A:\n    m = classmethod(typing.ParamSpec('__class__'))\ncopy.copy(A.m)",
    f"{_NAMED}make = namedtuple\nclass A:\n    m = classmethod(make('__class__', 'x'))\ncopy.copy(A.m)",
    f"{_NAMED}list(map(typing.TypeVar, ['__class__']))",
    f"{_NAMED}namedtuple(*['__class__', 'x'])",
    f"{_NAMED}namedtuple('mro', 'x')",
    f"{_NAMED}namedtuple('P', 'x', module=1)",
    "import copy\nfrom collections.abc import Mapping\nclass mro: pass\nclass A(Mapping):\n    m = classmethod(mro)\ncopy.copy(A.m)()[1].get = print",
    "from copy import copy\nfrom collections.abc import Mapping\ndef mro(x): pass\nclass A(Mapping):\n    m = classmethod(mro)\ncopy(A.m)()",
    # a named tuple keeps the hash of a tuple beside its own `__eq__`
    "from typing import NamedTuple, Optional\nclass N(NamedTuple):\n    x: object\n    def __eq__(self, o): print(o)\nOptional[N(1)]",
    "import typing as t\nclass N(t.NamedTuple):\n    x: object\n    def __eq__(self, o): print(o)\nt.Union[int, N(1)]",
    # examples whose annotations are evaluated, and docstrings of decorated functions
    "from __future__ import annotations as a\nclass E:\n    def __ror__(self, o): o('x', 'w')\ne = E()\n"
    "def f():\n    '''\n    >>> def g(x: open | e): pass\n    '''\nimport doctest\ndoctest.testmod()",
    "from __future__ import annotations\nclass E:\n    def __ror__(self, o): o('x', 'w')\ne = E()\nannotations = 1\n"
    "def f():\n    '''\n    >>> def g(x: open | e): pass\n    '''\nimport doctest\ndoctest.testmod()",
    "import doctest, collections\ndef deco(f): return collections.Counter\nclass A:\n    @property\n    @deco\n    def x(self): pass\ndoctest.testmod()",
    "import doctest, collections\ndef deco(f): return collections.Counter\nclass A:\n    @property\n    def x(self): pass\n"
    "    @x.getter\n    @deco\n    def x(self): pass\ndoctest.testmod()",
)

_GIVEN = "class C:\n    def __enter__(self): pass\n    def __exit__(self, kind, value=1, trace=1): "
_BASE = "class D:\n    def __exit__(self, a=1, b=1, c=1): self('x')\n"
_MAPPING = "from collections.abc import Mapping\nclass K:\n    def __getitem__(self, o): o.get = print\n"
_TESTED = "import doctest\ndoctest.testmod()\n"

PASSED_ON = (
    # the type of an exception, handed on as another argument
    f"class D:\n    def __exit__(self, a, b, c): b('x', **{{'name_' + 'from': 'y'}})\n{_GIVEN}D().__exit__(None, kind, None)",
    f"{_BASE}{_GIVEN}D.__exit__(kind, 1)",
    f"{_BASE}{_GIVEN}\n        d = D\n        d.__exit__(kind)",
    f"{_GIVEN}super().__exit__(value, kind)",
    f"{_GIVEN}super(C, C).__exit__(kind)",
    f"def super(): return 1\n{_GIVEN}super().__exit__(kind)",
    f"{_GIVEN}\n        self = C\n        super().__exit__(kind)",
    f"{_GIVEN}\n        for self in [C]: super().__exit__(kind)",
    f"{_GIVEN}\n        def f():\n            nonlocal self\n            self = C\n        f()\n        super().__exit__(kind)",
    f"{_GIVEN}\n        class E(C):\n            @classmethod\n            def f(cls): super().__exit__(kind)",
    # an object of the library in the place of a type, and the attributes that `wraps` gives to an object
    f"import calendar\n{_MAPPING}d = calendar.day_name\nd._days = K()\nx: calendar.day_name[Mapping] = 1",
    f"from calendar import month_abbr as m\n{_MAPPING}d = m\nd._months = K()\nisinstance(1, m[Mapping])",
    f"import numpy as np\n{_MAPPING}def f(x: np.mgrid[Mapping]): pass",
    "from contextlib import suppress\nfrom functools import wraps\nfrom dataclasses import dataclass, asdict\n@dataclass\nclass A:\n"
    "    'x'\n    _exceptions: tuple = ()\na = A()\ndef make(f): return a\n@wraps(suppress(ImportError))\n@make\ndef f(): pass\n"
    "raise asdict(a)['_exceptions'][0]('x', **{'name_' + 'from': 'y'})",
    # classes of examples
    "def f():\n    '''\n    >>> from typing import Optional\n    >>> class C:\n    ...     def __hash__(self): return 1\n"
    f"    ...     def __eq__(self, o): print(o)\n    >>> t = Optional[C()]\n    '''\n{_TESTED}",
    "def f():\n    '''\n    >>> class G(ExceptionGroup):\n    ...     def split(self, kind): raise kind('x')\n    '''\n"
    f"try:\n    f()\nexcept* ImportError:\n    pass\n{_TESTED}",
)

_AGAIN = "def g():\n    try:\n        next(c)\n    except ValueError:\n        pass\n    yield 1\n"
_FACTORY = "from collections import defaultdict\ndef f():\n    text.clear()\n    return 1\ntext = bytearray(b'%(a)d')\n"

FREED = (
    # the flags of a context lie in its memory, and outlive it
    "import decimal\nkept = decimal.Context().flags\nkept[decimal.Inexact] = True",
    "from decimal import getcontext\nprint(getcontext().flags)",
    # an iterator that runs is dropped by the one around it
    f"from itertools import islice\n{_AGAIN}c = islice(g(), 5)\nlist(c)",
    f"from itertools import chain\n{_AGAIN}c = chain.from_iterable(g())\nlist(c)",
    f"import itertools\n{_AGAIN}c = enumerate(itertools.islice(g(), 5))\nlist(c)",
    f"import itertools\n{_AGAIN}c = max(itertools.islice(g(), 5), [])\nlist(c)",
    f"import itertools\n{_AGAIN}for c in [itertools.islice(g(), 5)]: list(c)",
    f"import itertools\n{_AGAIN}c = (x for x in [itertools.chain(g())])",
    f"import itertools\n{_AGAIN}def list(x): return x\nc = list(itertools.islice(g(), 5))",
    "import itertools\nmake = itertools.chain",
    "import itertools\nmake = itertools.chain.from_iterable",
    "from itertools import chain\nf = lambda x: next(c)\nc = chain(map(bool, map(f, [1, 2])))\nnext(c)",
    "from itertools import cycle\nf = lambda x: next(c)\nc = cycle(map(bool, map(f, [1, 2])))\nnext(c)",
    "from itertools import zip_longest\nf = lambda x: next(c)\nc = zip_longest(map(bool, map(f, [1, 2])))\nnext(c)",
    "from itertools import batched\nc = batched([1], 2)",
    "from itertools import pairwise\nc = pairwise([1])",
    "f = lambda: next(c)\nc = iter(f, 1)\nnext(c)",
    "list(map(iter, [len], [1]))",
    # functions that free their own arguments
    "import functools, itertools\nf = lambda x, y: next(c)\nc = itertools.accumulate([[1]], functools.reduce, initial=f)",
    "import functools, itertools\nk = functools.cmp_to_key(print)\nitertools.groupby([1, 2], k)",
    "import functools\nk = functools.cmp_to_key",
    "import functools\ndef sorted(x, key): return key\nk = sorted([], key=functools.cmp_to_key(print))",
    # what is encoded, formatted or compared is freed meanwhile
    "import json\nf = lambda o: d.clear()\nd = {'a': {'b': {1}}}\njson.dumps(d, default=f, check_circular=False)",
    "import json\njson.dumps({}, **{'check_' + 'circular': False})",
    "import json\nmake = json.dumps",
    f"{_FACTORY}text % defaultdict(f)",
    f"{_FACTORY}text % defaultdict(f)\nbytearray = bytearray",
    "import collections as c\ntext = bytearray(b'%(a)d')\ntext % c.defaultdict(text.clear)",
    "from typing import DefaultDict\ntext = bytearray(b'%(a)d')\ntext % DefaultDict(text.clear)",
    "from typing import DefaultDict\nd = DefaultDict(list)",
    "from collections import ChainMap, defaultdict\nprint(ChainMap(defaultdict(print), {1: 2}) == {})",
    "from collections import OrderedDict\no = OrderedDict(a=1)\ndict.clear(o)\no.popitem()",
    "from collections import OrderedDict, Counter as C\no = OrderedDict(a=1)\nC.clear(o)\no.popitem()",
    "import collections as c\no = c.OrderedDict(a=1)\nc.defaultdict.clear(o)\no.popitem()",
    "from collections import OrderedDict\nfrom typing import Dict\no = OrderedDict(a=1)\nDict.clear(o)\no.popitem()",
    "import collections, typing as t\no = collections.OrderedDict(a=1)\nt.Dict.pop(o, 'a')\no.popitem()",
    # lists and attributes of the library's own objects
    "import calendar\ncalendar.day_name._days[0] = print",
    "from re import RegexFlag",
)
"""Ways to have memory freed that CPython's C code still uses, which then is whatever the program stores there."""

OVERWRITTEN = (
    "import sys\nsys.stdout.truncate(0)",
    "import io, sys\nprint(io.StringIO().getvalue(), file=sys.stderr)\nsys.stderr.truncate(0)",
    "import sys\nsys.stdout.seek(0)\nprint('x')",
    "from sys import stderr as s\nf = s.seek\nf(0)",
    "import sys as s\nlist(map(s.stdout.seek, [0]))",
)
"""What erases what others wrote to the file that is a standard stream."""

LIBRARY = (*RESOLVED, *HANDED, *PASSED_ON, *FREED, *OVERWRITTEN)

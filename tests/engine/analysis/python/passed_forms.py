"""Ways in which a function or module travels as a value before it runs `rm -rf /`, by name."""

from __future__ import annotations

FORMS: dict[str, str] = {
    "passed module": "import os\ndef go(m, c):\n    m.system(c)\ngo(os, 'rm -rf /')",
    "kw module": "import os\ndef go(*, m, c):\n    m.system(c)\ngo(m=os, c='rm -rf /')",
    "default module": "import os\ndef go(c, m=os):\n    m.system(c)\ngo('rm -rf /')",
    "star args": "import os\ndef go(*a):\n    a[0].system(a[1])\ngo(os, 'rm -rf /')",
    "star kwargs": "import os\ndef go(**k):\n    k['m'].system(k['c'])\ngo(m=os, c='rm -rf /')",
    "spread dict": "import os\ndef go(m, c):\n    m.system(c)\nk={'m': os, 'c': 'rm -rf /'}\ngo(**k)",
    "spread list": "import os\ndef go(m, c):\n    m.system(c)\nk=[os, 'rm -rf /']\ngo(*k)",
    "helper first benign": (
        "import os\ndef ap(f, *a):\n    return f(*a)\nap(print, 'x')\nap(len, 'x')\nap(os.system, 'rm -rf /')"
    ),
    "nested helpers 6": (
        "import os\ndef a1(f,c):\n    return f(c)\ndef a2(f,c):\n    return a1(f,c)\n"
        "def a3(f,c):\n    return a2(f,c)\ndef a4(f,c):\n    return a3(f,c)\ndef a5(f,c):\n"
        "    return a4(f,c)\ndef a6(f,c):\n    return a5(f,c)\na6(os.system, 'rm -rf /')"
    ),
    "nested helpers 12": (
        "import os\ndef a1(f,c):\n    return f(c)\ndef a2(f,c):\n    return a1(f,c)\n"
        "def a3(f,c):\n    return a2(f,c)\ndef a4(f,c):\n    return a3(f,c)\ndef a5(f,c):\n"
        "    return a4(f,c)\ndef a6(f,c):\n    return a5(f,c)\ndef a7(f,c):\n"
        "    return a6(f,c)\ndef a8(f,c):\n    return a7(f,c)\ndef a9(f,c):\n"
        "    return a8(f,c)\ndef a10(f,c):\n    return a9(f,c)\ndef a11(f,c):\n"
        "    return a10(f,c)\ndef a12(f,c):\n    return a11(f,c)\na12(os.system, 'rm -rf /')"
    ),
    "closure counter": (
        "import os\ndef mk():\n    m = os\n    def go(c):\n        m.system(c)\n    return go\n"
        "mk()('rm -rf /')"
    ),
    "closure nonlocal": (
        "import os\ndef mk():\n    m = None\n    def put(x):\n        nonlocal m\n"
        "        m = x\n    def go(c):\n        m.system(c)\n    return put, go\np, g = mk()\n"
        "p(os)\ng('rm -rf /')"
    ),
    "global set": (
        "import os\nm = None\ndef put(x):\n    global m\n    m = x\ndef go(c):\n"
        "    m.system(c)\nput(os)\ngo('rm -rf /')"
    ),
    "cell list": ("import os\nbox = []\ndef put(x):\n    box.append(x)\nput(os)\nbox[0].system('rm -rf /')"),
    "cell dict": (
        "import os\nbox = {}\ndef put(k, x):\n    box[k] = x\nput('m', os)\nbox['m'].system('rm -rf /')"
    ),
    "setdefault": "import os\nbox = {}\nbox.setdefault('m', os).system('rm -rf /')",
    "dict update": "import os\nbox = {}\nbox.update(m=os)\nbox['m'].system('rm -rf /')",
    "dict update2": "import os\nbox = {}\nbox.update({'m': os})\nbox['m'].system('rm -rf /')",
    "dict call": "import os\nbox = dict(m=os)\nbox['m'].system('rm -rf /')",
    "dict pairs": "import os\nbox = dict([('m', os)])\nbox['m'].system('rm -rf /')",
    "dict zip": "import os\nbox = dict(zip(['m'], [os]))\nbox['m'].system('rm -rf /')",
    "dict merge": "import os\nbox = {**{'m': os}, 'x': 1}\nbox['m'].system('rm -rf /')",
    "dict or": "import os\nbox = {'x': 1} | {'m': os}\nbox['m'].system('rm -rf /')",
    "list concat": "import os\nbox = [1] + [os]\nbox[1].system('rm -rf /')",
    "list star": "import os\nbox = [1, *[os]]\nbox[1].system('rm -rf /')",
    "list extend": "import os\nbox = [1]\nbox.extend([os])\nbox[-1].system('rm -rf /')",
    "neg index": "import os\nbox = [1, os]\nbox[-1].system('rm -rf /')",
    "list mult": "import os\nbox = [os] * 3\nbox[1].system('rm -rf /')",
    "slice": "import os\nbox = [1, os, 2][1:]\nbox[0].system('rm -rf /')",
    "tuple unpack": "import os\n(a, (b, c)) = (1, (os, 2))\nb.system('rm -rf /')",
    "swap": "import os\na, b = os, 1\na, b = b, a\nb.system('rm -rf /')",
    "deque": "import os, collections\nq = collections.deque([os])\nq.popleft().system('rm -rf /')",
    "queue": "import os, queue\nq = queue.Queue()\nq.put(os)\nq.get().system('rm -rf /')",
    "defaultdict": (
        "import os, collections\nd = collections.defaultdict(lambda: os)\nd['x'].system('rm -rf /')"
    ),
    "chainmap": ("import os, collections\nd = collections.ChainMap({'m': os})\nd['m'].system('rm -rf /')"),
    "ordered": "import os, collections\nd = collections.OrderedDict(m=os)\nd['m'].system('rm -rf /')",
    "class attr": "import os\nclass A:\n    m = os\nA.m.system('rm -rf /')",
    "class attr self": (
        "import os\nclass A:\n    m = os\n    def go(self, c):\n        self.m.system(c)\nA().go('rm -rf /')"
    ),
    "class attr cls": (
        "import os\nclass A:\n    m = os\n    @classmethod\n    def go(cls, c):\n"
        "        cls.m.system(c)\nA.go('rm -rf /')"
    ),
    "static": (
        "import os\nclass A:\n    @staticmethod\n    def go(m, c):\n        m.system(c)\nA.go(os, 'rm -rf /')"
    ),
    "init": (
        "import os\nclass A:\n    def __init__(self, m):\n        self.m = m\n"
        "    def go(self, c):\n        self.m.system(c)\nA(os).go('rm -rf /')"
    ),
    "two objects": (
        "import os\nclass A:\n    def __init__(self, m):\n        self.m = m\n"
        "    def go(self, c):\n        self.m.system(c)\na=A(os)\nb=A(print)\na.go('rm -rf /')"
    ),
    "super init": (
        "import os\nclass B:\n    def __init__(self, m):\n        self.m = m\nclass A(B):\n"
        "    def __init__(self, m):\n        super().__init__(m)\n    def go(self, c):\n"
        "        self.m.system(c)\nA(os).go('rm -rf /')"
    ),
    "base init": (
        "import os\nclass B:\n    def __init__(self, m):\n        self.m = m\nclass A(B):\n"
        "    def __init__(self, m):\n        B.__init__(self, m)\n    def go(self, c):\n"
        "        self.m.system(c)\nA(os).go('rm -rf /')"
    ),
    "inherited": (
        "import os\nclass B:\n    def go(self, c):\n        self.m.system(c)\nclass A(B):\n"
        "    m = os\nA().go('rm -rf /')"
    ),
    "abstract": (
        "import os\nclass B:\n    def go(self, c):\n        self.run(c)\nclass A(B):\n"
        "    def run(self, c):\n        os.system(c)\nA().go('rm -rf /')"
    ),
    "setter": (
        "import os\nclass A:\n    def put(self, m):\n        self.m = m\n    def go(self, c):\n"
        "        self.m.system(c)\na=A()\na.put(os)\na.go('rm -rf /')"
    ),
    "chained": (
        "import os\nclass A:\n    def put(self, m):\n        self.m = m\n        return self\n"
        "    def go(self, c):\n        self.m.system(c)\nA().put(os).go('rm -rf /')"
    ),
    "property": (
        "import os\nclass A:\n    def __init__(self, m):\n        self._m = m\n    @property\n"
        "    def m(self):\n        return self._m\nA(os).m.system('rm -rf /')"
    ),
    "call hook": ("import os\nclass A:\n    def __call__(self, c):\n        os.system(c)\nA()('rm -rf /')"),
    "enter": (
        "import os\nclass A:\n    def __init__(self, m):\n        self.m = m\n"
        "    def __enter__(self):\n        return self.m\n    def __exit__(self, *a):\n"
        "        pass\nwith A(os) as m:\n    m.system('rm -rf /')"
    ),
    "iter": (
        "import os\nclass A:\n    def __init__(self, m):\n        self.m = m\n"
        "    def __iter__(self):\n        yield self.m\nfor m in A(os):\n"
        "    m.system('rm -rf /')"
    ),
    "generator": "import os\ndef g(*m):\n    yield from m\nfor m in g(os):\n    m.system('rm -rf /')",
    "generator2": (
        "import os\ndef g():\n    yield print\n    yield os.system\nfor f in g():\n    f('rm -rf /')"
    ),
    "contextmanager": (
        "import os, contextlib\n@contextlib.contextmanager\ndef g(m):\n    yield m\n"
        "with g(os) as m:\n    m.system('rm -rf /')"
    ),
    "decorator": (
        "import os\ndef deco(f):\n    def inner(*a):\n        return f(*a)\n    return inner\n"
        "@deco\ndef run(c):\n    os.system(c)\nrun('rm -rf /')"
    ),
    "decorator args": (
        "import os\ndef deco(m):\n    def outer(f):\n        def inner(c):\n"
        "            return f(m, c)\n        return inner\n    return outer\n@deco(os)\n"
        "def run(m, c):\n    m.system(c)\nrun('rm -rf /')"
    ),
    "decorator inject": (
        "import os\ndef deco(f):\n    return lambda c: f(os, c)\n@deco\ndef run(m, c):\n"
        "    m.system(c)\nrun('rm -rf /')"
    ),
    "registry": (
        "import os\nREG = {}\ndef reg(f):\n    REG[f.__name__] = f\n    return f\n@reg\n"
        "def go(m, c):\n    m.system(c)\nREG['go'](os, 'rm -rf /')"
    ),
    "registry2": (
        "import os\nREG = []\ndef reg(f):\n    REG.append(f)\n    return f\n@reg\n"
        "def go(m, c):\n    m.system(c)\nfor f in REG:\n    f(os, 'rm -rf /')"
    ),
    "partial": "import os, functools\nf = functools.partial(os.system)\nf('rm -rf /')",
    "partial own": (
        "import os, functools\ndef go(m, c):\n    m.system(c)\nf = functools.partial(go, os)\nf('rm -rf /')"
    ),
    "partial kw": (
        "import os, functools\ndef go(c, m=None):\n    m.system(c)\n"
        "f = functools.partial(go, m=os)\nf('rm -rf /')"
    ),
    "partial.func": ("import os, functools\nf = functools.partial(os.system, 'rm -rf /')\nf.func(*f.args)"),
    "reduce": "import os, functools\nfunctools.reduce(lambda a, f: f(a), [os.system], 'rm -rf /')",
    "compose": (
        "import os\ndef compose(*fs):\n    def run(x):\n        for f in fs:\n"
        "            x = f(x)\n        return x\n    return run\n"
        "compose(str, os.system)('rm -rf /')"
    ),
    "pipeline class": (
        "import os\nclass P:\n    def __init__(self):\n        self.steps = []\n"
        "    def add(self, f):\n        self.steps.append(f)\n        return self\n"
        "    def run(self, x):\n        for s in self.steps:\n            x = s(x)\n"
        "P().add(str).add(os.system).run('rm -rf /')"
    ),
    "callback": (
        "import os\ndef each(xs, f):\n    for x in xs:\n        f(x)\neach(['ls', 'rm -rf /'], os.system)"
    ),
    "callback2": (
        "import os\ndef each(xs, f):\n    return [f(x) for x in xs]\n"
        "each(['rm -rf /'], lambda c: os.system(c))"
    ),
    "event": (
        "import os\nclass E:\n    def __init__(self):\n        self.h = {}\n"
        "    def on(self, n, f):\n        self.h[n] = f\n    def emit(self, n, *a):\n"
        "        self.h[n](*a)\ne = E()\ne.on('x', os.system)\ne.emit('x', 'rm -rf /')"
    ),
    "event lists": (
        "import os\nclass E:\n    def __init__(self):\n        self.h = {}\n"
        "    def on(self, n, f):\n        self.h.setdefault(n, []).append(f)\n"
        "    def emit(self, n, *a):\n        for f in self.h[n]:\n            f(*a)\ne = E()\n"
        "e.on('x', os.system)\ne.emit('x', 'rm -rf /')"
    ),
    "thread": (
        "import os, threading\ndef go(m, c):\n    m.system(c)\n"
        "threading.Thread(target=go, args=(os, 'rm -rf /')).start()"
    ),
    "executor": (
        "import os\nfrom concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor() as p:\n    p.submit(os.system, 'rm -rf /')"
    ),
    "executor own": (
        "import os\nfrom concurrent.futures import ThreadPoolExecutor\ndef go(m, c):\n"
        "    m.system(c)\nwith ThreadPoolExecutor() as p:\n    p.submit(go, os, 'rm -rf /')"
    ),
    "asyncio": ("import os, asyncio\nasync def go(m, c):\n    m.system(c)\nasyncio.run(go(os, 'rm -rf /'))"),
    "map own": "import os\ndef go(m):\n    m.system('rm -rf /')\nlist(map(go, [os]))",
    "map lambda": "import os\nlist(map(lambda m: m.system('rm -rf /'), (os,)))",
    "filter": "import os\nlist(filter(os.system, ['rm -rf /']))",
    "sorted key": "import os\nsorted(['rm -rf /'], key=lambda c: os.system(c))",
    "max key": "import os\nmax(['rm -rf /'], key=os.system)",
    "starmap": (
        "import os, itertools\nlist(itertools.starmap(lambda m, c: m.system(c), [(os, 'rm -rf /')]))"
    ),
    "loop tuple": "import os\nfor m, c in [(1, 2), (os, 'rm -rf /')]:\n    m.system(c)",
    "loop late": "import os\nfor c in ['ls', 'rm -rf /']:\n    os.system(c)",
    "loop late many": (
        "import os\nfor c in ['ls']*0 + ['a','b','c','d','e','f','g','h','rm -rf /']:\n    os.system(c)"
    ),
    "loop lists": ("import subprocess\nfor c in [['git','status'],['rm','-rf','/']]:\n    subprocess.run(c)"),
    "loop zip": "import os\nfor f, c in zip([print, os.system], ['x', 'rm -rf /']):\n    f(c)",
    "loop dict": "import os\nt = {'a': print, 'b': os.system}\nfor k in t:\n    t[k]('rm -rf /')",
    "loop values": ("import os\nt = {'a': print, 'b': os.system}\nfor f in t.values():\n    f('rm -rf /')"),
    "loop items": (
        "import os\nt = {'a': (print, 1), 'b': (os.system, 'rm -rf /')}\n"
        "for n, (f, a) in t.items():\n    f(a)"
    ),
    "while pop": "import os\nt = [os.system, print]\nwhile t:\n    f = t.pop()\n    f('rm -rf /')",
    "range index": "import os\nt = [print, os.system]\nfor i in range(len(t)):\n    t[i]('rm -rf /')",
    "reversed": "import os\nfor f in reversed([os.system, print]):\n    f('rm -rf /')",
    "chain": ("import os, itertools\nfor f in itertools.chain([print], [os.system]):\n    f('rm -rf /')"),
    "nested comp": "import os\n[f(c) for f in (print, os.system) for c in ('x', 'rm -rf /')]",
    "dict comp": (
        "import os\nt = {n: getattr(os, n) for n in ('getcwd', 'system')}\nt['system']('rm -rf /')"
    ),
    "gen next": "import os\nnext(f for f in (os.system, print))('rm -rf /')",
    "any": "import os\nany(f('rm -rf /') for f in (print, os.system))",
    "namespace": "import os, types\nn = types.SimpleNamespace(m=os)\nn.m.system('rm -rf /')",
    "namespace set": "import os, types\nn = types.SimpleNamespace()\nn.m = os\nn.m.system('rm -rf /')",
    "namespace dict": ("import os, types\nn = types.SimpleNamespace(**{'m': os})\nn.m.system('rm -rf /')"),
    "namedtuple": (
        "import os, collections\nN = collections.namedtuple('N', 'm c')\n"
        "n = N(os, 'rm -rf /')\nn.m.system(n.c)"
    ),
    "NamedTuple": (
        "import os, typing\nclass N(typing.NamedTuple):\n    m: object\n    c: str\n"
        "n = N(os, 'rm -rf /')\nn.m.system(n.c)"
    ),
    "dataclass": (
        "import os, dataclasses\n@dataclasses.dataclass\nclass N:\n    m: object\n"
        "    c: str = 'x'\n    def go(self):\n        self.m.system(self.c)\n"
        "N(os, 'rm -rf /').go()"
    ),
    "dataclass kw": (
        "import os\nfrom dataclasses import dataclass\n@dataclass\nclass N:\n    m: object\n"
        "    c: str = 'x'\n    def go(self):\n        self.m.system(self.c)\n"
        "N(m=os, c='rm -rf /').go()"
    ),
    "enum": "import os, enum\nclass E(enum.Enum):\n    RUN = os\nE.RUN.value.system('rm -rf /')",
    "type()": "import os\nA = type('A', (), {'m': os})\nA.m.system('rm -rf /')",
    "type() method": (
        "import os\nA = type('A', (), {'go': lambda self, c: os.system(c)})\nA().go('rm -rf /')"
    ),
    "func attr": "import os\ndef f():\n    pass\nf.m = os\nf.m.system('rm -rf /')",
    "setattr": "import os\nclass A:\n    pass\na = A()\nsetattr(a, 'm', os)\na.m.system('rm -rf /')",
    "__dict__": "import os\nclass A:\n    pass\na = A()\na.__dict__['m'] = os\na.m.system('rm -rf /')",
    "vars": "import os\nclass A:\n    pass\na = A()\nvars(a)['m'] = os\na.m.system('rm -rf /')",
    "dict update obj": (
        "import os\nclass A:\n    def __init__(self, **k):\n        self.__dict__.update(k)\n"
        "A(m=os).m.system('rm -rf /')"
    ),
    "setattr loop": (
        "import os\nclass A:\n    def __init__(self, **k):\n        for n, v in k.items():\n"
        "            setattr(self, n, v)\nA(m=os).m.system('rm -rf /')"
    ),
    "bound method": (
        "import os\nclass A:\n    def __init__(self, m):\n        self.m = m\n"
        "    def go(self, c):\n        self.m.system(c)\nf = A(os).go\nf('rm -rf /')"
    ),
    "method in dict": (
        "import os\nclass A:\n    def __init__(self, m):\n        self.m = m\n"
        "        self.t = {'go': self.go}\n    def go(self, c):\n        self.m.system(c)\n"
        "A(os).t['go']('rm -rf /')"
    ),
    "getattr own": (
        "import os\nclass A:\n    def go(self, m, c):\n        m.system(c)\n"
        "getattr(A(), 'go')(os, 'rm -rf /')"
    ),
    "ternary": "import os\nf = print if 1 > 2 else os.system\nf('rm -rf /')",
    "or": "import os\nf = None or os.system\nf('rm -rf /')",
    "if assign": "import os\nf = print\nif len('x'):\n    f = os.system\nf('rm -rf /')",
    "if else assign": ("import os\nif len('x'):\n    f = os.system\nelse:\n    f = print\nf('rm -rf /')"),
    "try assign": ("import os\ntry:\n    f = os.system\nexcept Exception:\n    f = print\nf('rm -rf /')"),
    "function if": (
        "import os\ndef pick(n):\n    if n:\n        return print\n    return os.system\npick(0)('rm -rf /')"
    ),
    "match": (
        "import os\ndef go(x):\n    match x:\n        case (m, c):\n            m.system(c)\n"
        "go((os, 'rm -rf /'))"
    ),
    "walrus": "import os\nif (m := os):\n    m.system('rm -rf /')",
    "lambda default": "import os\nf = lambda c, m=os: m.system(c)\nf('rm -rf /')",
    "loop closure": (
        "import os\nfs = []\nfor m in (os,):\n    fs.append(lambda c, m=m: m.system(c))\nfs[0]('rm -rf /')"
    ),
    "exception": (
        "import os\nclass E(Exception):\n    def __init__(self, m):\n        self.m = m\ntry:\n"
        "    raise E(os)\nexcept E as e:\n    e.m.system('rm -rf /')"
    ),
    "recursion": (
        "import os\ndef go(fs, c):\n    if fs:\n        fs[0](c)\n        go(fs[1:], c)\n"
        "go([print, os.system], 'rm -rf /')"
    ),
    "ycomb": "import os\n(lambda f: f(f))(lambda f: os.system('rm -rf /'))",
    "curry": (
        "import os\nadd = lambda m: lambda n: lambda c: getattr(m, n)(c)\nadd(os)('system')('rm -rf /')"
    ),
    "late define": (
        "import os\ndef main():\n    helper(os)\ndef helper(m):\n    m.system('rm -rf /')\nmain()"
    ),
    "main guard": (
        "import os\ndef helper(m):\n    m.system('rm -rf /')\nif __name__ == '__main__':\n    helper(os)"
    ),
    "text helper": (
        "import os\ndef build(*parts):\n    return ' '.join(parts)\nos.system(build('rm', '-rf', '/'))"
    ),
    "text helper2": (
        "import os\ndef build(a, b):\n    x = a + b\n    y = x + '/'\n    z = y\n    w = z\n"
        "    return w\nos.system(build('rm ', '-rf '))"
    ),
    "git helper": "import subprocess\ndef run(*a):\n    subprocess.run(['rm', *a])\nrun('-rf', '/')",
    "format helper": (
        "import os\ndef cmd(t, **k):\n    return t.format(**k)\nos.system(cmd('rm -rf {p}', p='/'))"
    ),
    "attr of module": "import os\nimport json\njson.helper = os\njson.helper.system('rm -rf /')",
    "operator.call": "import os, operator\noperator.call(os.system, 'rm -rf /')",
    "dunder call": "import os\nos.system.__call__('rm -rf /')",
    "apply": (
        "import os\ndef apply(f, args=(), kw={}):\n    return f(*args, **kw)\napply(os.system, ('rm -rf /',))"
    ),
    "contextvars": (
        "import os, contextvars\nv = contextvars.ContextVar('v')\nv.set(os)\nv.get().system('rm -rf /')"
    ),
    "threading.local": "import os, threading\nl = threading.local()\nl.m = os\nl.m.system('rm -rf /')",
    "singledispatch": (
        "import os, functools\n@functools.singledispatch\ndef go(x, m):\n    m.system('rm -rf /')\ngo(1, os)"
    ),
    "lru_cache": (
        "import os, functools\n@functools.lru_cache\ndef get():\n    return os\nget().system('rm -rf /')"
    ),
    "wraps": (
        "import os, functools\ndef deco(f):\n    @functools.wraps(f)\n    def inner(*a, **k):\n"
        "        return f(*a, **k)\n    return inner\n@deco\ndef go(m, c):\n    m.system(c)\n"
        "go(os, 'rm -rf /')"
    ),
    "deco class": (
        "import os\nclass D:\n    def __init__(self, f):\n        self.f = f\n"
        "    def __call__(self, *a):\n        return self.f(*a)\n@D\ndef go(m, c):\n"
        "    m.system(c)\ngo(os, 'rm -rf /')"
    ),
    "new": (
        "import os\nclass A:\n    def __new__(cls, m):\n        me = object.__new__(cls)\n"
        "        me.m = m\n        return me\nA(os).m.system('rm -rf /')"
    ),
    "globals set": "import os\nglobals()['m'] = os\nm.system('rm -rf /')",
    "copy": "import os, copy\nb = copy.copy([os])\nb[0].system('rm -rf /')",
    "itertools.repeat": ("import os, itertools\nfor m in itertools.repeat(os, 1):\n    m.system('rm -rf /')"),
    "cycle": ("import os, itertools\nfor m in itertools.cycle([os]):\n    m.system('rm -rf /')\n    break"),
    "iter next": "import os\ni = iter([os])\nnext(i).system('rm -rf /')",
    "set": "import os\ns = {os.system}\nfor f in s:\n    f('rm -rf /')",
    "set pop": "import os\ns = set([os.system])\ns.pop()('rm -rf /')",
    "yield send": "import os\ndef g():\n    x = yield os\n    return x\nnext(g()).system('rm -rf /')",
}

# ruff: noqa: E501, ISC004 - programs, one in a line where it fits
"""Programs that use the libraries for data, and that only compute and print."""

from __future__ import annotations

_NP = "import numpy as np\n"

NUMPY = (
    f"{_NP}a = np.array([[1, 2], [3, 4]], dtype=float)\nprint(a.T @ a, a.mean(axis=0), a.shape, a[a > 1])",
    f"{_NP}print(np.zeros((2, 2), int), np.array(['a', 'b'], dtype='<U4'), np.arange(3, dtype=np.float32).astype('timedelta64[D]'))",
    f"{_NP}rng = np.random.default_rng(1)\nx = rng.normal(size=100)\nprint(x.mean().round(3), np.std(x), x.astype(int).tolist()[:3])",
    f"{_NP}import random\nrng = np.random.default_rng(1)\nprint(rng.random(3), rng.random(size=(2, 2)), rng.standard_normal(2), rng.permuted([1, 2]), random.random(), np.random.random(2))",
    f"{_NP}np.random.seed(3)\nx = np.random.randn(4, 4)\nq, r = np.linalg.qr(x)\nprint(np.allclose(q @ r, x), np.linalg.det(x))",
    f"{_NP}a = np.zeros((3, 3))\na[1, :] = 5\na[a == 0] = -1\na += 1\nprint(a.sum(), np.argmax(a, axis=1), np.unique(a, return_counts=True))",
    f"{_NP}print(np.fft.fft(np.sin(np.linspace(0, 6, 8))).real.round(2))",
    f"{_NP}@np.vectorize\ndef f(x):\n    return x + 1\ng = np.vectorize(str, otypes=[object])\nprint(f([1, 2]), g([1]), np.vectorize(len, [int])(['a']))",
    f"{_NP}f = np.vectorize(lambda x: x + 1)\nprint(f([1, 2]), np.apply_along_axis(lambda r: r.max(), 0, np.eye(2)))",
    f"{_NP}def norm(x: np.ndarray) -> float:\n    return float(np.sqrt(np.sum(x ** 2)))\nprint(norm(np.arange(3)), isinstance(3, np.ndarray))",
    "import numpy\nfrom numpy.linalg import inv\nfrom numpy import pi, sin as s\nprint(inv(numpy.eye(2)), s(pi))",
    f"{_NP}print(np.array([1.0]) / 2)\nnp.set_printoptions(precision=3)\nprint(np.add.reduce([1, 2]), np.iinfo(int).max)",
    f"{_NP}from collections import defaultdict\nd = defaultdict(list)\nd['a'].append(1)\ne = defaultdict(lambda: defaultdict(int))\nf = defaultdict(lambda: [0] * 2)\ng = defaultdict(lambda: np.zeros(3))\nfor k, v in d.items():\n    print(k in d.keys(), list(d.keys()), *d.items(), sorted(d.items(), key=lambda x: x[0]), max(e.items()))\nprint({{k: v for k, v in f.items()}}, dict(zip(d.keys(), g.values())), ' '.join(d.keys()))",
    f"{_NP}a = np.zeros(3)\nprint(np.concatenate((a[1:], a[:1]), axis=0), np.vstack([a, a]), np.hstack((a, a)), np.column_stack((a, a)), np.stack([a] * 3, axis=1), np.append(a, 1))",
    f"{_NP}def windows(a):\n    for i in range(len(a)):\n        yield a[i:]\ntry:\n    print(list(windows(np.arange(3))))\nexcept ValueError:\n    pass\nnp.set_printoptions(precision=2, suppress=True, linewidth=100)\nnp.seterr(all='ignore')",
    f"{_NP}m = np.matmul(np.eye(3), np.arange(9).reshape(3, 3))\nfor row in m:\n    print(' '.join(f'{{x:.1f}}' for x in row))\nprint(m.flatten().nbytes)",
    f"{_NP}import doctest\ndef f(x):\n    '''\n    >>> import numpy as np\n    >>> f(np.array([1]))\n    array([2])\n    '''\n    return x + 1\ndoctest.testmod()",
)

_PD = "import pandas as pd\nimport numpy as np\n"
_D = f"{_PD}d = pd.DataFrame({{'a': [1, 2, 3], 'b': ['x', 'y', 'x'], 'c': pd.to_datetime(['2020-01-01', '2020-02-01', '2021-01-01'])}})\n"

PANDAS = (
    f"{_D}print(d.head(), d.shape, d.columns.tolist(), d.dtypes, d.describe())\nd.info()",
    f"{_D}print(d.groupby('b')['a'].mean(), d.groupby('b').agg({{'a': ['sum', 'max']}}), d.groupby('b').agg(total=('a', 'sum')))",
    f"{_D}d['e'] = d['a'] * 2\nd.loc[d['a'] > 1, 'e'] = 0\nprint(d.sort_values('e', ascending=False).reset_index(drop=True))",
    f"{_D}def grade(x):\n    return 'high' if x > 2 else 'low'\nprint(d['a'].apply(grade), d['a'].map({{1: 'one'}}), d.apply(lambda r: r['a'] + 1, axis=1))",
    f"{_D}print(d.pivot_table(index='b', values='a', aggfunc='sum'), pd.crosstab(d['a'], d['b']), d['b'].value_counts().to_frame())",
    f"{_D}print(d.c.dt.year.tolist(), d['c'].dt.month_name(), d['b'].str.upper().str.contains('X'), d['a'].rolling(2).mean())",
    f"{_D}e = pd.concat([d, d]).drop_duplicates().merge(d, on='a', how='left')\nprint(e.isna().sum(), e.fillna(0).astype({{'a': 'float64'}}), e.to_string(index=False))",
    f"{_D}for index, row in d.iterrows():\n    print(index, row['a'], row.b if False else '')\nprint(len(d), d.empty)",
    f"{_D}print(d.a.corr(d.a), np.sqrt(d['a']), d['a'].quantile(0.5), d.select_dtypes(include=[np.number]).sum(), pd.cut(d['a'], bins=2))",
    f"{_D}print(d.index[:2], d[1:len(d) - 1], d['c'][max(0, len(d) - 2):], d['a'] / 2, d['a'] / len(d), (d['a'] - 1) ** (d['a'] - 2))",
    f"{_D}print(max([1, 2], key=lambda x: -x), list(map(lambda x: x + 1, [1])), d.groupby('b')['a'].agg(lambda x: x.max()), d.set_index('c').loc['2020-01':'2020-02'])",
    f"{_PD}def clean(d: pd.DataFrame) -> pd.Series:\n    d.columns = [c.strip() for c in d.columns]\n    return d['x'].dropna()\n"
    "print(clean(pd.DataFrame({'x ': [1.0, None]})), isinstance(3, pd.DataFrame))",
    f"{_PD}pd.set_option('display.max_columns', None)\ns = pd.Series([3, 1], index=['a', 'b'], name='n')\nprint(s.idxmax(), s['a'], s.sort_index(), s.to_numpy(), s.to_numpy(dtype=float))",
    f"{_PD}t = pd.date_range('2020-01-01', periods=4, freq='D')\nx = pd.DataFrame({{'v': range(4)}}, index=t)\nprint(x.resample('2D').sum(), x['v'].shift(1).diff(), pd.Timestamp('2020-01-01').strftime('%d'))",
)

INPUTS = frozenset({"data.csv", "some folder/notes.txt", "other.bin"})
READING = (
    f"{_PD}d = pd.read_csv('data.csv')\nprint(d.head())",
    f"{_PD}d = pd.read_csv('data.csv', sep=',', header=0, names=['a', 'b'], usecols=[0, 1], dtype={{'a': 'float64', 'b': str}}, na_values=['-'], encoding='utf-8')\nprint(d.mean(numeric_only=True))",
    f"{_NP}print(np.loadtxt('data.csv', delimiter=',', skiprows=1).sum(axis=0))",
    f"{_NP}print(np.genfromtxt('some folder/notes.txt', delimiter=',', names=True, dtype=None, encoding='utf-8'))",
    "from pandas import read_csv\ntry:\n    print(read_csv('data.csv', parse_dates=['b']))\nexcept ValueError as error:\n    print(error)",
)

NAMED = (
    "try:\n    from math import gcd\nexcept ImportError:\n    def gcd(a, b):\n        return a\nfrom math import pow\nprint(gcd(2, 4), pow(2, 3))",
    f"{_PD}from math import sqrt\nlist = [1]\nmax = sqrt(2)\nprint(list, max)",
)

HARMLESS = (*NUMPY, *PANDAS, *READING, *NAMED)

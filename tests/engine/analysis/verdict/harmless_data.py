# ruff: noqa: E501, ISC004 - programs, one in a line where it fits
"""Programs that use the libraries for data, and that only compute and print."""

from __future__ import annotations

_NP = "import numpy as np\n"

NUMPY = (
    f"{_NP}a = np.array([[1, 2], [3, 4]], dtype=float)\nprint(a.T @ a, a.mean(axis=0), a.shape, a[a > 1])",
    f"{_NP}rng = np.random.default_rng(1)\nx = rng.normal(size=100)\nprint(x.mean().round(3), np.std(x), x.astype(int).tolist()[:3])",
    f"{_NP}np.random.seed(3)\nx = np.random.randn(4, 4)\nq, r = np.linalg.qr(x)\nprint(np.allclose(q @ r, x), np.linalg.det(x))",
    f"{_NP}a = np.zeros((3, 3))\na[1, :] = 5\na[a == 0] = -1\na += 1\nprint(a.sum(), np.argmax(a, axis=1), np.unique(a, return_counts=True))",
    f"{_NP}print(np.fft.fft(np.sin(np.linspace(0, 6, 8))).real.round(2))",
    f"{_NP}f = np.vectorize(lambda x: x + 1)\nprint(f([1, 2]), np.apply_along_axis(lambda r: r.max(), 0, np.eye(2)))",
    f"{_NP}def norm(x: np.ndarray) -> float:\n    return float(np.sqrt(np.sum(x ** 2)))\nprint(norm(np.arange(3)), isinstance(3, np.ndarray))",
    "import numpy\nfrom numpy.linalg import inv\nfrom numpy import pi, sin as s\nprint(inv(numpy.eye(2)), s(pi))",
    f"{_NP}class Model:\n    def __init__(self, n):\n        self.weights = np.ones(n)\n        self.size = n\n    def run(self, x):\n"
    "        return np.tanh(self.weights @ x)\nm = Model(3)\nprint(m.run(np.arange(3)), m.weights.size)",
    f"{_NP}with np.errstate(divide='ignore'):\n    print(np.array([1.0]) / 0)\nnp.set_printoptions(precision=3)\nprint(np.add.reduce([1, 2]), np.iinfo(int).max)",
    f"{_NP}m = np.matmul(np.eye(3), np.arange(9).reshape(3, 3))\nfor row in m:\n    print(' '.join(f'{{x:.1f}}' for x in row))\nprint(m.flatten().data.nbytes)",
    f"{_NP}import doctest\ndef f(x):\n    '''\n    >>> import numpy as np\n    >>> f(np.array([1]))\n    array([2])\n    '''\n    return x + 1\ndoctest.testmod()",
    f"{_NP}import copy\na = np.array([None, 'x', {{'a': 1}}], dtype=object)\nprint(copy.deepcopy(a), np.array([1]).shape)\na.shape = (3, 1)\nprint(a)",
)

HARMLESS = NUMPY

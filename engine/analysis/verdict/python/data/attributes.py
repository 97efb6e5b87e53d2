"""Attributes of the objects of numpy: which are safe whatever the value is that has them."""

from __future__ import annotations

from engine.analysis.python.word_lists import words
from engine.analysis.verdict.python.attributes import SAFE
from engine.analysis.verdict.python.data.reserved_attributes import OF_NUMPY
from engine.analysis.verdict.python.reserved_attributes import RESERVED

NUMPY_SAFE = frozenset(
    words(
        """T U S Vh accumulate all any argmax argmin argpartition argsort astype at base beta binomial
            bits chisquare choose clip conj coef coefficients cumprod cumsum data deriv diagonal
            dirichlet dot dtype eigenvalues eigenvectors eps exponential fill flat flatten gamma
            geometric gumbel integ integers item kind laplace logabsdet logistic lognormal mT
            multinomial multivariate_normal nonzero normal order outer pareto permutation permuted
            poisson prod ptp rand randn random_sample ravel rayleigh reduce reduceat repeat reshape
            roots round searchsorted smallest_normal squeeze standard_normal std sum swapaxes take
            tiny trace transpose var weibull"""
    )
)
"""Attributes that numpy's objects have, and that compute in memory whatever they are given."""

UNSAFE = frozenset({"dump", "query", "astimezone", "_init"})
"""Attributes that are safe in a program without these libraries, and not on all of their objects."""

_WATCHED = (OF_NUMPY - SAFE - NUMPY_SAFE) | UNSAFE | {"dtype", "strides"}
"""Attributes that may not be assigned: objects of the library act on what they hold."""


def stored_by_library(name: str, libraries: frozenset[str]) -> bool:
    """Return whether a library acts on what an attribute of this name holds."""
    return bool(libraries) and name in _WATCHED


def safe_attributes(own: frozenset[str], libraries: frozenset[str]) -> frozenset[str]:
    """Return the attributes that are safe on every value; `own` has those that the program defines."""
    if not libraries:
        return SAFE | (own - RESERVED)
    return (SAFE - UNSAFE) | NUMPY_SAFE | (own - RESERVED - OF_NUMPY - UNSAFE)

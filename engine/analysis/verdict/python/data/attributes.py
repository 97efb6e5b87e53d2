"""Attributes of the objects of numpy, pandas and matplotlib: which are safe on any value that has them."""

from __future__ import annotations

from functools import cache

from engine.analysis.python.word_lists import words
from engine.analysis.verdict.python.attributes import SAFE
from engine.analysis.verdict.python.data.restricted import methods

NUMPY_SAFE = frozenset(
    words(
        """T U S Vh accumulate all any argmax argmin argpartition argsort astype at beta binomial
            bits chisquare clip conj coef coefficients cumprod cumsum deriv diagonal
            dirichlet dot dtype eigenvalues eigenvectors eps exponential fill flatten gamma
            geometric gumbel integ integers item kind laplace logabsdet logistic lognormal mT
            multinomial multivariate_normal nonzero normal order outer pareto permutation permuted
            poisson prod ptp rand randn random_sample ravel rayleigh reduce reduceat reshape
            roots round searchsorted smallest_normal squeeze standard_normal std sum swapaxes take
            tiny trace transpose var weibull"""
    )
)
"""Attributes that numpy's objects have, and that compute in memory whatever they are given."""

PANDAS_SAFE = frozenset(
    words(
        """add_prefix add_suffix align argmax argmin array as_ordered as_unordered asfreq
            assign at autocorr axes between bfill cat categories ceil columns contains corr corrwith
            cov cumcount cummax cummin cumprod cumsum day_of_week day_of_year dayofweek dayofyear
            days_in_month daysinmonth diff dot drop drop_duplicates droplevel dropna dt dtype
            dtypes duplicated eq equals ewm expanding explode extract extractall factorize ffill fillna
            first first_valid_index floor ge get_group get_level_values groupby gt has_duplicates
            hasnans head iat idxmax idxmin iloc infer_objects info is_leap_year is_monotonic_decreasing
            is_monotonic_increasing is_month_end is_month_start is_quarter_end is_quarter_start is_unique
            is_year_end is_year_start isin isna isnull item iterrows key kurt kurtosis last
            last_valid_index le left len length level loc lt mask melt memory_usage merge mid
            millisecond mod mul n nanosecond ne ngroup ngroups nlargest nlevels notna notnull nsmallest nth
            nunique ordered pad pct_change pivot prod product quantile quarter rank reindex
            remove_unused_categories rename rename_axis rename_categories reorder_levels resample
            reset_index right rmul round rsub sem set_axis set_categories set_index skew slice sort_index
            sort_values squeeze stack std str swaplevel tail take to_frame to_list to_period
            to_pydatetime to_timestamp transpose unique unstack value_counts var where xs"""
    )
)
"""Attributes that objects of pandas have, and that compute in memory whatever they are given."""

MATPLOTLIB_SAFE = frozenset({"patches", "spines", "transAxes"})
"""Attributes that objects of matplotlib have, and that only lead to others of its objects."""

UNSAFE_BESIDE_MATPLOTLIB = frozenset({"_mapping", "update"})
"""`update` sets any property of what is drawn, such as `usetex`, which starts a process to draw its text;
`_mapping` leads from a view of spines to the spines, in which a program would store attributes."""

UNSAFE_BESIDE_PANDAS = frozenset({"args", "divide", "searchsorted"})
"""`searchsorted` and `divide` take a text for a type of elements, which can name a file of a time zone;
`args` of a `KeyError` may hold a slice, by which `loc` would do the same."""

UNSAFE = frozenset({"byteswap", "dump", "query", "astimezone", "_init", "fields", "flags", "put", "release"})
"""Attributes that are safe in a program without these libraries, and not on all of their objects.

By `flags` an array that a library protects becomes writable, and its C code trusts what is in it; `release`
frees memory that an array shows; `fields`, compared with an object of the program, hands its `__eq__` the
dictionary by which C code reads elements. Nor are `base` (the memory behind an array) and the `codes` and
`levels` of an index (lists that can be changed) listed above: each leads to memory beyond arrays. In an array
of texts of any length (type `T`), `byteswap`, `choose`, `flat` and `put` move bytes that C code takes for
addresses.
"""

_LISTED = {
    "numpy": NUMPY_SAFE,
    "pandas": PANDAS_SAFE,
    "matplotlib": MATPLOTLIB_SAFE,
}
_UNSAFE_BESIDE = {"pandas": UNSAFE_BESIDE_PANDAS, "matplotlib": UNSAFE_BESIDE_MATPLOTLIB}


def assigned_attributes(libraries: frozenset[str]) -> frozenset[str]:
    """Return the attributes that may be assigned: the precision of `decimal`, and the labels of a table."""
    if not libraries:
        return frozenset({"prec"})
    return frozenset({"columns", "index"}) if "pandas" in libraries else frozenset()


def safe_attributes(libraries: frozenset[str]) -> frozenset[str]:
    """Return the attributes that are safe on every value."""
    return _listed(libraries) if libraries else SAFE


@cache
def _listed(libraries: frozenset[str]) -> frozenset[str]:
    """Return the attributes that are safe on all objects; those of numpy are everywhere."""
    unsafe = UNSAFE.union(*(_UNSAFE_BESIDE[name] for name in libraries & _UNSAFE_BESIDE.keys()))
    listed = SAFE.union(*(_LISTED[name] for name in _known(libraries)))
    return listed.difference(unsafe, methods(libraries).keys())


def _known(libraries: frozenset[str]) -> frozenset[str]:
    return (libraries | {"numpy"}) & _LISTED.keys()

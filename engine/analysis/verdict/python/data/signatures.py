"""Functions and methods of the libraries for data that are safe in some ways only, and in which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from types import MappingProxyType


class ArgumentKind(Enum):
    """What one argument may be."""

    ANY = auto()
    """Anything that a proven program can hold."""
    LITERAL = auto()
    """Numbers, texts, and lists, tuples and dictionaries of them, spelled out."""
    FUNCTION = auto()
    """A function that is spelled out here, or the name of a listed reduction: texts name methods."""
    TYPE = auto()
    """A type of elements that is spelled out: texts can name a file of a time zone."""
    INPUT = auto()
    """The name of a granted input file, spelled out."""
    ENCODING = auto()
    OPTION = auto()
    """The name of an option of the display, spelled out."""


@dataclass(frozen=True, slots=True)
class RestrictedCall:
    """The arguments that a restricted call may have."""

    positional: tuple[ArgumentKind, ...]
    keywords: Mapping[str, ArgumentKind]
    others: ArgumentKind | None = None
    """What further keywords may be, if there may be any."""


_KINDS = {kind.name.lower(): kind for kind in ArgumentKind}


def _signature(positional: str, keywords: str = "", others: ArgumentKind | None = None) -> RestrictedCall:
    """Return the signature of words: kinds of positional arguments, and `name=kind` (or `name`: any)."""
    named = {}
    for word in keywords.split():
        name, _, kind = word.partition("=")
        named[name] = _KINDS[kind or "any"]
    return RestrictedCall(tuple(_KINDS[kind] for kind in positional.split()), MappingProxyType(named), others)


_TEXT = (
    "delimiter=literal encoding=encoding max_rows=literal dtype=type comments=literal usecols=literal"
    " unpack=literal"
)
_PIVOTED = "values index columns aggfunc=function fill_value margins dropna margins_name observed"
FUNCTIONS: Mapping[str, RestrictedCall] = MappingProxyType(
    {
        "numpy.loadtxt": _signature(
            "input",
            f"{_TEXT} skiprows=literal ndmin=literal",
        ),
        "numpy.genfromtxt": _signature(
            "input",
            f"{_TEXT} skip_header=literal skip_footer=literal names=literal filling_values=literal"
            " missing_values=literal",
        ),
        "pandas.DataFrame": _signature("any any any", "data index columns dtype=type copy"),
        "pandas.Index": _signature("any", "data name"),
        "pandas.Series": _signature("any any", "data index name dtype=type copy"),
        "pandas.Timedelta": _signature("any any", "days hours minutes seconds weeks unit"),
        "pandas.Timestamp": _signature("any", "year month day hour minute second unit"),
        "pandas.crosstab": _signature("any any", "margins normalize rownames colnames margins_name"),
        "pandas.date_range": _signature("any any any any", "start end periods freq name inclusive normalize"),
        "pandas.get_dummies": _signature("any", "columns prefix prefix_sep drop_first dummy_na dtype=type"),
        "pandas.pivot_table": _signature("any", _PIVOTED),
        "pandas.read_csv": _signature(
            "input",
            "sep=literal delimiter=literal header=literal names=literal index_col=literal usecols=literal"
            " dtype=type skiprows=literal nrows=literal na_values=literal keep_default_na=literal"
            " parse_dates=literal dayfirst=literal thousands=literal decimal=literal comment=literal"
            " skipinitialspace=literal quotechar=literal encoding=encoding low_memory=literal"
            " on_bad_lines=literal",
        ),
        "pandas.set_option": _signature("option any"),
    }
)
"""Functions that are called directly, by their full names."""

_AGGREGATED = _signature("function any", "func=function axis", ArgumentKind.FUNCTION)
METHODS: Mapping[str, RestrictedCall] = MappingProxyType(
    {
        "agg": _AGGREGATED,
        "aggregate": _AGGREGATED,
        "apply": _signature("function any", "func=function axis args raw result_type=literal include_groups"),
        "applymap": _signature("function", "na_action=literal"),
        "astype": _signature("type", "dtype=type copy errors=literal"),
        "day_name": _signature(""),
        "describe": _signature("", "percentiles include=type exclude=type"),
        "filter": _signature("function", "items like regex axis"),
        "map": _signature("any", "na_action=literal"),
        "month_name": _signature(""),
        "now": _signature(""),
        "pivot_table": _signature(
            "any any any",
            "values index columns aggfunc=function fill_value margins dropna margins_name observed",
        ),
        "rolling": _signature("any any", "window min_periods center closed on"),
        "select_dtypes": _signature("type type", "include=type exclude=type"),
        "to_string": _signature("", "index header na_rep float_format justify max_rows max_cols columns"),
        "today": _signature(""),
        "transform": _signature("function", "func=function"),
    }
)
"""Methods that are called directly where pandas is imported, whatever they belong to."""

REASONS: Mapping[ArgumentKind, str] = MappingProxyType(
    {
        ArgumentKind.ANY: "gets arguments that this code does not spell out",
        ArgumentKind.LITERAL: "gets an option that is computed",
        ArgumentKind.FUNCTION: "gets what may be the name of any method",
        ArgumentKind.TYPE: "gets a type that is not on the list or is computed",
        ArgumentKind.INPUT: "reads what is not certainly an input file",
        ArgumentKind.ENCODING: "gets an encoding that is not on the list",
        ArgumentKind.OPTION: "sets an option that is not on the list",
    }
)

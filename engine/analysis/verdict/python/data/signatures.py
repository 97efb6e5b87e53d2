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
    ARRAYS = auto()
    """A list or tuple that is spelled out."""
    LITERAL = auto()
    """Numbers, texts, and lists, tuples and dictionaries of them, spelled out."""
    FUNCTION = auto()
    """A function that is spelled out here, or the name of a listed reduction: texts name methods."""
    NAMED = auto()
    """A function under a name, alone or with its column: a `Series` takes the column for a method, too, or
    for a function of numpy, such as `load`."""
    TYPE = auto()
    """A type of elements that is spelled out: texts can name a file of a time zone."""
    INPUT = auto()
    """The name of a granted input file, spelled out."""
    ENCODING = auto()
    OPTION = auto()
    """The name of an option of the display, spelled out."""
    TABLE = auto()
    """The name of a table that is written to the workspace, spelled out."""
    PICTURE = auto()
    """The name of a picture that is written to the workspace, spelled out."""
    FORMAT = auto()
    """The format of a picture."""
    TEXT = auto()
    """A text that formats numbers without their attributes, spelled out."""
    STYLE = auto()
    """How something is drawn: listed words with their values, spelled out."""
    CHART = auto()
    """The kind of a chart that draws a table."""
    BACKEND = auto()
    """What draws without a window, spelled out."""
    AXIS = auto()
    """The number or the name of an axis, spelled out: groups take another text there for a method's name."""


@dataclass(frozen=True, slots=True)
class RestrictedCall:
    """The arguments that a restricted call may have."""

    positional: tuple[ArgumentKind, ...]
    keywords: Mapping[str, ArgumentKind]
    others: ArgumentKind | None
    """What further keywords may be, if there may be any."""
    least: int
    """How many positional arguments there are at least, `func` among them: else keywords may name methods."""


_KINDS = {kind.name.lower(): kind for kind in ArgumentKind}


def signature(
    positional: str, keywords: str = "", others: ArgumentKind | None = None, *, least: int = 0
) -> RestrictedCall:
    """Return the signature of words: kinds of positional arguments, and `name=kind` (or `name`: any)."""
    named = {}
    for word in keywords.split():
        name, _, kind = word.partition("=")
        named[name] = _KINDS[kind or "any"]
    kinds = tuple(_KINDS[kind] for kind in positional.split())
    return RestrictedCall(kinds, MappingProxyType(named), others, least)


_TEXT = (
    "delimiter=literal encoding=encoding max_rows=literal dtype=type comments=literal usecols=literal"
    " unpack=literal"
)
_MAKERS = {
    1: "array asanyarray asarray ascontiguousarray empty empty_like fromiter identity indices ones ones_like"
    " zeros zeros_like",
    2: "full full_like",
    3: "arange eye tri",
    4: "geomspace",
    5: "linspace logspace",
}
"""Functions of numpy that make arrays, by the number of arguments before the type of their elements."""
MAKERS = {
    f"numpy.{name}": signature(f"{'any ' * before} type", "dtype=type", ArgumentKind.ANY)
    for before, names in _MAKERS.items()
    for name in names.split()
}
JOINERS = {
    "numpy.stack": signature("any any", "axis"),
    "numpy.concatenate": signature("arrays any", "axis"),
    **dict.fromkeys(
        ("numpy.column_stack", "numpy.dstack", "numpy.hstack", "numpy.vstack"), signature("arrays")
    ),
}
"""Functions of numpy that join arrays. Of very many arrays the sizes may overflow, and where a conversion
fails after some elements, numpy has written beyond the result, and the program goes on."""
_PIVOTED = "values index columns aggfunc=function fill_value margins dropna margins_name observed"
FUNCTIONS: Mapping[str, RestrictedCall] = MappingProxyType(
    {
        **MAKERS,
        **JOINERS,
        "numpy.vectorize": signature("any type", "pyfunc otypes=type excluded=literal cache=literal"),
        "numpy.loadtxt": signature(
            "input",
            f"{_TEXT} skiprows=literal ndmin=literal",
        ),
        "numpy.genfromtxt": signature(
            "input",
            f"{_TEXT} skip_header=literal skip_footer=literal names=literal filling_values=literal"
            " missing_values=literal",
        ),
        "numpy.set_printoptions": signature(
            "any any any any any",
            "precision threshold edgeitems linewidth suppress nanstr infstr sign floatmode",
        ),
        "numpy.savetxt": signature(
            "table any",
            "fname=table X fmt=literal delimiter=literal newline=literal header=literal footer=literal"
            " comments=literal encoding=encoding",
        ),
        "pandas.DataFrame": signature("any any any", "data index columns dtype=type copy"),
        "pandas.Index": signature("any", "data name"),
        "pandas.Series": signature("any any", "data index name dtype=type copy"),
        "pandas.Timedelta": signature("any any", "days hours minutes seconds weeks unit"),
        "pandas.Timestamp": signature("any", "year month day hour minute second unit"),
        "pandas.crosstab": signature("any any", "margins normalize rownames colnames margins_name"),
        "pandas.date_range": signature("any any any any", "start end periods freq name inclusive normalize"),
        "pandas.get_dummies": signature("any", "columns prefix prefix_sep drop_first dummy_na dtype=type"),
        "pandas.pivot_table": signature("any", _PIVOTED),
        "pandas.read_csv": signature(
            "input",
            "sep=literal delimiter=literal header=literal names=literal index_col=literal usecols=literal"
            " dtype=type skiprows=literal nrows=literal na_values=literal keep_default_na=literal"
            " parse_dates=literal dayfirst=literal thousands=literal decimal=literal comment=literal"
            " skipinitialspace=literal quotechar=literal encoding=encoding low_memory=literal"
            " on_bad_lines=literal",
        ),
        "pandas.set_option": signature("option any"),
    }
)
"""Functions that are called directly, by their full names."""

ARRAYS: Mapping[str, RestrictedCall] = MappingProxyType(
    {
        "astype": signature("type", "dtype=type", ArgumentKind.ANY),
        "permuted": signature("any", "x axis"),
        "random": signature("any type", "size dtype=type"),
        "standard_normal": signature("any type", "size dtype=type"),
    }
)
"""Methods of arrays, and of generators of random numbers: those without `out`, for C code takes whatever
stands there for an array."""
_AGGREGATED = signature("function axis", "func=function axis=axis", ArgumentKind.NAMED)
METHODS: Mapping[str, RestrictedCall] = MappingProxyType(
    {
        "agg": _AGGREGATED,
        "aggregate": _AGGREGATED,
        "apply": signature(
            "function any", "func=function axis=axis args raw result_type=literal include_groups", least=1
        ),
        "applymap": signature("function", "na_action=literal"),
        "astype": signature("type", "dtype=type copy errors=literal"),
        "day_name": signature(""),
        "describe": signature("", "percentiles include=type exclude=type"),
        "ewm": signature(
            "any any any any any", "com span halflife alpha min_periods adjust=literal ignore_na=literal"
        ),
        "filter": signature("function", "items like regex axis"),
        "fromordinal": signature("any"),
        "fromtimestamp": signature("any"),
        "map": signature("any", "na_action=literal"),
        "month_name": signature(""),
        "now": signature(""),
        "pct_change": signature("any", "periods"),
        "pivot_table": signature(
            "any any any",
            "values index columns aggfunc=function fill_value margins dropna margins_name observed",
        ),
        "rolling": signature("any any", "window min_periods center closed on"),
        "select_dtypes": signature("type type", "include=type exclude=type"),
        "to_csv": signature(
            "table literal",
            "path_or_buf=table sep=literal na_rep=literal float_format=literal columns header index"
            " index_label=literal encoding=encoding quotechar=literal date_format=literal decimal=literal",
        ),
        "to_numpy": signature("type", "dtype=type copy na_value"),
        "to_string": signature("", "index header na_rep float_format justify max_rows max_cols columns"),
        "today": signature(""),
        "transform": signature("function", "func=function"),
    }
)
"""Methods that are called directly where pandas is imported, whatever they belong to."""

REASONS: Mapping[ArgumentKind, str] = MappingProxyType(
    {
        ArgumentKind.ANY: "gets arguments that this code does not spell out",
        ArgumentKind.ARRAYS: "gets a list that is not spelled out",
        ArgumentKind.LITERAL: "gets an option that is computed",
        ArgumentKind.FUNCTION: "gets what may be the name of any method",
        ArgumentKind.NAMED: "gets what may be the name of any method",
        ArgumentKind.TYPE: "gets a type that is not on the list or is computed",
        ArgumentKind.INPUT: "reads what is not certainly an input file",
        ArgumentKind.ENCODING: "gets an encoding that is not on the list",
        ArgumentKind.OPTION: "sets an option that is not on the list",
        ArgumentKind.TABLE: "writes what is not certainly a plain new `.csv` or `.tsv` in the workspace",
        ArgumentKind.PICTURE: "writes what is not certainly a plain new picture in the workspace",
        ArgumentKind.FORMAT: "gets a format of pictures that is not on the list",
        ArgumentKind.TEXT: "gets a format that takes attributes or is computed",
        ArgumentKind.STYLE: "gets a style with words that are not on the list or are computed",
        ArgumentKind.CHART: "draws a chart that is not on the list",
        ArgumentKind.BACKEND: "chooses a backend that is not on the list",
        ArgumentKind.AXIS: "gets an axis that is not spelled out",
    }
)

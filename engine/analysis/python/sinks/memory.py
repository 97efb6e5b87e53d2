"""Calls that need huge amounts of memory or computation."""

from __future__ import annotations

from math import comb, perm, prod
from typing import Any

from engine.analysis.python.declare import python_rule
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.sink_registry import CALLS, Handler, PythonCall, handles
from engine.analysis.python.evaluate.targets import parts_of
from engine.analysis.python.evaluate.values import NOTHING, PythonValue, derived, is_callable, text_of
from engine.analysis.python.loops.resources import length_of, number, too_many
from engine.analysis.python.rules import resources as rules
from engine.analysis.python.sinks.files import write_path
from engine.analysis.python.sinks.test_results import check_edit
from engine.analysis.python.word_lists import words
from engine.analysis.regexes import explodes
from engine.models import Level

REGEX = python_rule(
    "py-regex-explosion",
    "A regular expression can take exponential time",
    "resource",
    Level.MEDIUM,
    attack="Hangs on a short text.",
    why="MEDIUM: needs a hostile text.",
    fix="Do not nest repetitions.",
    match=(
        "import re\nre.compile(r'(a+)+$')",
        "import re\nre.match(r'(a|a)*b', x)",
        "import re\nre.compile(r'(([a-z])+.)+x')",
    ),
    not_match=("import re\nre.compile(r'(ab)+')", "import re\nre.compile(r'a+b+')"),
    cwe=1333,
)


def _sized(previous: Handler | None, width: int) -> Handler:
    def sized(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
        size = number(call.arg(0))
        too_many(evaluator, call.node, size * width)
        return previous(evaluator, call) if previous is not None else None

    return sized


for _name in ("builtins.bytes", "builtins.bytearray"):
    CALLS[_name] = _sized(CALLS.get(_name), 1)


def _listed(previous: Handler | None) -> Handler:
    def listed(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
        source = call.arg(0)
        if source is not None and source.name == "endless":
            evaluator.report(rules.ENDLESS, call.node, "Collects an endless iterator", severity=Level.HIGH)
        if source is not None and source.items is not None and "turns" in source.items:
            too_many(evaluator, call.node, number(source.items["turns"]) * 8)
        return previous(evaluator, call) if previous is not None else derived(NOTHING, source)

    return listed


for _name in (
    "builtins.list",
    "builtins.tuple",
    "builtins.set",
    "builtins.sorted",
    "builtins.sum",
    "builtins.max",
    "builtins.min",
):
    CALLS[_name] = _listed(CALLS.get(_name))

_range = CALLS["builtins.range"]


@handles("builtins.range")
def counted(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A range keeps its number of iterations."""
    value = _range(evaluator, call)
    numbers = [arg.const for arg in call.args if arg is not None and isinstance(arg.const, int)]
    if len(numbers) == len(call.args) and numbers and (value is None or not value.known):
        start, stop, step = (numbers[0], numbers[1], 1) if len(numbers) == 2 else (0, numbers[0], 1)
        if len(numbers) == 3:
            start, stop, step = numbers[0], numbers[1], numbers[2] or 1
        value = PythonValue()
        value.items = {"turns": PythonValue(max(0, (stop - start) // step))}
    return value


@handles("itertools.count", "itertools.cycle", "itertools.repeat")
def endless(_: Evaluator, call: PythonCall) -> PythonValue | None:
    """An iterator without an end."""
    if call.name.endswith("repeat") and call.has(1, "times"):
        return PythonValue.holding({0: call.arg(0)})
    value = PythonValue(name="endless")
    parts = parts_of(call.arg(0)) if call.name.endswith("cycle") else [call.arg(0)]
    if any(map(is_callable, parts)):
        value.items = dict(enumerate(parts))
    return value


@handles("builtins.iter")
def iterate(_: Evaluator, call: PythonCall) -> PythonValue | None:
    """`iter(int, 1)` never meets its end."""
    first = call.arg(0)
    if (
        len(call.args) == 2
        and first is not None
        and first.name in ("builtins.int", "builtins.float", "builtins.list")
    ):
        return PythonValue(name="endless")
    return first


@handles("itertools.product", "itertools.permutations", "itertools.combinations")
def combinations(_: Evaluator, call: PythonCall) -> PythonValue | None:
    """What goes in, and how many there are where that is very many."""
    lengths = [length_of(arg) for arg in call.args[: None if call.name.endswith("product") else 1]]
    count = _combined(call, lengths) if lengths and all(lengths) else 0
    value = derived(NOTHING, *call.args)
    if count < _MANY_COMBINATIONS:
        return value
    value = value or PythonValue()
    value.items = {"turns": PythonValue(min(count, 10**30))}
    return value


_MANY_COMBINATIONS = 10**7
_MAX_LENGTH = 200


def _combined(call: PythonCall, lengths: list[int]) -> int:
    if call.name.endswith("product"):
        repeat = number(call.keywords.get("repeat")) or 1
        return int(prod(lengths) ** min(repeat, _MAX_LENGTH))
    length = min(lengths[0], _MAX_LENGTH)
    chosen = number(call.arg(1, "r")) or length
    return perm(length, chosen) if call.name.endswith("permutations") else comb(length, chosen)


_ARRAYS = words("zeros ones empty full eye random.rand random.randn random.random identity arange linspace")


@handles(
    *(f"numpy.{name}" for name in _ARRAYS),
    "torch.zeros",
    "torch.ones",
    "torch.empty",
    "torch.rand",
    "torch.randn",
)
def array(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """An array of a known shape."""
    shape = call.arg(0, "shape")
    sizes: list[Any] = []
    if shape is not None and isinstance(shape.const, list | tuple):
        sizes = [size for size in shape.const if isinstance(size, int)]
    else:
        sizes = [arg.const for arg in call.args if arg is not None and isinstance(arg.const, int)]
    if sizes and all(size > 0 for size in sizes):
        too_many(evaluator, call.node, prod(sizes) * 8)
    return None


@handles("math.factorial", "math.comb", "math.perm")
def factorial(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A number of very many digits."""
    if number(call.arg(0)) > 100_000:
        evaluator.report(rules.ALLOCATION, call.node, f"`{call.name}` of {number(call.arg(0)):,}")
    return None


@handles("math.prod")
def product(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A product of very many numbers."""
    turns = length_of(call.arg(0))
    if turns > _MANY_FACTORS:
        evaluator.report(rules.ALLOCATION, call.node, f"`{call.name}` of {turns:,} numbers")
    return None


_MANY_FACTORS = 200_000


@handles("builtins.pow")
def power(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """`pow` without a modulus."""
    base, exponent = number(call.arg(0)), number(call.arg(1))
    if len(call.args) == 2 and base.bit_length() * exponent > 10**8:
        evaluator.report(
            rules.ALLOCATION, call.node, f"Computes a number of about {base.bit_length() * exponent:,} bits"
        )
    return None


@handles(
    "os.truncate",
    "os.ftruncate",
    "os.posix_fallocate",
    "builtins.open().truncate",
    "builtins.open().seek",
    "tempfile.TemporaryFile().seek",
    "tempfile.TemporaryFile().truncate",
    "tempfile.NamedTemporaryFile().seek",
    "tempfile.NamedTemporaryFile().truncate",
)
def truncate(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A file of a given size."""
    size = number(call.args[-1] if call.args else None)
    too_many(evaluator, call.node, size)
    return write_path(evaluator, call) if call.name == "os.truncate" else None


@handles(*(f"re.{name}" for name in words("compile match search fullmatch findall finditer sub subn split")))
def regex(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A regular expression that can take exponential time."""
    pattern = text_of(call.arg(0, "pattern"))
    if pattern is not None and explodes(pattern):
        evaluator.report(REGEX, call.node, f"`{pattern[:80]}` has nested repetitions")
    if call.name.startswith("re.sub"):
        check_edit(evaluator, call)
    if call.name == "re.sub" and len(call.args) > 2:
        return derived(NOTHING, call.args[2])
    return derived(NOTHING, *call.args[1:])


_LONG_SLEEP = 60
"""Seconds: about as long as a run may take."""


@handles("time.sleep", "asyncio.sleep", "signal.pause")
def sleep(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A wait longer than any run."""
    value = call.arg(0)
    if value is not None and isinstance(value.const, int | float) and value.const >= _LONG_SLEEP:
        evaluator.report(rules.ENDLESS, call.node, f"Sleeps {value.const:,} s")
    if call.name == "signal.pause":
        evaluator.report(rules.ENDLESS, call.node, "Waits for a signal")
    return None

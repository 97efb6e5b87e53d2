"""Built-in functions and decoders that are computed where their arguments are constants."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from itertools import zip_longest
from typing import Any

from engine.analysis.python.declare import python_rule
from engine.analysis.python.evaluate import decoders
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.fold import MAX_TEXT, attempt
from engine.analysis.python.evaluate.patterns import HOLE, pattern_of
from engine.analysis.python.evaluate.sink_registry import CALLS, TOUCHING, PythonCall, handles
from engine.analysis.python.evaluate.targets import element, parts_of
from engine.analysis.python.evaluate.values import NOTHING, PythonValue, Taint, derived, taint_of
from engine.analysis.python.rules.files import SENSITIVE as SENSITIVE_FILE
from engine.analysis.python.sinks.paths import is_sensitive
from engine.analysis.python.word_lists import words
from engine.models import Level

ZIP_BOMB = python_rule(
    "py-decompression",
    "A constant decompresses to a much larger size",
    "resource",
    Level.HIGH,
    attack="Fills the memory with a few bytes of input.",
    why="HIGH: the ratio is that of a decompression bomb.",
    fix="Decompress in parts, with a limit.",
    match=(f"import zlib\nzlib.decompress({zlib.compress(bytes(1_000_000))!r})",),
    not_match=("import zlib\nzlib.decompress(x)",),
    cwe=409,
)


def _text(*args: Any) -> Any:
    return str(*args) if len(str(args[:1])) < MAX_TEXT else NOTHING


def _bytes(*args: Any) -> Any:
    return bytes(*args) if args and isinstance(args[0], str | list | tuple | bytes) else NOTHING


def _range(*args: Any) -> Any:
    numbers = range(*args)
    return list(numbers) if len(numbers) <= 256 else NOTHING


def _list(value: Any) -> Any:
    return list(value)[:MAX_TEXT]


_FOLDS: dict[str, Callable[..., Any]] = {
    "chr": chr,
    "ord": ord,
    "str": _text,
    "bytes": _bytes,
    "bytearray": _bytes,
    "int": int,
    "float": float,
    "list": _list,
    "tuple": tuple,
    "reversed": lambda value: list(reversed(value)),
    "sorted": sorted,
    "range": _range,
    "len": len,
    "min": min,
    "max": max,
    "hex": hex,
    "bin": bin,
    "oct": oct,
    "repr": repr,
    "ascii": ascii,
    "slice": slice,
    "format": lambda value, spec="": format(value, spec) if len(spec) < 8 else NOTHING,
    "next": lambda value: value[0],
    "iter": lambda value: value,
    "zip": lambda *values: [list(parts) for parts in zip(*values, strict=False)],
    "enumerate": lambda value: [[index, part] for index, part in enumerate(value)],
    "sum": sum,
}
TOUCHING.update(
    f"builtins.{name}"
    for name in words(
        "eval exec compile open __import__ getattr setattr vars globals locals input chr bytes bytearray "
        "reversed map print execfile"
    )
)
_KEEPING = frozenset(("list", "tuple", "reversed", "iter", "sorted", "set"))


def _folder(name: str, compute: Callable[..., Any]) -> Callable[[Evaluator, PythonCall], PythonValue | None]:
    def fold(_: Evaluator, call: PythonCall) -> PythonValue | None:
        args = call.args
        first = args[0] if args else None
        if first is None and len(args) <= 1 and not call.keywords:
            return None
        consts = [arg.const for arg in args if arg is not None and arg.known and not arg.name]
        if args and len(consts) == len(args) and not call.keywords:
            return derived(attempt(lambda: compute(*consts)), *args)
        if name in _PAIRING and any(arg is not None and arg.items for arg in args):
            return _paired(name, args)
        kept = _kept(name, first)
        return kept if kept is not None else derived(NOTHING, *args, *call.keywords.values())

    return fold


def _kept(name: str, first: PythonValue | None) -> PythonValue | None:
    """Return what a function makes of elements that are not all constants, where it keeps them."""
    if first is None or first.items is None:
        return None
    if name == "next":
        return element(first) if first.items else None
    if name == "reversed":
        return _reordered(first)
    return first if name in _KEEPING or name in ("str", "bytes") else None


_PAIRING = frozenset(("enumerate", "zip"))


def _paired(name: str, args: list[PythonValue | None]) -> PythonValue:
    """Return what `enumerate` or `zip` makes of elements of which some are not constants."""
    columns = [parts_of(arg) for arg in args]
    if name == "enumerate":
        columns = [[PythonValue(index) for index in range(len(columns[0]))], columns[0]]
    pairs = PythonValue(taint=taint_of(*args))
    pairs.items = {}
    for row, parts in enumerate(zip_longest(*columns)):
        pair = PythonValue()
        pair.items = dict(enumerate(parts))
        pairs.items[row] = pair
    return pairs


def _reordered(value: PythonValue) -> PythonValue:
    other = value.copy()
    parts = list((value.items or {}).values())
    other.items = dict(enumerate(reversed(parts)))
    other.const = [part.const for part in reversed(parts) if part is not None and part.known]
    if len(other.const) != len(parts):
        other.const = NOTHING
    other.built = True
    return other


for _name, _compute in _FOLDS.items():
    CALLS[f"builtins.{_name}"] = _folder(_name, _compute)


def _decoder(name: str) -> Callable[[Evaluator, PythonCall], PythonValue | None]:
    layer = decoders.DECODERS[name][0]

    def decode(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
        data = call.arg(0)
        const = decoders.decode(name, data.const) if data is not None and data.known else NOTHING
        check_ratio(evaluator, call, data, const)
        return decoded(const, data, layer)

    return decode


def decoded(const: Any, data: PythonValue | None, layer: str) -> PythonValue:
    """Return the value that a decoder gives: a constant where it could be decoded, tainted in any case."""
    value = PythonValue(const, taint=(data.taint if data is not None else 0) | Taint.DECODED)
    value.built = True
    if data is not None:
        value.trail, value.layers = data.trail, data.layers
    if layer:
        value.layers = (layer, *value.layers)
    return value


def check_ratio(evaluator: Evaluator, call: PythonCall, data: PythonValue | None, const: Any) -> None:
    """Report a constant that unpacks to the bound of what is unpacked, from very little."""
    if data is None or not isinstance(const, bytes) or not isinstance(data.const, bytes | str):
        return
    if len(const) >= MAX_TEXT and len(data.const) * 100 < len(const):
        evaluator.report(ZIP_BOMB, call.node, f"{len(data.const):,} bytes unpack to more than {len(const):,}")


for _name in decoders.DECODERS:
    CALLS[_name] = _decoder(_name)


@handles("codecs.decode", "codecs.getdecoder()", "codecs.encode")
def codec(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Return what `codecs.decode(data, 'rot13')` gives."""
    data, name = call.arg(0, "obj"), call.text(1, "encoding") or "utf-8"
    if data is None:
        return (
            PythonValue(taint=Taint.DECODED)
            if call.name == "codecs.decode" and call.has(1, "encoding")
            else None
        )
    if call.name == "codecs.encode" and "rot" not in name.lower():
        return derived(NOTHING, data)
    const, layer = decoders.decode_codec(data.const, name) if data.known else (NOTHING, name)
    return decoded(const, data, layer) if layer else derived(const, data)


@handles(
    "base64.b64encode",
    "base64.b32encode",
    "base64.b16encode",
    "base64.b85encode",
    "base64.a85encode",
    "base64.urlsafe_b64encode",
    "base64.standard_b64encode",
    "binascii.hexlify",
    "binascii.b2a_base64",
    "binascii.b2a_hex",
    "cryptography.fernet.Fernet().encrypt",
    "Crypto.Cipher.AES.new().encrypt",
    "Cryptodome.Cipher.AES.new().encrypt",
)
def encode(_: Evaluator, call: PythonCall) -> PythonValue | None:
    """Encoding keeps the origin of the content, and marks it as encoded."""
    return PythonValue(taint=call.taint | Taint.ENCODED)


@handles("marshal.dumps", "pickle.dumps", "zlib.compress", "gzip.compress", "bz2.compress", "lzma.compress")
def pack(_: Evaluator, call: PythonCall) -> PythonValue | None:
    """Packing keeps where the content came from."""
    return derived(NOTHING, *call.args)


@handles("os.path.join", "posixpath.join")
def join_path(_: Evaluator, call: PythonCall) -> PythonValue | None:
    """Return the path, with holes for what is unknown."""
    parts = [pattern_of(arg) for arg in call.args]
    if all(part == HOLE for part in parts):
        return derived(NOTHING, *call.args)
    path = ""
    for part in parts:
        path = part if part.startswith("/") or not path else f"{path.rstrip('/')}/{part}"
    if HOLE not in path:
        return derived(path, *call.args)
    value = PythonValue(taint=call.taint)
    value.items = {"pattern": PythonValue(path)}
    return value


@handles(
    "os.path.expanduser", "os.path.abspath", "os.path.realpath", "os.path.normpath", "os.path.expandvars"
)
def same_path(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A path stays what it is, for the rules; one that is only made is not yet used."""
    path = call.text(0)
    if path is not None and is_sensitive(path):
        evaluator.report(SENSITIVE_FILE, call.node, f"Names `{path[:120]}`", severity=Level.MEDIUM)
    return call.arg(0)


@handles("os.fspath", "builtins.memoryview", "copy.copy", "copy.deepcopy", "typing.cast")
def same(_: Evaluator, call: PythonCall) -> PythonValue | None:
    """The last argument itself."""
    return call.args[-1] if call.args else None


@handles("itertools.chain", "builtins.set", "builtins.frozenset")
def together(_: Evaluator, call: PythonCall) -> PythonValue | None:
    """What is known of any part."""
    if not any(arg is not None and arg.items for arg in call.args):
        return derived(NOTHING, *call.args)
    found = PythonValue(taint=call.taint)
    found.items = dict(enumerate(part for arg in call.args for part in parts_of(arg)))
    return found

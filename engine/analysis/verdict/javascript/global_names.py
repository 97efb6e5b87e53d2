"""Globals of the language and of Node.js and their members, and what calling them gives."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.analysis.python.word_lists import words
from engine.analysis.verdict.javascript.kinds import ARRAY, NUMBER, PLAIN, TEXT


def _set(text: str) -> frozenset[str]:
    return frozenset(words(text))


UNDECLARABLE = _set(
    "require module exports __filename __dirname arguments eval undefined let async await yield"
)
"""Names that the program may not declare: Node.js or the language gives them a meaning of their own."""

GLOBALS = _set(
    """AbortController AbortSignal AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array
    BigUint64Array Blob Boolean BroadcastChannel Buffer ByteLengthQueuingStrategy CloseEvent
    CompressionStream CountQueuingStrategy Crypto CryptoKey CustomEvent DOMException DataView Date
    DecompressionStream Error EvalError Event EventSource EventTarget File FinalizationRegistry
    Float32Array Float64Array FormData Function Headers Infinity Int16Array Int32Array Int8Array
    Intl Iterator JSON Map Math MessageChannel MessageEvent MessagePort NaN Number Object
    Performance PerformanceEntry PerformanceMark PerformanceMeasure PerformanceObserver
    PerformanceObserverEntryList PerformanceResourceTiming Promise Proxy RangeError
    ReadableByteStreamController ReadableStream ReadableStreamBYOBReader ReadableStreamBYOBRequest
    ReadableStreamDefaultController ReadableStreamDefaultReader ReferenceError Reflect RegExp
    Request Response Set SharedArrayBuffer Storage String SubtleCrypto Symbol SyntaxError
    TextDecoder TextDecoderStream TextEncoder TextEncoderStream TransformStream
    TransformStreamDefaultController TypeError URIError URL URLSearchParams Uint16Array Uint32Array
    Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly WebSocket WritableStream
    WritableStreamDefaultController WritableStreamDefaultWriter atob btoa clearImmediate
    clearInterval clearTimeout console crypto decodeURI decodeURIComponent encodeURI
    encodeURIComponent escape eval fetch global globalThis isFinite isNaN localStorage navigator
    parseFloat parseInt performance process queueMicrotask sessionStorage setImmediate setInterval
    setTimeout structuredClone undefined unescape"""
)
"""Names of the global object, which the program may not assign to."""

INHERITED_GLOBALS = _set(
    """constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf
    __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__"""
)
"""Names that the global object inherits: without a declaration they are the language's own."""
CONSTANTS: Mapping[str, int] = MappingProxyType({"NaN": NUMBER, "Infinity": NUMBER})
ERRORS = _set("Error EvalError RangeError ReferenceError SyntaxError TypeError URIError AggregateError")
CALLED: Mapping[str, int] = MappingProxyType(
    {
        **dict.fromkeys(words("parseInt parseFloat isNaN isFinite Number Boolean BigInt"), NUMBER),
        **dict.fromkeys(words("String Date encodeURIComponent decodeURIComponent encodeURI decodeURI"), TEXT),
        **dict.fromkeys(("Array", "RegExp", *ERRORS), ARRAY),
        **dict.fromkeys(("Math.max.apply", "Math.min.apply", "Object.prototype.hasOwnProperty.call"), NUMBER),
        **dict.fromkeys(("Object.prototype.toString.call", "String.fromCharCode.apply"), TEXT),
    }
)
"""Globals that may be called, and what they return; of what they have, what plain programs borrow."""
CONSTRUCTED = (
    _set(
        """Array Map Set WeakMap WeakSet Date RegExp Number String Boolean Object Int8Array Uint8Array
    Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array
    BigInt64Array BigUint64Array"""
    )
    | ERRORS
)
"""Globals that may be constructed, and asked for with `instanceof`."""
VALUES = _set(
    "Number String Boolean BigInt parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent"
)
"""Globals that may be used as values: nobody passes objects to functions that may be set on them."""

MEMBERS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "Math": dict.fromkeys(
            words(
                """abs acos acosh asin asinh atan atan2 atanh cbrt ceil clz32 cos cosh exp expm1 floor fround
                hypot imul log log10 log1p log2 max min pow random round sign sin sinh sqrt tan tanh trunc"""
            ),
            NUMBER,
        ),
        "JSON": {"parse": PLAIN | ARRAY | NUMBER | TEXT, "stringify": TEXT | NUMBER},
        "Number": dict.fromkeys(words("isFinite isInteger isNaN isSafeInteger parseFloat parseInt"), NUMBER),
        "String": dict.fromkeys(words("fromCharCode fromCodePoint"), TEXT),
        "Array": {"isArray": NUMBER, "from": ARRAY, "of": ARRAY},
        "Object": {
            **dict.fromkeys(words("keys getOwnPropertyNames values entries"), ARRAY),
            **dict.fromkeys(words("is hasOwn isFrozen isSealed"), NUMBER),
            "fromEntries": PLAIN,
            "freeze": PLAIN | ARRAY,
        },
        "Date": dict.fromkeys(words("now parse UTC"), NUMBER),
        "BigInt": dict.fromkeys(words("asIntN asUintN"), NUMBER),
        "console": dict.fromkeys(
            words(
                """log error warn info debug table group groupEnd groupCollapsed count countReset assert time
                timeEnd timeLog"""
            ),
            NUMBER,
        ),
    }
)
"""Functions of globals, and what they return."""
UNHELD = frozenset(
    {
        *(f"Object.{name}" for name in MEMBERS["Object"]),
        *("Array.from", "Array.of", "JSON.parse", "JSON.stringify"),
    }
)
"""Functions of globals that are no values: they change what they are given, take names from it, or
pass on what it holds."""
FIELDS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "Math": dict.fromkeys(words("E LN10 LN2 LOG10E LOG2E PI SQRT1_2 SQRT2"), NUMBER),
        "Number": dict.fromkeys(
            words(
                """EPSILON MAX_SAFE_INTEGER MAX_VALUE MIN_SAFE_INTEGER MIN_VALUE NEGATIVE_INFINITY
                POSITIVE_INFINITY NaN"""
            ),
            NUMBER,
        ),
    }
)
"""Constants of globals."""
PROCESS: Mapping[str, int] = MappingProxyType(
    {
        "process.stdout.write": NUMBER,
        "process.stderr.write": NUMBER,
        "process.exit": NUMBER,
        "process.uptime": NUMBER,
        "process.hrtime.bigint": NUMBER,
    }
)
"""Functions of the process that only print, end it, or read the clock."""

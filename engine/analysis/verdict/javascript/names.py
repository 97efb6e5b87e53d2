"""The lists of the proof for JavaScript: globals, modules and properties, and what calling them gives."""

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
        **dict.fromkeys(
            words("String Symbol Date encodeURIComponent decodeURIComponent encodeURI decodeURI"), TEXT
        ),
        **dict.fromkeys(("Array", "RegExp", *ERRORS), ARRAY),
    }
)
"""Globals that may be called, and what they return."""
CONSTRUCTED = (
    _set(
        """Array Map Set WeakMap WeakSet Date RegExp Promise Number String Boolean Object Int8Array Uint8Array
    Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array
    BigInt64Array BigUint64Array"""
    )
    | ERRORS
)
"""Globals that may be constructed, extended, and asked for with `instanceof`."""
VALUES = _set(
    "Number String Boolean BigInt parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent"
)
"""Globals that may be used as values: nobody passes objects to functions that may be set on them."""
TIMERS = _set("setTimeout setInterval setImmediate queueMicrotask")
CLEARING = _set("clearTimeout clearInterval clearImmediate")

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
            **dict.fromkeys(words("keys getOwnPropertyNames"), ARRAY),
            **dict.fromkeys(words("values entries"), ARRAY),
            **dict.fromkeys(words("is hasOwn isFrozen isSealed"), NUMBER),
            "fromEntries": PLAIN,
            "freeze": PLAIN | ARRAY,
            "assign": PLAIN | ARRAY,
            "create": PLAIN,
        },
        "Date": dict.fromkeys(words("now parse UTC"), NUMBER),
        "Promise": dict.fromkeys(words("resolve reject all allSettled any race"), ARRAY),
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
        "Symbol": dict.fromkeys(words("iterator asyncIterator"), TEXT),
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
BORROWED = _set("Object Array String")
"""Globals whose methods may be borrowed: `Array.prototype.slice.call(x)`."""

NUMERIC = _set(
    """indexOf lastIndexOf findIndex findLastIndex includes startsWith endsWith some every test has
    hasOwnProperty propertyIsEnumerable isPrototypeOf localeCompare search charCodeAt codePointAt
    getTime getDate getDay getFullYear getHours getMilliseconds getMinutes getMonth getSeconds
    getTimezoneOffset getUTCDate getUTCDay getUTCFullYear getUTCHours getUTCMilliseconds
    getUTCMinutes getUTCMonth getUTCSeconds setDate setFullYear setHours setMilliseconds setMinutes
    setMonth setSeconds setTime setUTCDate setUTCFullYear setUTCHours setUTCMilliseconds
    setUTCMinutes setUTCMonth setUTCSeconds push unshift isWellFormed forEach clear"""
)
"""Methods of the language that return numbers, booleans or nothing."""
TEXTUAL = _set(
    """charAt join normalize padEnd padStart repeat replace replaceAll substr substring toFixed
    toPrecision toExponential toString toLocaleString toLowerCase toUpperCase toLocaleLowerCase
    toLocaleUpperCase trim trimEnd trimStart trimLeft trimRight toISOString toJSON toDateString
    toTimeString toUTCString toLocaleDateString toLocaleTimeString toWellFormed toGMTString anchor
    big blink bold fixed fontcolor fontsize italics link small strike sub sup"""
)
"""Methods of the language that return text."""
NEW_ARRAYS = _set(
    """concat slice filter map flat flatMap entries keys values split splice match matchAll with
    toReversed toSorted toSpliced subarray then catch finally exec"""
)
"""Methods of the language that return text, numbers or an object that they make."""
ITSELF = _set("sort reverse fill copyWithin add valueOf")
"""Methods of the language that return what they belong to."""
ELEMENTS = _set(
    """at pop shift find findLast reduce reduceRight get set delete next return throw from of isArray
    resolve reject all allSettled any race raw now hypot is hasOwn freeze isFrozen isSealed seal
    isInteger isFinite isNaN isSafeInteger parseFloat parseInt fromCharCode fromCodePoint
    fromEntries getOwnPropertyNames asIntN asUintN log abs acos acosh asin asinh atan atan2 atanh
    cbrt ceil clz32 cos cosh exp expm1 floor fround imul log10 log1p log2 max min pow random round
    sign sin sinh sqrt tan tanh trunc parse stringify UTC format formatToParts compare select
    segment containing"""
)
"""Other functions of the language that have no effect, whatever they belong to and are given."""
NAMING = _set("fromEntries parse")
"""Functions that make objects with properties whose names are data."""
NEWER = _set(
    """groupBy fromAsync withResolvers try escape isError sumPrecise getOrInsert getOrInsertComputed
    fromBase64 fromHex rawJSON isRawJSON union intersection difference symmetricDifference isSubsetOf
    isSupersetOf isDisjointFrom transfer transferToFixedLength f16round fromStrings metadata"""
)
"""What later versions of the language add to its own objects: not called on what may be one of them."""
CONSTRUCTING = _set("from of")
"""Functions that construct what they belong to, and fill what that returns."""
FREEZING = _set("freeze seal")
"""Functions that change what they are given."""
METHODS = NUMERIC | TEXTUAL | NEW_ARRAYS | ITSELF | ELEMENTS
DATA_PROPERTIES = _set(
    """length size name message cause errors stack index input groups indices source flags global
    ignoreCase multiline sticky unicode dotAll hasIndices unicodeSets lastIndex description raw
    byteLength byteOffset E LN10 LN2 LOG10E LOG2E PI SQRT1_2 SQRT2 EPSILON MAX_SAFE_INTEGER
    MAX_VALUE MIN_SAFE_INTEGER MIN_VALUE NEGATIVE_INFINITY POSITIVE_INFINITY NaN BYTES_PER_ELEMENT
    language calendar collation numeric region script baseName caseFirst numberingSystem hourCycle
    calendars collations hourCycles numberingSystems textInfo timeZones weekInfo"""
)
"""Other properties of the language that are data."""
RESERVED = _set(
    """$& $' $+ $1 $2 $3 $4 $5 $6 $7 $8 $9 $_ $` lastMatch lastParen leftContext rightContext
    __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__ constructor
    prototype apply call bind arguments callee caller assign create captureStackTrace
    prepareStackTrace stackTraceLimit compile defineProperties defineProperty deleteProperty
    getOwnPropertyDescriptor getOwnPropertyDescriptors getOwnPropertySymbols getPrototypeOf
    setPrototypeOf preventExtensions isExtensible ownKeys construct revocable for keyFor species
    toPrimitive toStringTag hasInstance unscopables isConcatSpreadable asyncDispose dispose
    asyncIterator iterator deref register unregister grow growable resize resizable maxByteLength
    buffer isView notify wait waitAsync load store exchange compareExchange and or xor isLockFree
    getBigInt64 getBigUint64 getFloat32 getFloat64 getInt16 getInt32 getInt8 getUint16 getUint32
    getUint8 setBigInt64 setBigUint64 setFloat32 setFloat64 setInt16 setInt32 setInt8 setUint16
    setUint32 setUint8 Collator DateTimeFormat DisplayNames ListFormat Locale NumberFormat
    PluralRules RelativeTimeFormat Segmenter getCanonicalLocales supportedLocalesOf
    supportedValuesOf resolvedOptions formatRange formatRangeToParts selectRange minimize maximize
    getYear setYear"""
)
"""Properties of the language that are not on the lists: neither read nor defined."""
CALLBACKS: Mapping[str, int] = MappingProxyType(
    {
        **dict.fromkeys(
            words("map filter forEach some every find findIndex findLast findLastIndex flatMap"), 0
        ),
        **dict.fromkeys(words("reduce reduceRight sort toSorted then catch finally"), 0),
        **dict.fromkeys(words("replace replaceAll"), 1),
    }
)
"""Methods that call one of their arguments, by its number."""
IGNORED = _set("forEach filter some every find findIndex findLast findLastIndex sort toSorted")
"""Methods that do not keep what a callback returns."""
WITH_THIS = _set("map filter forEach some every find findIndex findLast findLastIndex flatMap")
"""Methods whose second argument becomes `this`."""
CALLED_BY: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        **dict.fromkeys(words("match matchAll search replace replaceAll split test"), _set("exec flags")),
        **dict.fromkeys(words("catch finally"), _set("then")),
        "toJSON": _set("toISOString"),
        "toLocaleString": _set("toString"),
        "toString": _set("join"),
    }
)
"""Methods that call others of the objects that they are given, and may return what these return."""
MATCHING = _set("match matchAll search replace replaceAll split")
"""Methods that change a regular expression that they are given."""
SPECIES = _set("concat slice filter map flat flatMap splice subarray")
"""Methods that make their result by the `constructor` of what they belong to."""
CONSTRUCTING_ANOTHER = _set("split matchAll then catch finally")
"""Methods that also make an object by the `constructor` of a regular expression or a promise."""
CHANGING = _set("push pop shift unshift splice sort reverse fill copyWithin set add delete clear")
"""Methods that change what they belong to."""

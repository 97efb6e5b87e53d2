"""Names of properties of the language: which are safe to call or read, and what calling them gives."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.analysis.python.word_lists import words


def _set(text: str) -> frozenset[str]:
    return frozenset(words(text))


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
    toReversed toSorted toSpliced subarray exec"""
)
"""Methods of the language that return text, numbers or an object that they make."""
ITSELF = _set("sort reverse fill copyWithin add valueOf")
"""Methods of the language that return what they belong to."""
ELEMENTS = _set(
    """at pop shift find findLast reduce reduceRight get set delete next return throw from of isArray
    then catch finally resolve reject all allSettled any race raw now hypot is hasOwn
    freeze isFrozen isSealed seal
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
    fromBase64 fromHex toBase64 toHex setFromBase64 setFromHex take drop toArray toTemporalInstant rawJSON
    isRawJSON union intersection difference symmetricDifference isSubsetOf isSupersetOf isDisjointFrom
    transfer transferToFixedLength f16round fromStrings metadata"""
)
"""What later versions of the language add to its own objects: not called on listed functions, nor held."""
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
        **dict.fromkeys(words("reduce reduceRight sort toSorted"), 0),
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
        "toJSON": _set("toISOString"),
        "toLocaleString": _set("toString"),
        "toString": _set("join"),
    }
)
"""Methods that call others of the objects that they are given, and may return what these return."""
MATCHING = _set("match matchAll search replace replaceAll split")
"""Methods that change a regular expression that they are given."""
CHANGING = _set("push pop shift unshift splice sort reverse fill copyWithin set add delete clear")
"""Methods that change what they belong to."""

"""Attributes of values: which names are safe whatever the value is that has them."""

from __future__ import annotations

from engine.analysis.python.word_lists import words

SAFE = frozenset(
    words(
        # text and bytes; `format` is checked by itself, `format_map` is not safe
        """capitalize casefold center count decode encode endswith expandtabs find fromhex hex index
            isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable
            isspace istitle isupper join ljust lower lstrip maketrans partition removeprefix
            removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines
            startswith strip swapcase title translate upper zfill"""
        # lists, dicts, sets, deques, counters, heaps
        """ append clear copy extend insert pop remove reverse sort fromkeys get items keys popitem
            setdefault update values add difference difference_update discard intersection
            intersection_update isdisjoint issubset issuperset symmetric_difference
            symmetric_difference_update union appendleft extendleft popleft rotate maxlen elements
            most_common subtract total move_to_end"""
        # numbers and dates
        """ as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag is_integer
            numerator real to_bytes limit_denominator from_float from_decimal quantize sqrt exp ln
            log10 compare normalize to_integral_value to_eng_string as_tuple adjusted is_nan is_zero
            is_signed is_infinite is_finite prec rounding exponent sign digits copy_abs copy_sign
            scaleb fma year month day hour minute second microsecond tzinfo fold days seconds
            microseconds total_seconds date time timetz now today utcnow fromtimestamp
            utcfromtimestamp fromordinal fromisoformat combine strptime strftime isoformat isocalendar
            isoweekday weekday timestamp timetuple utctimetuple toordinal astimezone utcoffset dst
            tzname utc min max resolution ctime tm_year tm_mon tm_mday tm_hour tm_min tm_sec tm_wday
            tm_yday tm_isdst tm_zone tm_gmtoff"""
        # regular expressions
        """ match fullmatch search sub subn findall finditer group groups groupdict groupindex start
            end span expand string pattern lastgroup lastindex pos endpos regs re"""
        # iterators, functions, exceptions, tuples with names
        """ send throw close args cache_info cache_clear cache_parameters
            value name names hits misses currsize maxsize errno strerror filename code msg lineno
            offset text reason object encoding add_note exceptions message"""
        # streams in memory and the standard streams
        """ read readline readlines write writelines flush seek tell getvalue isatty readable
            writable seekable closed newlines writerow writerows writeheader fieldnames line_num
            restkey restval dialect delimiter quotechar"""
        # the other listed classes
        """ digest hexdigest digest_size block_size digestmod int bytes fields urn version variant put
            get_nowait put_nowait qsize empty full task_done ratio quick_ratio get_matching_blocks
            get_opcodes a b b2j substitute safe_substitute default encode iterencode raw_decode
            itemsize typecode tolist frombytes tobytes fromlist byteswap pack unpack size mean stdev
            variance median mode cdf pdf inv_cdf overlap zscore samples from_samples slope intercept
            netloc scheme path query fragment params hostname port username password geturl seed
            random randint uniform choice choices shuffle sample gauss normalvariate randrange
            getrandbits getstate setstate expovariate betavariate triangular randbytes major minor
            micro releaselevel serial epsilon dig mant_dig radix formatmonth formatyear itermonthdates
            itermonthdays monthdatescalendar monthdayscalendar prmonth pryear iterweekdays attempted
            failed step stop unconsumed_tail eof decompress compress x y z c A queue node width power
            shape parent template url indent week shift plus minus multiply divide remainder mapping
            modulus rounds optional lock hash inf nan errors abs verbose
            firstweekday indices nbytes ndim strides"""
    )
)
"""Attributes that are safe on every value of a proven program that has them."""

DUNDERS = frozenset({"__doc__", "__module__", "__name__", "__qualname__"})
"""Attributes of the data model that give text."""

GLOBALS = frozenset(
    words(
        """__all__ __author__ __contact__ __copyright__ __credits__ __date__ __email__ __license__
            __maintainer__ __status__ __version__"""
    )
)
"""Names with two underscores at each end that code may assign, because nothing acts on them."""

READABLE = GLOBALS | {"__name__", "__file__", "__doc__", "__debug__"}


def is_dunder(name: str) -> bool:
    """Return whether a name belongs to the language."""
    return name.startswith("__") and name.endswith("__")


def is_safe_attribute(name: str, safe: frozenset[str]) -> bool:
    """Return whether reading `name` of any value is safe; `safe` has the attributes that are, of any kind."""
    return name in (DUNDERS if is_dunder(name) else safe)

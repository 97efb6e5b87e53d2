"""What the standard library offers to a program that only computes, and why each module is safe.

`values` may be used in any way: called with anything a proven program can hold, passed on, or stored.
`types` may only stand in annotations and be the second argument of `isinstance`: some of them could change
the interpreter's own objects (`os.environ` is a `collections.abc.Mapping`). `calls` may only be called
directly; `calls.py` checks how.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.analysis.verdict.python.data.library import DATA_MODULES
from engine.analysis.verdict.python.safe_module import SafeModule
from engine.analysis.verdict.python.safe_module import module as _module

_ERRORS = """
ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup
BlockingIOError BrokenPipeError BufferError BytesWarning ChildProcessError
ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError
DeprecationWarning EOFError EncodingWarning EnvironmentError Exception ExceptionGroup
FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError
ImportWarning IndentationError IndexError InterruptedError IsADirectoryError
KeyError KeyboardInterrupt LookupError MemoryError
NotADirectoryError NotImplementedError OSError OverflowError PendingDeprecationWarning
PermissionError ProcessLookupError RecursionError ReferenceError ResourceWarning
RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning
SystemError SystemExit TabError TimeoutError TypeError
UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning
UserWarning ValueError Warning ZeroDivisionError
"""

BUILTINS = _module(
    "Computing, text, containers and exceptions; printing, and reading standard input.",
    """abs all any ascii bin bool bytes callable chr complex dict divmod
            enumerate exit filter float format frozenset hasattr hash hex id input int isinstance
            issubclass len list map max min next object oct ord pow print quit range repr
            reversed round set slice sorted str sum tuple zip Ellipsis
            NotImplemented __debug__"""
    + _ERRORS,
    calls="bytearray iter type ImportError ModuleNotFoundError NameError UnboundLocalError",
)

_TYPING_VALUES = """
Any Optional Union List Dict Set FrozenSet Tuple Callable Literal Final ClassVar
NoReturn Never TypeAlias TYPE_CHECKING Iterable
Iterator Hashable Sized Container Collection Reversible AnyStr Text LiteralString cast
"""
_TYPING_CLASSES = """
Mapping MutableMapping Sequence MutableSequence
AbstractSet MutableSet Generator AsyncIterator AsyncIterable AsyncGenerator Awaitable
Coroutine Counter ChainMap Deque DefaultDict OrderedDict SupportsInt SupportsFloat SupportsIndex SupportsAbs
SupportsRound SupportsBytes SupportsComplex IO TextIO BinaryIO Pattern Match KeysView
ValuesView ItemsView MappingView ByteString ContextManager
"""
_ABSTRACT = """
Awaitable AsyncGenerator AsyncIterable AsyncIterator ByteString Callable Collection
Container Coroutine Generator Hashable ItemsView Iterable Iterator KeysView Mapping
MappingView MutableMapping MutableSequence MutableSet Reversible Sequence Set Sized
ValuesView
"""

MODULES: Mapping[str, SafeModule] = MappingProxyType(
    {
        "__future__": _module(
            "Switches of the compiler.", "annotations division print_function generator_stop absolute_import"
        ),
        "array": _module("Arrays of numbers in memory.", "array typecodes"),
        "ast": _module("`literal_eval` reads literals and calls nothing.", "literal_eval"),
        "base64": _module(
            "Encodes bytes in memory.",
            """b64encode b64decode standard_b64encode standard_b64decode urlsafe_b64encode
            urlsafe_b64decode b32encode b32decode b32hexencode b32hexdecode b16encode b16decode
            a85encode a85decode b85encode b85decode encodebytes decodebytes""",
        ),
        "binascii": _module(
            "Encodes bytes in memory.",
            "hexlify unhexlify crc32 crc_hqx b2a_base64 a2b_base64 b2a_hex a2b_hex Error Incomplete",
        ),
        "bisect": _module(
            "Searches lists.", "bisect bisect_left bisect_right insort insort_left insort_right"
        ),
        "calendar": _module(
            "Computes dates and prints.",
            """MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY SUNDAY day_name day_abbr month_name
            month_abbr isleap leapdays monthrange monthcalendar month calendar weekday weekheader
            timegm prmonth prcal Calendar TextCalendar setfirstweekday firstweekday IllegalMonthError
            IllegalWeekdayError""",
        ),
        "cmath": _module(
            "Computes.",
            """acos acosh asin asinh atan atanh cos cosh e exp inf infj isclose isfinite isinf isnan log
            log10 nan nanj phase pi polar rect sin sinh sqrt tan tanh tau""",
        ),
        "collections": _module(
            "Containers in memory. `namedtuple` makes a class and is not listed.",
            "Counter defaultdict deque",
            calls="ChainMap OrderedDict",
        ),
        "collections.abc": _module("Interfaces of containers.", "", types=_ABSTRACT),
        "colorsys": _module("Computes.", "rgb_to_yiq yiq_to_rgb rgb_to_hls hls_to_rgb rgb_to_hsv hsv_to_rgb"),
        "copy": _module(
            "Copies by hooks (`__reduce__`, `__copy__`) of classes, which no proven program defines.",
            "copy Error",
            calls="deepcopy",
        ),
        "csv": _module(
            "Reads from and writes to objects that the program already has.",
            """reader writer DictReader DictWriter QUOTE_ALL QUOTE_MINIMAL QUOTE_NONE QUOTE_NONNUMERIC
            Error field_size_limit excel excel_tab unix_dialect""",
        ),
        "datetime": _module(
            "Computes dates; reads the clock and the time zone.",
            "date datetime time timedelta timezone tzinfo MINYEAR MAXYEAR UTC",
        ),
        "decimal": _module(
            "Computes.",
            """Decimal Context getcontext setcontext localcontext BasicContext ExtendedContext
            DefaultContext ROUND_CEILING ROUND_DOWN ROUND_FLOOR ROUND_HALF_DOWN ROUND_HALF_EVEN
            ROUND_HALF_UP ROUND_UP ROUND_05UP MAX_PREC MAX_EMAX MIN_EMIN DecimalException
            InvalidOperation DivisionByZero Inexact Overflow Underflow Rounded Subnormal Clamped
            FloatOperation DivisionUndefined""",
        ),
        "difflib": _module(
            "Compares text.",
            "SequenceMatcher get_close_matches ndiff unified_diff context_diff restore Differ",
        ),
        "doctest": _module(
            "Runs the examples of docstrings, which are proven like the rest of the code.",
            "ELLIPSIS NORMALIZE_WHITESPACE IGNORE_EXCEPTION_DETAIL",
            calls="testmod",
        ),
        "fractions": _module("Computes.", "Fraction"),
        "functools": _module(
            "Calls functions that the program already has.",
            "reduce cache partial",
            calls="cmp_to_key lru_cache",
        ),
        "hashlib": _module(
            "Computes digests of bytes in memory.",
            """md5 sha1 sha224 sha256 sha384 sha512 sha3_224 sha3_256 sha3_384 sha3_512 shake_128
            shake_256 blake2b blake2s new pbkdf2_hmac scrypt algorithms_available
            algorithms_guaranteed""",
        ),
        "heapq": _module(
            "Orders lists.", "heappush heappop heapify heapreplace heappushpop nlargest nsmallest merge"
        ),
        "hmac": _module("Computes digests of bytes in memory.", "new digest compare_digest"),
        "html": _module("Escapes text.", "escape unescape"),
        "io": _module(
            "Streams in memory; `open` and the classes of files are not listed.", "StringIO BytesIO"
        ),
        "itertools": _module(
            "Iterates.",
            """combinations combinations_with_replacement compress count dropwhile filterfalse groupby
            permutations product repeat starmap takewhile tee""",
            calls="accumulate chain cycle islice zip_longest",
        ),
        "json": _module(
            "Reads and writes text; hooks are functions that the program already has.",
            "loads load JSONDecodeError",
            calls="dump dumps",
        ),
        "keyword": _module("Lists of words.", "iskeyword issoftkeyword kwlist softkwlist"),
        "math": _module(
            "Computes.",
            """acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist e erf
            erfc exp exp2 expm1 fabs factorial floor fma fmod frexp fsum gamma gcd hypot inf isclose
            isfinite isinf isnan isqrt lcm ldexp lgamma log log10 log1p log2 modf nan nextafter perm
            pi pow prod radians remainder sin sinh sqrt sumprod tan tanh tau trunc ulp""",
        ),
        "numbers": _module("Interfaces of numbers.", "", types="Number Complex Real Rational Integral"),
        "operator": _module(
            "Operators as functions; those that take attributes by text are not listed.",
            """abs add and_ concat contains countOf delitem eq floordiv ge getitem gt iadd iand iconcat
            ifloordiv ilshift imatmul imod imul index indexOf inv invert ior ipow irshift is_ is_not
            isub itemgetter itruediv ixor le length_hint lshift lt matmul mod mul ne neg not_ or_ pos
            pow rshift setitem sub truediv truth xor""",
        ),
        "os": _module(
            "Constants of text only.", "linesep sep extsep pathsep altsep curdir pardir devnull name"
        ),
        "os.path": _module(
            "Computes with the text of paths, and looks at no file.",
            "basename commonprefix commonpath dirname isabs join normpath split splitext sep",
        ),
        "pprint": _module("Prints.", "pprint pformat pp isreadable isrecursive saferepr"),
        "queue": _module("Queues in memory.", "Queue LifoQueue PriorityQueue SimpleQueue Empty Full"),
        "random": _module(
            "Computes from a seed or the kernel's random numbers.",
            """random randint uniform choice choices shuffle sample seed gauss normalvariate randrange
            betavariate expovariate triangular getrandbits randbytes lognormvariate vonmisesvariate
            gammavariate paretovariate weibullvariate binomialvariate getstate setstate Random""",
        ),
        "re": _module(
            "Searches text. An expression may take very long: that is use of time.",
            """compile match fullmatch search sub subn split findall finditer escape purge error
            PatternError A ASCII I IGNORECASE M MULTILINE S DOTALL X VERBOSE U UNICODE L LOCALE NOFLAG
            Pattern Match""",
        ),
        "secrets": _module(
            "The kernel's random numbers.",
            "choice randbelow randbits token_bytes token_hex token_urlsafe compare_digest",
        ),
        "shlex": _module("Splits and quotes text.", "split quote join"),
        "statistics": _module(
            "Computes.",
            """mean fmean geometric_mean harmonic_mean median median_low median_high median_grouped mode
            multimode quantiles stdev pstdev variance pvariance covariance correlation
            linear_regression NormalDist StatisticsError""",
        ),
        "string": _module(
            "Constants and templates; `Formatter` takes attributes by text and is not listed.",
            """ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits printable
            punctuation whitespace capwords Template""",
        ),
        "struct": _module(
            "Packs bytes in memory.", "pack unpack calcsize unpack_from iter_unpack error Struct"
        ),
        "sys": _module(
            "Facts of the interpreter and the standard streams.",
            """argv stdin stdout stderr exit maxsize maxunicode byteorder version version_info platform
            float_info int_info hash_info getsizeof getrecursionlimit intern executable""",
        ),
        "textwrap": _module("Wraps text.", "dedent wrap fill indent shorten"),
        "time": _module(
            "Reads the clock and the time zone, or waits: that is use of time.",
            """time time_ns perf_counter perf_counter_ns monotonic monotonic_ns process_time
            process_time_ns thread_time sleep localtime gmtime strftime strptime ctime asctime mktime
            struct_time timezone tzname""",
        ),
        "timeit": _module("Reads the clock; `timeit` runs text and is not listed.", "default_timer"),
        "typing": _module(
            "Annotations; `get_type_hints` runs text and is not listed.",
            _TYPING_VALUES,
            types=_TYPING_CLASSES,
        ),
        "unicodedata": _module(
            "Properties of characters.",
            """name lookup category bidirectional combining east_asian_width mirrored decomposition
            normalize is_normalized numeric digit decimal unidata_version""",
        ),
        "urllib.parse": _module(
            "Takes the text of addresses apart, and reaches none.",
            """quote quote_plus unquote unquote_plus quote_from_bytes unquote_to_bytes urlencode
            urlunparse urlunsplit urljoin urldefrag parse_qs parse_qsl""",
            calls="urlparse urlsplit",
        ),
        "uuid": _module(
            "Random and computed identifiers; `uuid1` asks the machine and is not listed.",
            "uuid3 uuid4 uuid5 UUID NAMESPACE_DNS NAMESPACE_URL NAMESPACE_OID NAMESPACE_X500",
        ),
        "zlib": _module(
            "Compresses bytes in memory.", "compress decompress crc32 adler32 compressobj decompressobj error"
        ),
        **DATA_MODULES,
    }
)
"""What may be imported, by the module's full name."""

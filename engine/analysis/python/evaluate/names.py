"""Aliases of names, built-in names, and the purposes of modules."""

from __future__ import annotations

import builtins
import sys
from typing import Final

from engine.analysis.python.evaluate.values import PythonValue
from engine.analysis.python.word_lists import words
from engine.common.caches.short_cache import short_cache

_ALIASES: Final = {
    "posix": "os",
    "nt": "os",
    "_io": "io",
    "_pickle": "pickle",
    "cPickle": "pickle",
    "_socket": "socket",
    "_thread": "thread",
    "__builtin__": "builtins",
    "__builtins__": "builtins",
    "_ctypes": "ctypes",
    "_posixsubprocess": "subprocess",
    "urllib2": "urllib.request",
    "httplib": "http.client",
    "cloudpickle": "pickle",
    "pickle5": "pickle",
    "zodbpickle": "pickle",
    "simplejson": "json",
    "posixpath": "os.path",
    "ntpath": "os.path",
    "_winreg": "winreg",
    "subprocess32": "subprocess",
    "imp": "importlib",
}
_EXACT: Final = {
    "io.open": "builtins.open",
    "io.open_code": "builtins.open",
    "io.FileIO": "builtins.open",
    "codecs.open": "builtins.open",
    "tokenize.open": "builtins.open",
    "os.open": "os.open",
    "os.fdopen": "os.fdopen",
    "builtins.file": "builtins.open",
    "importlib.__import__": "builtins.__import__",
    "os.environ.get": "os.getenv",
    "os.environb.get": "os.getenv",
    "os.getenvb": "os.getenv",
    "builtins.unicode": "builtins.str",
    "builtins.unichr": "builtins.chr",
    "builtins.raw_input": "builtins.input",
    "urllib.request.request": "urllib.request",
    "urllib.urlopen": "urllib.request.urlopen",
    "urllib.urlretrieve": "urllib.request.urlretrieve",
    "urllib.unquote": "urllib.parse.unquote",
    "six.moves.urllib.request.urlopen": "urllib.request.urlopen",
    "builtins.reduce": "functools.reduce",
}
_REEXPORTED: Final = frozenset(("os", "sys", "subprocess", "builtins", "importlib", "socket", "shutil", "io"))

_BORROWED: Final = frozenset(("os", "sys", "subprocess", "builtins", "pty", "importlib"))
"""Modules that others have imported and that are reached through them."""

_FOLDED = words(
    "chr ord str bytes bytearray int list tuple dict set frozenset reversed sorted zip range map "
    "filter min max sum len hex bin oct repr ascii iter next enumerate slice any all format bool "
    "float pow"
)
_DANGEROUS = words(
    "eval exec compile open __import__ getattr setattr delattr hasattr vars globals locals input "
    "print type object super breakpoint memoryview help dir id callable isinstance exit quit"
)
_LEGACY = ("execfile", "file", "raw_input", "unicode", "unichr", "reduce", "reload")

BUILTINS: Final[dict[str, PythonValue]] = {
    **{name: PythonValue(name=f"builtins.{name}") for name in (*_FOLDED, *_DANGEROUS, *_LEGACY)},
    "__builtins__": PythonValue(name="builtins"),
    "get_ipython": PythonValue(name="IPython.get_ipython"),
    "__loader__": PythonValue(name="builtins.__loader__"),
    "__spec__": PythonValue(name="builtins.__spec__"),
}
ALL_BUILTINS: Final = frozenset(dir(builtins)) | frozenset(_LEGACY)

_WELL_KNOWN = words(
    "os sys subprocess socket shutil pickle marshal ctypes base64 zlib codecs requests urllib urllib2 "
    "httplib pty importlib builtins posix nt signal psutil platform getpass tempfile yaml smtplib "
    "ftplib telnetlib paramiko shelve dill jsonpickle torch joblib commands popen2 pandas threading "
    "multiprocessing http winreg cPickle binascii bz2 lzma gzip tarfile zipfile itertools functools "
    "operator pathlib glob asyncio aiohttp httpx"
)
IMPLICIT_MODULES: Final[dict[str, PythonValue]] = {name: PythonValue(name=name) for name in _WELL_KNOWN}
"""Modules that a fragment uses without showing their import."""

KNOWN: Final[dict[str, PythonValue]] = {**IMPLICIT_MODULES, **BUILTINS}
"""Names that mean something without the code saying so."""


def is_shared(value: PythonValue) -> bool:
    """Whether a value means the same in every analysis, so that none may change it."""
    return KNOWN.get((value.name or "").removeprefix("builtins.")) is value


STDLIB: Final = frozenset(sys.stdlib_module_names)

SENSITIVE_MODULES: Final[dict[str, str]] = {
    "os": "processes, files and the environment",
    "subprocess": "starting processes",
    "shutil": "copying and deleting files",
    "sys": "the interpreter itself",
    "socket": "the network",
    "urllib": "the network",
    "urllib2": "the network",
    "requests": "the network",
    "http": "the network",
    "httpx": "the network",
    "aiohttp": "the network",
    "ftplib": "the network",
    "smtplib": "the network",
    "telnetlib": "the network",
    "paramiko": "other machines",
    "ctypes": "native code",
    "cffi": "native code",
    "multiprocessing": "starting processes",
    "threading": "threads",
    "asyncio": "the event loop, processes and the network",
    "concurrent": "threads and processes",
    "pickle": "deserialising code",
    "marshal": "deserialising code",
    "shelve": "deserialising code",
    "dill": "deserialising code",
    "importlib": "importing by name",
    "builtins": "the built-in functions themselves",
    "code": "running code",
    "codeop": "running code",
    "runpy": "running code",
    "pty": "terminals and processes",
    "signal": "signals",
    "pathlib": "files",
    "glob": "finding files",
    "tempfile": "files",
    "mmap": "memory",
    "resource": "limits",
    "gc": "every object of the interpreter",
    "inspect": "frames and source",
    "fcntl": "devices",
    "platform": "facts about the machine",
    "getpass": "users and passwords",
    "pwd": "users",
    "psutil": "other processes",
    "winreg": "the registry",
    "webbrowser": "opening addresses",
    "posix": "processes, files and the environment",
    "nt": "processes, files and the environment",
}

HEAVY_MODULES: Final = frozenset(
    (
        "os",
        "subprocess",
        "builtins",
        "pty",
        "socket",
        "ctypes",
        "shutil",
        "posix",
        "nt",
        "sys",
        "importlib",
        "commands",
    )
)
"""Modules that legitimate code does not import by a computed name."""


@short_cache(8192)
def canonical(name: str) -> str:
    """Return the name that rules know: `posix.system` is `os.system`, and so is `shutil.os.system`."""
    exact = _EXACT.get(name)
    if exact is not None:
        return exact
    head, _, rest = name.partition(".")
    alias = _ALIASES.get(head)
    if alias is not None:
        return canonical(f"{alias}.{rest}") if rest else alias
    if rest and head in STDLIB and head not in _OWN_NAMES:
        parts = rest.split(".")
        for index, part in enumerate(parts):
            inner = part.lstrip("_")
            if inner in _REEXPORTED and (inner != head or index):
                return canonical(".".join((inner, *parts[index + 1 :])))
    elif rest and "()" not in name:
        parts = rest.split(".")
        for index, part in enumerate(parts):
            if part in _BORROWED:
                return canonical(".".join(parts[index:]))
    return name


_OWN_NAMES: Final = frozenset(("asyncio", "concurrent", "xml", "multiprocessing"))
"""Modules with parts of their own that are called like other modules: `asyncio.subprocess`."""

"""Prints the names of an image's Python. It runs in a sandbox of the image, never on the host.

A line for each name: the name, its kind, its signature and the first line of its documentation, between tabs.
"""

from __future__ import annotations

import importlib
import inspect
import io
import pkgutil
import sys
import types
import warnings
from collections.abc import Iterator

LEFT_OUT = {"antigravity", "idlelib", "lib2to3", "pylab", "test", "this", "turtledemo"}
INNER = {
    "asyncio", "collections", "concurrent", "curses", "dbm", "email", "html", "http", "importlib", "json",
    "logging", "multiprocessing", "os", "unittest", "urllib", "wsgiref", "xml", "xmlrpc", "zoneinfo",
}  # fmt: skip
"""Packages whose modules are imported, too."""
LARGE = {"fontTools", "mpmath", "pyparsing", "sympy", "tkinter", "turtle", "xmlrpc"}
"""Modules whose classes are told without their members."""
MORE = ("matplotlib.pyplot", "os.path", "scipy.stats", "scipy.optimize", "numpy.random", "numpy.linalg")
MOST_MEMBERS, MOST_OF_CLASS, MOST_SIGNATURE, MOST_SUMMARY = 1000, 300, 300, 120


def module_names() -> Iterator[str]:
    """Yield the names of the modules that are imported."""
    installed = {each.name for each in pkgutil.iter_modules()}
    for name in sorted(sys.stdlib_module_names | installed):
        if not name.startswith("_") and name.isidentifier() and name not in LEFT_OUT:
            yield name
    yield from MORE


def imported(name: str) -> types.ModuleType | None:
    """Return a module, or None where it cannot be imported."""
    try:
        return importlib.import_module(name)
    except BaseException:
        return None


def signature(found: object) -> str:
    """Return the parameters of what can be called."""
    try:
        known = inspect.signature(found)  # type: ignore[arg-type]
        text = str(known)
        if len(text) > MOST_SIGNATURE:
            plain = [each.replace(annotation=each.empty) for each in known.parameters.values()]
            text = str(known.replace(parameters=plain))
    except Exception:
        return documented_signature(found)
    if len(text) <= MOST_SIGNATURE:
        return text
    _, arrow, result = text.rpartition(") -> ")
    return f"{text[:MOST_SIGNATURE]}…{arrow}{result[:60] if arrow else ')'}"


def documented_signature(found: object) -> str:
    """Return the parameters with which the documentation of a function of C begins."""
    name = getattr(found, "__name__", "")
    first = " ".join(paragraphs(found)[0].split())
    known = bool(name) and first.startswith(f"{name}(") and first.endswith(")")
    return first[len(name) :][:MOST_SIGNATURE] if known else ""


def paragraphs(found: object) -> list[str]:
    """Return the documentation of a module, class or function in paragraphs; at least one."""
    try:
        return (inspect.getdoc(found) or "").strip().split("\n\n")
    except Exception:
        return [""]


def summary(found: object) -> str:
    """Return the first line of the documentation, without parameters."""
    told = paragraphs(found)
    if len(told) > 1 and "(" in told[0].split(" ")[0]:
        told = told[1:]
    return told[0].strip().partition("\n")[0][:MOST_SUMMARY]


def kind(found: object) -> str:
    """Return what a name stands for."""
    if isinstance(found, types.ModuleType):
        return "module"
    if isinstance(found, type):
        return "class"
    return "function" if callable(found) or isinstance(found, (classmethod, staticmethod)) else "value"


def say(name: str, found: object) -> None:
    """Print one name."""
    what = kind(found)
    told = summary(found) if what != "value" or isinstance(found, property) else type(found).__name__
    shown = signature(found) if what in {"class", "function"} else ""
    print(name, what, *(" ".join(each.split()) for each in (shown, told)), sep="\t", file=OUT)


def public(found: object) -> list[str]:
    """Return the public names in a module or a class."""
    named = getattr(found, "__all__", None)
    names = (
        [each for each in named if isinstance(each, str)] if isinstance(named, (list, tuple)) else dir(found)
    )
    return [each for each in names if each.isidentifier() and not each.startswith("_")]


def tell_class(name: str, found: type) -> None:
    """Print the public members of a class."""
    own = set(dir(found)) - (set(dir(BaseException)) if issubclass(found, BaseException) else set())
    for member in [each for each in public(found) if each in own][:MOST_OF_CLASS]:
        try:
            say(f"{name}.{member}", inspect.getattr_static(found, member))
        except Exception:  # noqa: S112  one that cannot be told is left out
            continue


def tell_module(name: str, module: types.ModuleType) -> None:
    """Print a module, its public members, and the members of its classes."""
    say(name, module)
    for member in public(module)[:MOST_MEMBERS]:
        try:
            found = getattr(module, member)
        except Exception:  # noqa: S112
            continue
        if isinstance(found, types.ModuleType):
            if found.__name__.startswith(f"{name}."):
                say(f"{name}.{member}", found)
            continue
        say(f"{name}.{member}", found)
        if isinstance(found, type) and name.split(".", maxsplit=1)[0] not in LARGE:
            tell_class(f"{name}.{member}", found)


def tell_submodules(name: str, module: types.ModuleType) -> None:
    """Print the modules of a package: in full where it belongs to the language, otherwise by name."""
    for each in pkgutil.iter_modules(getattr(module, "__path__", ())):
        if each.name.startswith("_") or not each.name.isidentifier() or each.name in {"test", "tests"}:
            continue
        inner = imported(f"{name}.{each.name}") if name in INNER and each.name != "__main__" else None
        if inner is not None:
            tell_module(f"{name}.{each.name}", inner)
        else:
            print(f"{name}.{each.name}", "module", "", "", sep="\t", file=OUT)


def main() -> None:
    """Print the names of every module."""
    warnings.simplefilter("ignore")
    for name in module_names():
        module = imported(name)
        if module is not None:
            tell_module(name, module)
            tell_submodules(name, module)


if __name__ == "__main__":
    OUT, sys.stdout, sys.stderr = sys.stdout, io.StringIO(), io.StringIO()
    main()
    OUT.flush()

"""The lists of the proof as Markdown: the second half of `docs/verdict.md`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping

from engine.analysis.verdict.javascript import global_names, property_names
from engine.analysis.verdict.python.attributes import DUNDERS, GLOBALS, SAFE
from engine.analysis.verdict.python.data.attributes import (
    MATPLOTLIB_SAFE,
    NUMPY_SAFE,
    PANDAS_SAFE,
    UNSAFE,
    UNSAFE_BESIDE_MATPLOTLIB,
    UNSAFE_BESIDE_PANDAS,
)
from engine.analysis.verdict.python.data.pictures import DRAWING
from engine.analysis.verdict.python.data.restricted import BY_LIBRARY, FUNCTIONS
from engine.analysis.verdict.python.data.signatures import ArgumentKind
from engine.analysis.verdict.python.library import BUILTINS, MODULES
from engine.analysis.verdict.python.safe_module import SafeModule
from engine.analysis.verdict.shell.library import CHECKED, FREE, PROGRAMS, READ
from engine.analysis.verdict.shell.names import READABLE

HEADING = "## The lists"


def lists() -> str:
    """Return the tables of what the proofs accept."""
    return "\n".join(
        [
            HEADING,
            "",
            "Written from the code by `python -m engine.analysis.verdict.pages`; a test compares them.",
            "",
            "| module | names | why they are safe |",
            "|---|---|---|",
            _row("(built-in)", BUILTINS),
            *(_row(f"`{path}`", module) for path, module in sorted(MODULES.items())),
            "",
            *_words("Attributes that are safe on every value", SAFE),
            *_words("Attributes that are safe besides where numpy is imported", NUMPY_SAFE),
            *_words("Attributes that are safe besides where pandas is imported", PANDAS_SAFE),
            *_words("Attributes that are safe besides where matplotlib is imported", MATPLOTLIB_SAFE),
            *_words("Attributes that are not safe where one of them is imported", UNSAFE),
            *_words("Attributes that are not safe where pandas is imported", UNSAFE_BESIDE_PANDAS),
            *_words("Attributes that are not safe where matplotlib is imported", UNSAFE_BESIDE_MATPLOTLIB),
            *_signatures(),
            *_words("Attributes of the data model that may be read", DUNDERS),
            *_words("Names with two underscores that may be assigned", GLOBALS),
            *_javascript(),
            *_shell(),
        ]
    )


def _signatures() -> Iterator[str]:
    tables = BY_LIBRARY.items()
    methods = {f"{name} ({library})": one for library, table in tables for name, one in table.items()}
    yield from ("| restricted | arguments by position | keywords |", "|---|---|---|")
    yield f"| what draws | | {_keywords(DRAWING)} |"
    for name, one in sorted({**FUNCTIONS, **methods}.items()):
        draws = one.keywords.keys() >= DRAWING.keys()
        known = dict(one.keywords.items() - DRAWING.items()) if draws else one.keywords
        words = f"{'those of what draws ' if draws else ''}{_keywords(known)}".rstrip()
        positional = ", ".join(kind.name.lower() for kind in one.positional)
        others = f" others: {one.others.name.lower()}" if one.others else ""
        yield f"| `{name}` | {positional} | {words}{others} |"
    yield ""


def _keywords(keywords: Mapping[str, ArgumentKind]) -> str:
    return " ".join(f"`{word}`: {kind.name.lower()}" for word, kind in sorted(keywords.items()))


def _javascript() -> Iterator[str]:
    tables = (*global_names.MEMBERS.items(), *global_names.FIELDS.items())
    members = (f"{root}.{name}" for root, table in tables for name in table)
    called = (*global_names.CALLED, *global_names.PROCESS)
    yield from ("### JavaScript", "")
    yield from _words("Globals that may be called", called)
    yield from _words("Globals that may be constructed", global_names.CONSTRUCTED)
    yield from _words("Globals that may be used as values", [*global_names.VALUES, *global_names.CONSTANTS])
    yield from _words("Members of globals", members)
    yield from _words("Methods without an effect, whatever they belong to", property_names.METHODS)
    yield from _words("Other properties of the language that may be read", property_names.DATA_PROPERTIES)
    yield from _words("Reserved names of properties", property_names.RESERVED)


def _shell() -> Iterator[str]:
    yield from ("### Shell", "")
    yield from _words("Commands that may have any arguments", FREE)
    yield from _words("Builtins whose arguments are checked one by one", CHECKED)
    yield from ("| command | options | options with a value |", "|---|---|---|")
    for name, program in sorted({**PROGRAMS, "read": READ}.items()):
        yield f"| `{name}` | {_code(program.flags)} | {_code(program.valued)} |"
    yield ""
    yield from _words("Variables of the shell that may be read", READABLE)


def _row(title: str, module: SafeModule) -> str:
    parts = [_code(module.values)] if module.values else []
    parts += [f"only called in checked ways: {_code(module.calls)}"] if module.calls else []
    parts += [f"only named as types: {_code(module.types)}"] if module.types else []
    return f"| {title} | {'; '.join(parts)} | {module.why} |"


def _words(title: str, names: Iterable[str]) -> Iterator[str]:
    yield from (f"**{title}**: {_code(names)}", "")


def _code(names: Iterable[str]) -> str:
    return " ".join(f"`{name}`" for name in sorted(names))


if __name__ == "__main__":
    sys.stdout.write(lists() + "\n")

"""Corpora of labelled code, where they lie beside the checkout; and code that is made up."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.models import Language

FILES = {
    Language.PYTHON: "python.jsonl",
    Language.JAVASCRIPT: "javascript.jsonl",
    Language.SHELL: "bash.jsonl",
}
_DEFAULT = Path(__file__).parents[3] / "shared" / "corpora"


@dataclass(frozen=True)
class Sample:
    """One labelled piece of code."""

    id: str
    language: Language
    tier: str
    category: str
    cluster: str
    code: str


def folder(named: str | None = None) -> Path:
    """Return the folder of the corpora: the one named, PRATIQUE_CORPORA's, or the one beside the checkout."""
    return Path(named or os.environ.get("PRATIQUE_CORPORA") or _DEFAULT)


def samples(root: Path, language: Language) -> list[Sample]:
    """Return all samples of a language; none where there is no such corpus."""
    path = root / FILES[language]
    return list(_read(path, language)) if path.exists() else []


def _read(path: Path, language: Language) -> Iterator[Sample]:
    with path.open() as lines:
        for line in lines:
            entry = json.loads(line)
            fields = (str(entry[key]) for key in ("tier", "category", "cluster", "code"))
            yield Sample(str(entry["id"]), language, *fields)


_FUNCTION = '''
def step_{n}(items: list[int], limit: int = {n}) -> dict[str, int]:
    """Count what is under the limit, and remember the largest."""
    counts: dict[str, int] = {{}}
    largest = 0
    for index, item in enumerate(items):
        if item < limit and index % 2 == 0:
            counts[f"item-{{item}}"] = counts.get(f"item-{{item}}", 0) + 1
        elif item > largest:
            largest = max(largest, item * 2 - index)
        else:
            name = "x".join(str(part) for part in range(3))
            counts[name] = largest
    result = {{key: value for key, value in sorted(counts.items())}}
    print("done", len(result), largest)
    return result
'''


def made_up(lines: int) -> str:
    """Return ordinary Python of about so many lines."""
    height = _FUNCTION.count("\n")
    functions = (_FUNCTION.format(n=number) for number in range(lines // height))
    return "import json\nimport math\n" + "".join(functions)

"""Corpora of labelled code next to the checkout, and generated code."""

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


_PYTHON = '''
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


_JAVASCRIPT = """
// Count what is under the limit, and remember the largest.
function step{n}(items, limit = {n}) {{
  const counts = new Map();
  let largest = 0;
  for (const [index, item] of items.entries()) {{
    if (item < limit && index % 2 === 0) {{
      counts.set(`item-${{item}}`, (counts.get(`item-${{item}}`) || 0) + 1);
    }} else if (item > largest) {{
      largest = Math.max(largest, item * 2 - index);
    }} else {{
      const name = [0, 1, 2].map((part) => String(part)).join("x");
      counts.set(name, largest);
    }}
  }}
  console.log("done", counts.size, largest);
  return Object.fromEntries([...counts].sort());
}}
"""
_SHELL = """
# Count what is under the limit, and remember the largest.
step_{n}() {{
    local file="$1" limit="${{2:-{n}}}" largest=0 count=0
    while read -r item; do
        if [ "$item" -lt "$limit" ]; then
            count=$((count + 1))
        elif [[ $item -gt $largest ]]; then
            largest=$item
        else
            name="$(echo "$item" | tr -d ' ' | cut -c 1-8)"
            printf '%s\\n' "$name" >> "out/$name.txt"
        fi
    done < "$file"
    sort -n "out/step-{n}.txt" | uniq -c | head -n 5
    echo "done $count ${{largest:-0}}"
}}
step_{n} "data/{n}.txt" 10
"""
_MADE_UP = {Language.PYTHON: _PYTHON, Language.JAVASCRIPT: _JAVASCRIPT, Language.SHELL: _SHELL}
_IMPORTS = {Language.PYTHON: "import json\nimport math\n"}


def made_up(lines: int, language: Language = Language.PYTHON) -> str:
    """Return ordinary code of about so many lines."""
    template = _MADE_UP[language]
    pieces = (template.format(n=number) for number in range(lines // template.count("\n")))
    return _IMPORTS.get(language, "") + "".join(pieces)

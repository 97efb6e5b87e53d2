"""`python -m tests.structure.structure`: measure the structure of engine/ and console/ against its limits.

Read from the sources alone: folders with too many modules, cycles among imports that run when a module is
loaded, base classes that exist for one subclass, class names that are defined more than once, and models that
change unchecked.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("engine", "console")
MOST_MODULES = 25
"""More modules than this in one folder are hard to take in."""
MOST_HOMONYMS = 9
"""Class names that may be defined more than once, none of them public."""
PUBLIC = ("engine.client", "engine.models")
"""What users import."""
DATA = {("engine", "cli", "samples", "submissions")}
"""Folders of Python files that are data, not modules."""


@dataclass(frozen=True)
class Module:
    """One source file: its dotted name, its folder, and its syntax tree."""

    name: str
    path: Path
    tree: ast.Module

    @property
    def package(self) -> str:
        """The dotted name that relative names in it start from."""
        return self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]


@dataclass(frozen=True)
class Class:
    """One class definition."""

    name: str
    module: str
    bases: tuple[str, ...]


def modules(root: Path = ROOT) -> list[Module]:
    """Return every module of the packages, by name."""
    return sorted((_module(root, path) for path in _sources(root)), key=lambda module: module.name)


def _sources(root: Path) -> Iterator[Path]:
    for package in PACKAGES:
        for path in (root / package).rglob("*.py"):
            if path.relative_to(root).parts[:-1] not in DATA and "_shipped" not in path.parts:
                yield path


def _module(root: Path, path: Path) -> Module:
    parts = path.relative_to(root).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return Module(name, path, ast.parse(path.read_text(encoding="utf-8")))


# --- folders


def crowded(found: Iterable[Module]) -> dict[str, int]:
    """Return the folders that hold more modules than one can take in, with how many."""
    folders: dict[str, int] = defaultdict(int)
    for module in found:
        folders[str(module.path.parent)] += module.path.name != "__init__.py"
    return {folder: count for folder, count in folders.items() if count > MOST_MODULES}


# --- cycles


def cycles(found: Iterable[Module]) -> list[list[str]]:
    """Return the groups of modules that import each other as they are loaded."""
    known = {module.name: module for module in found}
    graph = {name: _loaded(module, known) for name, module in known.items()}
    return [sorted(group) for group in _components(graph) if len(group) > 1]


def _loaded(module: Module, known: Mapping[str, Module]) -> set[str]:
    """Return the modules that loading a module imports, its own packages left out."""
    names = set[str]()
    for node in _at_load(module.tree.body):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= {one if one in known else node.module for one in inner}
    return {name for name in names if name in known and name != module.name}


def _at_load(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        yield node
        for inner in ("body", "orelse", "handlers", "finalbody"):
            if isinstance(node, ast.If | ast.Try | ast.With | ast.ClassDef | ast.ExceptHandler):
                yield from _at_load(getattr(node, inner, ()))


def _components(graph: Mapping[str, set[str]]) -> Iterator[set[str]]:
    """Yield the strongly connected components (Tarjan 1972, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    for start in graph:
        if start in index:
            continue
        work = [(start, iter(sorted(graph[start])))]
        index[start] = low[start] = len(index)
        stack.append(start)
        while work:
            node, rest = work[-1]
            step = next(rest, None)
            if step is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    yield set(stack[at:])
                    del stack[at:]
            elif step not in index:
                index[step] = low[step] = len(index)
                stack.append(step)
                work.append((step, iter(sorted(graph[step]))))
            elif step in stack:
                low[node] = min(low[node], index[step])


# --- classes


def classes(found: Iterable[Module]) -> list[Class]:
    """Return every class that is defined at the top of a module."""
    return [
        Class(node.name, module.name, tuple(_base(base) for base in node.bases))
        for module in found
        for node in module.tree.body
        if isinstance(node, ast.ClassDef)
    ]


def _base(node: ast.expr) -> str:
    if isinstance(node, ast.Subscript):
        return _base(node.value)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def single_heirs(found: Iterable[Class]) -> dict[str, tuple[str, Class]]:
    """Return the classes that exactly one other class extends, with their module and that class."""
    all_ = list(found)
    own = {one.name: one.module for one in all_ if "Protocol" not in one.bases}
    heirs: dict[str, list[Class]] = defaultdict(list)
    for one in all_:
        for base in one.bases:
            heirs[base].append(one)
    return {name: (module, heirs[name][0]) for name, module in own.items() if len(heirs[name]) == 1}


def lonely_bases(found: Iterable[Module]) -> list[str]:
    """Return the classes that exist only for the one class that extends them.

    Protocols are left out, and so are classes that are used for themselves too: named as a type, or made, in
    another module than their own and their subclass's.
    """
    read = list(found)
    users = _users(read)
    return sorted(
        f"{name} <- {heir.module}.{heir.name}"
        for name, (module, heir) in single_heirs(classes(read)).items()
        if not users[name] - {module, heir.module}
    )


def _users(found: Iterable[Module]) -> dict[str, set[str]]:
    """Return which modules use each name other than as a base class."""
    users: dict[str, set[str]] = defaultdict(set)
    for module in found:
        bases = {
            id(part)
            for node in ast.walk(module.tree)
            if isinstance(node, ast.ClassDef)
            for base in node.bases
            for part in ast.walk(base)
        }
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Name) and id(node) not in bases:
                users[node.id].add(module.name)
    return users


def homonyms(found: Iterable[Class]) -> dict[str, list[str]]:
    """Return the class names that more than one module defines, private ones included."""
    places: dict[str, list[str]] = defaultdict(list)
    for one in found:
        places[one.name].append(one.module)
    return {name: sorted(where) for name, where in sorted(places.items()) if len(where) > 1}


def public_homonyms(found: Iterable[Class]) -> list[str]:
    """Return the names of public classes that another module defines, too."""
    return [name for name, where in homonyms(found).items() if any(one.startswith(PUBLIC) for one in where)]


def copies_unchecked(module: Module) -> bool:
    """Return whether a module changes a pydantic model without validating it."""
    names = {node.attr for node in ast.walk(module.tree) if isinstance(node, ast.Attribute)}
    return "model_copy" in names


def main() -> int:
    """Print what was measured; return 1 where a limit is passed."""
    found = modules()
    defined = classes(found)
    repeated = [f"{name}: {', '.join(where)}" for name, where in homonyms(defined).items()]
    rows = [
        ("folders with too many modules", [f"{n} in {at}" for at, n in crowded(found).items()], 0),
        ("import cycles", [" <-> ".join(cycle) for cycle in cycles(found)], 0),
        ("base classes that exist for one subclass", lonely_bases(found), 0),
        ("class names defined twice or more", repeated, MOST_HOMONYMS),
        ("of these, public ones", public_homonyms(defined), 0),
    ]
    for title, listed, most in rows:
        print("\n  ".join([f"{title}: {len(listed)} (at most {most})", *listed]))
    concrete = len(single_heirs(defined)) - len(lonely_bases(found))
    print(f"classes in use for themselves that one other class extends: {concrete}")
    return int(any(len(listed) > most for _, listed, most in rows))


if __name__ == "__main__":
    sys.exit(main())

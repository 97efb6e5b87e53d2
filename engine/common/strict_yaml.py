"""YAML that remembers its lines, and refuses what hides or multiplies content."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from engine.common.file_faults import Fault, Place, PolicyError
from engine.common.local_files import read_file

MAX_BYTES = 1 << 20
MAX_DEPTH = 100
_SURROGATE = re.compile("[\ud800-\udfff]")
Path_ = tuple[str | int, ...]


@dataclass(frozen=True)
class Document:
    """What a YAML file says, and the line of each of its keys and items."""

    file: Path
    value: Any
    lines: dict[Path_, int]

    def place(self, path: Path_) -> Place:
        """Return the place of `path`, or of the nearest key above it."""
        while path and path not in self.lines:
            path = path[:-1]
        return Place(self.file, self.lines.get(path, 1))


def read(file: Path) -> Document:
    """Return the document in a file.

    Raises:
        PolicyError: it cannot be read, is too large, or is no plain YAML, as of `parse`.
    """
    try:
        content = read_file(file, MAX_BYTES)
    except OSError as error:
        raise PolicyError(Fault(Place(file), f"cannot be read: {error.strerror}")) from None
    return parse(file, content)


def parse(file: Path, content: bytes) -> Document:
    """Return the document in the content of a file, in time that grows as its size does.

    Raises:
        PolicyError: it is no plain YAML: a key occurs twice, there are anchors, or tags.
    """
    try:
        text = _text(file, content)
        if _too_deep(text):
            raise PolicyError(Fault(Place(file), "nested too deeply"))
        loader = yaml.SafeLoader(text)
        try:
            node = loader.get_single_node()
            lines: dict[Path_, int] = {}
            return Document(file, _Builder(file, loader, lines).build(node, ()) if node else {}, lines)
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        raise PolicyError(_unreadable(file, error)) from None
    except RecursionError:
        raise PolicyError(Fault(Place(file), "nested too deeply")) from None


def _text(file: Path, content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise PolicyError(Fault(Place(file, line), "not UTF-8 text")) from None


def _too_deep(text: str) -> bool:
    """Return whether brackets are nested so deep that a YAML parser takes quadratic time."""
    depth = 0
    for character in text:
        depth += (character in "[{") - (character in "]}")
        if depth > MAX_DEPTH:
            return True
    return False


def _unreadable(file: Path, error: yaml.YAMLError) -> Fault:
    mark = getattr(error, "problem_mark", None)
    message = getattr(error, "problem", None) or getattr(error, "reason", None) or "not YAML"
    return Fault(Place(file, mark.line + 1 if mark else 1), f"not YAML: {message}")


class _Builder:
    def __init__(self, file: Path, loader: yaml.SafeLoader, lines: dict[Path_, int]) -> None:
        self._file = file
        self._loader = loader
        self._lines = lines
        self._seen: set[int] = set()

    def build(self, node: yaml.Node, path: Path_) -> Any:
        self._lines.setdefault(path, node.start_mark.line + 1)
        if id(node) in self._seen:
            raise PolicyError(self._fault(node, "anchors and aliases are not read: write it out"))
        self._seen.add(id(node))
        if node.tag not in _PLAIN:
            raise PolicyError(self._fault(node, f"`{node.tag.rsplit(':', 1)[-1]}` is not read here"))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.build(item, (*path, number)) for number, item in enumerate(node.value)]
        return self._scalar(node)

    def _mapping(self, node: yaml.MappingNode, path: Path_) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = self._key(key_node)
            if not isinstance(key, str):
                raise PolicyError(self._fault(key_node, f"`{key}` is no key: a key is a word"))
            if key in made:
                raise PolicyError(self._fault(key_node, f"`{key}` occurs twice"))
            self._lines[(*path, key)] = key_node.start_mark.line + 1
            made[key] = self.build(value_node, (*path, key))
        return made

    def _key(self, node: yaml.Node) -> Any:
        if not isinstance(node, yaml.ScalarNode) or node.tag not in _PLAIN:
            raise PolicyError(self._fault(node, f"`{node.tag.rsplit(':', 1)[-1]}` is no key"))
        return self._scalar(node)

    def _scalar(self, node: yaml.Node) -> Any:
        if _SURROGATE.search(str(node.value)):
            raise PolicyError(self._fault(node, "half of a character is not read: `\\uD800` to `\\uDFFF`"))
        try:
            return self._loader.construct_object(node)
        except ValueError as error:
            raise PolicyError(self._fault(node, f"`{node.value}` is no value: {error}")) from None

    def _fault(self, node: yaml.Node, message: str) -> Fault:
        return Fault(Place(self._file, node.start_mark.line + 1), message)


_PLAIN = frozenset(
    f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "bool", "null", "map", "seq")
)

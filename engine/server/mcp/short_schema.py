"""JSON schemas as agents get them: what a model needs to call a tool, and not what the engine checks."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from pydantic import BaseModel

CHECKED_HERE = frozenset({"title", "pattern", "maxLength", "minLength", "maxItems", "minItems", "format"})
"""What the engine checks anyway, and says in words where it is wrong."""
SAYS_NOTHING: tuple[object, ...] = ("", None, [], False, {})
NULLABLE = 2


def short(model: type[BaseModel], *, described_before: Collection[str] = ()) -> dict[str, Any]:
    """Return the schema of a model; properties that another schema described before have no description."""
    schema = model.model_json_schema()
    named = schema.pop("$defs", {})
    enums = {name: {"enum": part["enum"]} for name, part in named.items() if "enum" in part}
    others = {name: part for name, part in named.items() if name not in enums}
    made = _object(schema, enums)
    for name in described_before:
        made["properties"].get(name, {}).pop("description", None)
    return made | ({"$defs": {name: _object(part, enums) for name, part in others.items()}} if others else {})


def outline(model: type[BaseModel]) -> dict[str, Any]:
    """Return the names and types of what a model has, without what lies deeper."""
    made = short(model)
    made.pop("$defs", None)
    for part in made["properties"].values():
        part.pop("description", None)
        for inner in (part, part.get("items", {})):
            if inner.pop("$ref", ""):
                inner["type"] = "object"
    return made


def _object(schema: dict[str, Any], enums: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object, whose description is that of its tool or of its property."""
    made = {key: value for key, value in schema.items() if key not in {"title", "description", "properties"}}
    return made | {"properties": {name: _value(part, enums) for name, part in schema["properties"].items()}}


def _value(schema: dict[str, Any], enums: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in schema.items() if not _idle(key, value)}
    if isinstance(kept.get("items"), dict):
        kept["items"] = _value(kept["items"], enums)
    choices = kept.pop("anyOf", ())
    if len(choices) == NULLABLE and choices[1] == {"type": "null"}:
        kept["type"] = [choices[0].get("type", "object"), "null"]
    elif choices:
        kept["anyOf"] = [_value(choice, enums) for choice in choices]
    return _inlined(kept, enums)


def _inlined(kept: dict[str, Any], enums: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with the choices of an enumeration in the place of a reference to them."""
    name = str(kept.get("$ref", "")).rpartition("/")[2]
    if name not in enums:
        return kept
    inlined: dict[str, Any] = {key: value for key, value in kept.items() if key != "$ref"} | enums[name]
    return inlined


def _idle(key: str, value: object) -> bool:
    return key in CHECKED_HERE or (key == "default" and (value in SAYS_NOTHING or isinstance(value, dict)))

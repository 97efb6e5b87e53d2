"""The reference of the HTTP API as a page: every operation and every schema of the OpenAPI document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from engine.core import Engine
from engine.server.http.app import create_app


class _Nothing:
    """Stands where an engine will be; that of the document is never asked."""

    def __getattr__(self, name: str) -> Any:
        return _Nothing()

    def __call__(self, *args: object) -> Any:
        return _Nothing()


def document() -> dict[str, Any]:
    """Return the OpenAPI document."""
    return create_app(cast("Engine", _Nothing()), lambda: None).openapi()


def reference() -> str:
    """Return the page, as Markdown."""
    described = document()
    lines = [
        "# HTTP API reference",
        "",
        "Written from the OpenAPI document, which an engine has at `/openapi.json`.",
        "",
    ]
    for tag in described["tags"]:
        lines += [f"## {tag['name']}", "", tag["description"], ""]
        for path, methods in described["paths"].items():
            for method, operation in methods.items():
                if tag["name"] in operation["tags"]:
                    lines += _operation(method, path, operation)
    lines += ["## Schemas", ""]
    for name, schema in sorted(described["components"]["schemas"].items()):
        lines += _schema(name, schema)
    return "\n".join(lines)


def _operation(method: str, path: str, operation: dict[str, Any]) -> Iterator[str]:
    yield from (
        f"### {operation['summary']}",
        "",
        f"`{method.upper()} {path}` (`{operation['operationId']}`)",
        "",
    )
    yield from (_text(operation.get("description", "")), "")
    parameters = operation.get("parameters", [])
    if parameters:
        yield from ("| parameter | in | type | meaning |", "|---|---|---|---|")
    for each in parameters:
        meaning = _text(each.get("description", ""))
        yield f"| `{each['name']}` | {each['in']} | {_type(each['schema'])} | {meaning} |"
    if parameters:
        yield ""
    if body := operation.get("requestBody"):
        yield from (f"Body: {_content(body)}", "")
    for status, response in operation["responses"].items():
        if status.startswith("2"):
            yield from (f"Response {status}: {_content(response) or 'no body'}", "")


def _schema(name: str, schema: dict[str, Any]) -> Iterator[str]:
    yield from (f"### {name}", "", _text(schema.get("description", "")), "")
    if "enum" in schema:
        yield from (", ".join(f"`{value}`" for value in schema["enum"]), "")
    properties = schema.get("properties", {})
    if not properties:
        return
    yield from ("| field | type | required |", "|---|---|---|")
    for field, each in properties.items():
        required = "yes" if field in schema.get("required", ()) else ""
        yield f"| `{field}` | {_type(each)} | {required} |"
    yield ""


def _content(part: dict[str, Any]) -> str:
    found = part.get("content", {})
    return ", ".join(f"`{media}` {_type(each.get('schema', {}))}".strip() for media, each in found.items())


def _type(schema: dict[str, Any]) -> str:
    """Return the type of a value in a few words, with a link to the schema that it names."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return " or ".join(_type(each) for each in schema[several])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {})) or 'anything'}"
    return str(schema.get("type", ""))


def _text(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")

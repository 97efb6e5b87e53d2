"""Requests made up from the OpenAPI document: hostile parameters, headers, bodies, encodings and lengths."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, quote_from_bytes

from hypothesis import strategies as st

SKIPPED = {"/v1/shutdown"}

TEXTS = [
    "",
    " ",
    ".",
    "..",
    "../..",
    "//",
    "%",
    "%00",
    "\0",
    "\n",
    "\r\nx: y",
    "\x1b[2J",
    "\u202e",
    "\ufeff",
    "😀" * 50,
    "a" * 3000,
    "null",
    "true",
    "-1",
    "0",
    "1e400",
    "1e-400",
    "nan",
    "inf",
    "-inf",
    "-0.0",
    "0x10",
    "1_0",
    "٣",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "9" * 400,
    "9" * 5000,
    "s-0",
    "ses-1",
    "{}",
    "[]",
    "'",
    '"',
    "' OR 1=1 --",
    "*",
    "(",
    "[",
    "\\",
    "$(id)",
    "9999-12-31T23:59:59-14:00",
    "0001-01-01",
    "9999-12-31T23:59-14:00",
    "0001-01-01T00:00+14:00",
    "2026-02-30",
    "1970-01-01T00:00:00Z",
    "since:",
    "until:",
]
FILTERS = [
    f"{key}:{value}"
    for key in (
        "until",
        "since",
        "risk",
        "status",
        "id",
        "digest",
        "requester",
        "lang",
        "exit",
        "before",
        "text",
    )
    for value in (
        "9999-12-31T23:59-14:00",
        "0001-01-01T00:00+14:00",
        "99999999999d",
        "1e9d",
        "-5d",
        "0d",
        "9" * 30 + "w",
        "\0",
        "9999-12-31",
        "0001-01-01",
        "10000-01-01",
        "today",
        "*",
        "",
        '"',
        "9" * 25,
        "-" + "9" * 25,
        "<",
        ">=" + "9" * 20,
    )
]
HOSTILE = (
    st.sampled_from(TEXTS)
    | st.sampled_from(FILTERS)
    | st.lists(st.sampled_from(FILTERS), min_size=2, max_size=4).map(" ".join)
    | st.text(max_size=40)
    | st.integers().map(str)
    | st.floats().map(str)
    | st.datetimes().map(lambda at: at.isoformat())
)
RAW = HOSTILE.map(lambda text: quote(text, safe="", errors="surrogatepass")) | st.binary(max_size=20).map(
    lambda raw: quote_from_bytes(raw, safe="")
)
JSON_LEAF = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | HOSTILE
    | st.sampled_from([10**400, -(10**30), 2**63, 1e308, "\ud800", "python", "approved", "submit"])
)
JSON = st.recursive(
    JSON_LEAF,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(HOSTILE, inner, max_size=4),
    max_leaves=12,
)
CONTENT_TYPES = [
    "application/json",
    "application/json; charset=utf-16",
    "text/plain",
    "",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "multipart/form-data",
    "application/problem+json",
    "a/b/c",
    "\u00e9",
]
HEADERS = [
    "accept: application/vnd.pratique.output",
    "accept: */*;q=x",
    "accept-encoding: gzip, br",
    "range: bytes=0-",
    "idempotency-key: \x7f",
    f"idempotency-key: {'k' * 300}",
    "idempotency-key: k",
    "expect: 100-continue",
    "pratique-requester: %00%ff",
    "pratique-requester: %",
    "content-encoding: gzip",
    "cookie: a=b",
    "x-forwarded-for: ::1",
    "if-none-match: *",
    "authorization: Bearer \u00ff",
    "te: trailers",
    "connection: close",
]


@dataclass(frozen=True)
class Operation:
    """One operation of the document."""

    method: str
    path: str
    parameters: tuple[dict[str, Any], ...]
    body: dict[str, Any]


def operations(document: dict[str, Any]) -> Iterator[Operation]:
    """Yield the operations of a document."""
    for path, methods in document["paths"].items():
        for method, about in methods.items():
            if path not in SKIPPED:
                schema = (
                    about.get("requestBody", {})
                    .get("content", {})
                    .get("application/json", {})
                    .get("schema", {})
                )
                yield Operation(method.upper(), path, tuple(about.get("parameters", ())), schema)


def shaped(schema: dict[str, Any], document: dict[str, Any], depth: int = 0) -> st.SearchStrategy[Any]:
    """Return values that look like a schema, and every now and then are something else."""
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    if depth > 5:
        return JSON_LEAF
    if "enum" in schema or "const" in schema:
        return st.sampled_from(schema.get("enum", [schema.get("const")])) | JSON_LEAF
    if options := schema.get("anyOf") or schema.get("oneOf"):
        return st.one_of(*(shaped(option, document, depth + 1) for option in options))
    kind = schema.get("type")
    if kind == "object" and "properties" in schema:
        fields = {name: shaped(field, document, depth + 1) for name, field in schema["properties"].items()}
        needed = {name: fields.pop(name) for name in schema.get("required", ()) if name in fields}
        return st.fixed_dictionaries(needed, optional=fields)
    if kind == "array":
        return st.lists(shaped(schema.get("items", {}), document, depth + 1), max_size=3)
    plain = {"string": HOSTILE, "integer": st.integers(), "number": st.floats(), "boolean": st.booleans()}
    return plain.get(str(kind), JSON)


def bodies(operation: Operation, document: dict[str, Any]) -> st.SearchStrategy[bytes]:
    """Return bodies for an operation: of its shape, of any shape, cut, in other encodings, or any bytes."""
    good = shaped(operation.body, document) if operation.body else JSON
    text = (good | JSON).map(lambda value: json.dumps(value).encode())
    encodings = st.sampled_from(["utf-16", "utf-32", "latin-1", "utf-8-sig"])
    other = st.builds(lambda value, how: json.dumps(value).encode(how, "replace"), good, encodings)
    cut = st.builds(lambda raw, at: raw[: at % (len(raw) + 1)], text, st.integers(0, 10_000))
    deep = st.integers(1, 3000).map(lambda n: b'{"draft":' * n + b"1" + b"}" * n)
    return text | text | other | cut | deep | st.binary(max_size=200)


@st.composite
def requests(draw: st.DrawFn, operation: Operation, document: dict[str, Any], ids: list[str]) -> bytes:
    """Return a request for an operation as bytes; every now and then about something that is there."""
    path = operation.path
    while "{" in path:
        before, _, rest = path.partition("{")
        path = before + (draw(RAW | st.sampled_from(ids)) or "x") + rest.partition("}")[2]
    names = [one["name"] for one in operation.parameters if one["in"] == "query"]
    chosen = draw(st.lists(st.sampled_from(names), unique=True)) if names else []
    query = "&".join(f"{name}={draw(RAW)}" for name in chosen)
    lines = [f"{operation.method} {path}{'?' + query if query else ''} HTTP/1.1", "host: engine"]
    lines += draw(st.lists(st.sampled_from(HEADERS), max_size=3, unique=True))
    body = b""
    if operation.method in {"POST", "PUT"} or draw(st.integers(0, 9)) == 0:
        lines.append(f"content-type: {draw(st.just('application/json') | st.sampled_from(CONTENT_TYPES))}")
        body = draw(bodies(operation, document))
        lines.append(f"content-length: {len(body)}")
    return "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n" + body

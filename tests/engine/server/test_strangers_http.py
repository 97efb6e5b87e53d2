"""HTTP for clients that nobody here wrote: the document, types of problems, pages of lists, event streams."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from engine.server.http.problem_types import PREFIX, PROBLEM_TYPES, problem_type
from engine.server.http.problems import HINTS
from tests.engine_process import EngineProcess
from tests.structure.structure import ROOT

PAGES = ROOT / "docs" / "problems"
EVENTS = {"accept": "text/event-stream"}


@pytest.fixture(scope="module")
def http(engine: EngineProcess) -> Iterator[httpx.Client]:
    """Yield a plain HTTP client."""
    transport = httpx.HTTPTransport(uds=str(engine.socket))
    with httpx.Client(transport=transport, base_url="http://localhost", timeout=30) as http:
        yield http


@pytest.fixture(scope="module")
def document(http: httpx.Client) -> Any:
    """Return the OpenAPI document."""
    return http.get("/openapi.json").json()


@pytest.fixture(scope="module")
def ids(http: httpx.Client) -> list[str]:
    """Return the ids of five denied submissions, the newest first."""
    made = [submit(http, f"print({number})") for number in range(5)]
    for one in made:
        body = {"outcome": "denied", "digest": one["digest"]}
        assert 200 == http.post(f"/v1/submissions/{one['id']}/decision", json=body).status_code
    return [one["id"] for one in reversed(made)]


def submit(http: httpx.Client, code: str) -> dict[str, str]:
    """Return a new submission."""
    body = {"draft": {"code": code, "language": "python"}, "requester": "stranger"}
    return dict(http.post("/v1/submissions", json=body).json()["submission"])


def operations(document: Any) -> list[tuple[str, dict[str, Any]]]:
    """Return the path and the description of every operation."""
    return [(path, one) for path, methods in document["paths"].items() for one in methods.values()]


def test_a_schema_has_one_name(document: Any) -> None:
    """No model is in the document twice, for what is sent and for what is returned."""
    assert [] == [name for name in document["components"]["schemas"] if "-" in name]


def test_the_default_of_a_text_is_a_text(document: Any) -> None:
    """What a generated client sends where nothing is given is what the engine takes."""
    schemas = document["components"]["schemas"].values()
    fields = [field for schema in schemas for field in schema.get("properties", {}).values()]
    texts = [field["default"] for field in fields if field.get("type") == "string" and "default" in field]
    assert texts
    assert [] == [text for text in texts if not isinstance(text, str)]


def test_operations_are_named_and_tagged(document: Any) -> None:
    """Each has an id of its own, fit to be a function's name, and one of the tags that are described."""
    known = {tag["name"] for tag in document["tags"]}
    found = Counter(one["operationId"] for _, one in operations(document))
    assert {1} == set(found.values())
    assert all(name.isidentifier() and "_v1_" not in name for name in found)
    assert known == {tag for _, one in operations(document) for tag in one["tags"]}


def test_the_document_says_where_and_with_what_proof(document: Any) -> None:
    """Servers and the bearer token are named; all but what monitors read has the version in its path."""
    assert ["http://localhost", "https://{address}"] == [one["url"] for one in document["servers"]]
    assert "bearer" == document["components"]["securitySchemes"]["token"]["scheme"]
    assert [{"token": []}, {}] == document["security"]
    plain = {path for path, _ in operations(document) if not path.startswith("/v1/")}
    assert {"/healthz", "/readyz", "/metrics"} == plain


def test_what_has_no_version_is_not_there(http: httpx.Client) -> None:
    """The paths before the version are gone, and say so as a problem."""
    assert (404, f"{PREFIX}not-found") == (
        http.get("/submissions").status_code,
        http.get("/submissions").json()["type"],
    )


def test_every_type_of_problem_has_a_page() -> None:
    """Each status that has a hint has a type, each type a page that names it, and no page is left over."""
    assert HINTS.keys() | {401} == PROBLEM_TYPES.keys()
    for status, name in PROBLEM_TYPES.items():
        assert f"| `{problem_type(status)}` | {status} |" in (PAGES / f"{name}.md").read_text()
        assert f"({name}.md)" in (PAGES / "index.md").read_text()
    assert {*PROBLEM_TYPES.values(), "index"} == {page.stem for page in PAGES.glob("*.md")}


@pytest.mark.parametrize(
    ("path", "status"), [("/v1/submissions/s-0", 404), ("/v1/history?limit=0", 422), ("/v1/queue?x=1", 422)]
)
def test_a_problem_names_its_type(http: httpx.Client, path: str, status: int) -> None:
    """The type is that of the status."""
    answer = http.get(path)
    assert (status, problem_type(status)) == (answer.status_code, answer.json()["type"])


def test_pages_of_the_history_are_linked(http: httpx.Client, ids: list[str]) -> None:
    """Following the links gives everything once, in order, and ends."""
    assert ids == walk(http, "/v1/history?limit=2&filter=requester:stranger", lambda one: one["id"])


def test_pages_of_events_are_linked(http: httpx.Client, ids: list[str]) -> None:
    """The events of a submission come in pages too."""
    path = f"/v1/history/{ids[0]}/events"
    whole = [event["seq"] for event in http.get(path).json()]
    assert whole == walk(http, f"{path}?limit=1", lambda event: event["seq"])[: len(whole)]


def test_pages_of_the_queue_are_linked(http: httpx.Client) -> None:
    """What waits comes in pages; an item that has gone meanwhile is said to have gone."""
    for number in range(3):
        submit(http, f"print('waits', {number})")
    for path in ("/v1/submissions", "/v1/queue"):
        whole = http.get(path).json()
        assert len(whole) >= 3
        assert whole == walk(http, f"{path}?limit=2", lambda one: one)
        gone = http.get(path, params={"after": "s-0"})
        assert (409, "s-0 is not in the list any more") == (gone.status_code, gone.json()["title"])


def walk(http: httpx.Client, path: str, key: Any) -> list[Any]:
    """Return all items of a list, page after page."""
    found: list[Any] = []
    for _ in range(60):
        answer = http.get(path)
        found += [key(one) for one in answer.json()]
        if "next" not in answer.links:
            return found
        path = answer.links["next"]["url"]
    return found


def test_events_are_sent_to_who_accepts_them(http: httpx.Client, ids: list[str]) -> None:
    """Each has the id with which a reader goes on after it, and nothing is sent twice or left out."""
    first = read(http, "/v1/events?since=0", 3, EVENTS)
    assert [1, 2, 3] == [id for id, _ in first]
    assert [1, 2, 3] == [event["seq"] for _, event in first]
    rest = read(http, "/v1/events?since=0", 2, {**EVENTS, "last-event-id": "3"})
    assert [4, 5] == [id for id, _ in rest]


def read(http: httpx.Client, path: str, count: int, headers: dict[str, str]) -> list[tuple[int, Any]]:
    """Return the ids and the data of the first events of a stream."""
    found: list[tuple[int, Any]] = []
    with http.stream("GET", path, headers=headers) as answer:
        assert "text/event-stream" in answer.headers["content-type"]
        id = 0
        for line in answer.iter_lines():
            name, _, value = line.partition(": ")
            if name == "id":
                id = int(value)
            if name == "data":
                found.append((id, json.loads(value)))
            if len(found) == count:
                break
    return found


def test_a_stream_that_ends_says_so(http: httpx.Client, ids: list[str]) -> None:
    """The output of what never ran is empty: one event, named `end`, after which nobody need ask again."""
    answer = http.get(f"/v1/runs/{ids[0]}/output", headers=EVENTS)
    assert "event: end\ndata: {}\n\n" == answer.text


def test_json_lines_stay_what_others_get(http: httpx.Client, ids: list[str]) -> None:
    """Who accepts anything gets JSON lines."""
    answer = http.get(f"/v1/runs/{ids[0]}/output")
    assert "application/x-ndjson" in answer.headers["content-type"]


@pytest.mark.parametrize("id", ["x", "-1", "1.5"])
def test_an_id_that_is_none_is_refused(http: httpx.Client, id: str) -> None:
    """The header is checked as the parameter is."""
    assert 422 == http.get("/v1/events", headers={**EVENTS, "last-event-id": id}).status_code


BOUNDED = {
    "/v1/keys",  # one for each reviewer and rotation
    "/v1/secrets",
    "/v1/queries",  # 200 at most
    "/v1/policy/suggestions",  # of the last 2,000 submissions
    "/v1/previews/{id}/requests",  # the last ones only
    "/v1/runs/{id}/files",
    "/v1/submissions/{id}/erasures",
    "/v1/submissions/{id}/thread",
}


def test_every_list_that_grows_comes_in_pages(document: Any) -> None:
    """A list without `limit` is one that something else bounds."""
    without = {
        path
        for path, methods in document["paths"].items()
        if is_list(methods.get("get", {}))
        and "limit" not in {one["name"] for one in methods["get"].get("parameters", ())}
    }
    assert BOUNDED == without


def is_list(operation: Any) -> bool:
    """Return whether an operation answers with a list in JSON."""
    content = operation.get("responses", {}).get("200", {}).get("content", {})
    return bool(content.get("application/json", {}).get("schema", {}).get("type") == "array")


def test_tokens_come_in_pages(http: httpx.Client) -> None:
    """Each once, in their order."""
    for number in range(3):
        made = http.post("/v1/tokens", json={"name": f"paged-{number}", "scopes": ["submit"], "days": 1})
        assert 201 == made.status_code, made.text
    whole = [token["id"] for token in http.get("/v1/tokens").json()]
    assert whole == walk(http, "/v1/tokens?limit=2", lambda token: token["id"])

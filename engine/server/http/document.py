"""What the OpenAPI document says of the whole API: servers, security, tags, and schemas of streams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from engine.models.api import ProblemBody, StreamEnd
from engine.server.http.ndjson import SCHEMA

TAGS = {
    "Submissions": "Submit code, wait for it, decide about it.",
    "Review": "The review queue, claims, revisions, rehearsals and pre-approvals.",
    "Policy": "What past decisions teach: suggested rules, approvals that look careless, drills.",
    "Runs": "What runs, and what it left.",
    "Previews": "Servers in running sandboxes, shown in a browser of the engine's machine.",
    "Sessions": "Sandboxes that keep their state between executions.",
    "History": "Search, evidence and verification.",
    "Incidents": "What responders collect about an incident, and seal into one file.",
    "Response": "What responders to incidents block and undo.",
    "Secrets": "Secrets that runs use without seeing them.",
    "Tokens": "Tokens of programs and people.",
    "Keys": "Keys that reviewers sign with.",
    "Engine": "Events, and the end of the engine.",
    "Monitoring": "Health and metrics; these paths have no version.",
}
SERVERS: list[dict[str, Any]] = [
    {"url": "http://localhost", "description": "The engine's Unix socket, which only its owner can open."},
    {
        "url": "https://{address}",
        "description": "The address that server.listen names. It needs a token.",
        "variables": {"address": {"default": "127.0.0.1:8765"}},
    },
]
TOKEN = "token"  # noqa: S105  the name of a scheme
SECURITY = {
    TOKEN: {
        "type": "http",
        "scheme": "bearer",
        "description": "A token, from `pratique token create`. The owner of the socket needs none.",
    }
}
OPEN = "/readyz"


def operation_id(route: APIRoute) -> str:
    """Return the name of an operation in generated clients: that of its function."""
    return route.name


def describe(app: FastAPI, streamed: Sequence[type[BaseModel]]) -> None:
    """Have an application's document name security, and the models that only streams and problems contain."""
    build = app.openapi

    def openapi() -> dict[str, Any]:
        document = build()
        models = [(model, "validation") for model in (ProblemBody, StreamEnd, *streamed)]
        _, schemas = models_json_schema(models, ref_template=SCHEMA)  # type: ignore[arg-type]
        components = document["components"]
        components["schemas"] |= schemas["$defs"]
        components["securitySchemes"] = SECURITY
        document["security"] = [{TOKEN: []}, {}]
        document["paths"][OPEN]["get"]["security"] = []
        _mend_defaults(document)
        return document

    app.openapi = openapi  # type: ignore[method-assign]


def _mend_defaults(part: Any) -> None:
    """Describe the default of a text from agents or guests as the text that it is in JSON."""
    if isinstance(part, dict):
        default = part.get("default")
        if isinstance(default, dict) and default.keys() == {"text"}:
            part["default"] = default["text"]
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        _mend_defaults(inner)

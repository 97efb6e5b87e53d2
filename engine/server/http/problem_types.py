"""The types of problems: one lasting URI for each status, whose page is in docs/problems/."""

from __future__ import annotations

PREFIX = "urn:pratique:problem:"
PROBLEM_TYPES = {
    400: "bad-request",
    401: "not-authenticated",
    403: "not-permitted",
    404: "not-found",
    405: "method-not-allowed",
    406: "not-acceptable",
    408: "request-too-slow",
    409: "conflict",
    410: "erased",
    413: "too-large",
    415: "unsupported-media-type",
    421: "unknown-host-name",
    422: "not-valid",
    429: "too-many-requests",
    431: "headers-too-large",
    500: "internal-error",
    502: "broken-off",
    503: "unavailable",
    504: "no-answer-in-time",
}


def problem_type(status: int) -> str:
    """Return the URI of the type of problems with a status; `about:blank` for one that has no type."""
    name = PROBLEM_TYPES.get(status)
    return f"{PREFIX}{name}" if name else "about:blank"

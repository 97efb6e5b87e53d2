"""Posts bytes to a URL of the owner's: within a deadline, to the server that its certificate proves."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import httpx

from engine.common.local_files import read_file
from engine.notifications.senders.delivery import DeliveryError

MOST_KEY_BYTES = 4096
MOST_RETRY_SECONDS = 300.0
AGAIN = frozenset({408, 425, 429})
"""Answers of 4xx after which the same may be taken later."""


async def post(url: str, body: bytes, headers: Mapping[str, str], seconds: float) -> None:
    """Post a body. Redirects are not followed, no proxy is used, and the answer's body is not read.

    Raises:
        DeliveryError: it was not taken within so many seconds.
    """
    try:
        async with (
            asyncio.timeout(seconds),
            httpx.AsyncClient(trust_env=False, verify=_authorities()) as client,
            client.stream("POST", url, content=body, headers=headers, timeout=None) as answer,
        ):
            _check(answer)
    except TimeoutError:
        raise DeliveryError(f"no answer within {seconds:g} s") from None
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        raise DeliveryError(f"{type(error).__name__}: it cannot be reached") from None


def bearer(token_file: Path | None) -> dict[str, str]:
    """Return the header with the token in a file; none without a file. Raises DeliveryError."""
    return {"authorization": f"Bearer {secret_of(token_file)}"} if token_file else {}


def secret_of(path: Path) -> str:
    """Return the secret in a file.

    Raises:
        DeliveryError: it cannot be read.
    """
    try:
        return read_file(path, MOST_KEY_BYTES).decode("ascii").strip()
    except (OSError, UnicodeDecodeError):
        raise DeliveryError(f"{path} cannot be read") from None


@cache
def _authorities() -> ssl.SSLContext:
    """Return what a server is checked by; it is read once, because reading it holds up the engine."""
    return httpx.create_ssl_context(trust_env=False)


def _check(answer: httpx.Response) -> None:
    status = answer.status_code
    if answer.is_success:
        return
    refused = 300 <= status < 500 and status not in AGAIN
    raise DeliveryError(f"it answered {status}", refused=refused, retry_after=_retry_after(answer))


def _retry_after(answer: httpx.Response) -> float:
    given = answer.headers.get("retry-after", "")
    return min(float(given), MOST_RETRY_SECONDS) if given.isascii() and given.isdecimal() else 0

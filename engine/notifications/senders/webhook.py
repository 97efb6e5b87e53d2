"""Posts notices to a URL of the owner's, signed where there is a key."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ssl
import time
from functools import cache
from pathlib import Path

import httpx

from engine.common.local_files import read_file
from engine.notifications.notice import Notice
from engine.notifications.senders.delivery import DeliveryError
from engine.notifications.settings import WebhookSettings
from engine.notifications.shapes import shaped

MOST_KEY_BYTES = 4096
MOST_RETRY_SECONDS = 300.0
AGAIN = frozenset({408, 425, 429})
"""Answers of 4xx after which the same notice may be taken later."""


class WebhookSender:
    """A service at a URL. Redirects are not followed, no proxy is used, and the answer's body is not read."""

    def __init__(self, settings: WebhookSettings) -> None:
        self._settings = settings

    async def send(self, notice: Notice) -> None:
        """Post a notice. Raises DeliveryError."""
        body, headers = shaped(self._settings.kind, notice)
        headers = {**headers, "x-pratique-notice": notice.id, **self._proof(body)}
        try:
            async with (
                asyncio.timeout(self._settings.seconds),
                httpx.AsyncClient(trust_env=False, verify=_authorities()) as client,
                client.stream(
                    "POST", self._settings.url, content=body, headers=headers, timeout=None
                ) as answer,
            ):
                _check(answer)
        except TimeoutError:
            raise DeliveryError(f"no answer within {self._settings.seconds:g} s") from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise DeliveryError(f"{type(error).__name__}: it cannot be reached") from None

    def _proof(self, body: bytes) -> dict[str, str]:
        """Return the headers that say who sends it."""
        proof: dict[str, str] = {}
        if self._settings.token_file:
            proof["authorization"] = f"Bearer {_secret(self._settings.token_file)}"
        if self._settings.key_file:
            proof["x-pratique-signature"] = signature(
                _secret(self._settings.key_file), body, int(time.time())
            )
        return proof


def signature(key: str, body: bytes, at: int) -> str:
    """Return the signature of a body sent at a second: HMAC-SHA256 over `AT.BODY`."""
    made = hmac.new(key.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={made}"


@cache
def _authorities() -> ssl.SSLContext:
    """Return what a server is checked by; it is read once, because reading it holds up the engine."""
    return httpx.create_ssl_context(trust_env=False)


def _secret(path: Path) -> str:
    try:
        return read_file(path, MOST_KEY_BYTES).decode("ascii").strip()
    except (OSError, UnicodeDecodeError):
        raise DeliveryError(f"{path} cannot be read") from None


def _check(answer: httpx.Response) -> None:
    status = answer.status_code
    if answer.is_success:
        return
    refused = 300 <= status < 500 and status not in AGAIN
    raise DeliveryError(f"it answered {status}", refused=refused, retry_after=_retry_after(answer))


def _retry_after(answer: httpx.Response) -> float:
    given = answer.headers.get("retry-after", "")
    return min(float(given), MOST_RETRY_SECONDS) if given.isascii() and given.isdecimal() else 0

"""Posts notices to a URL of the owner's, signed where there is a key."""

from __future__ import annotations

import hashlib
import hmac
import time

from engine.notifications.notice import Notice
from engine.notifications.senders.post import bearer, post, secret_of
from engine.notifications.settings import WebhookSettings
from engine.notifications.shapes import shaped


class WebhookSender:
    """A service at a URL."""

    def __init__(self, settings: WebhookSettings) -> None:
        self._settings = settings

    async def send(self, notice: Notice) -> None:
        """Post a notice. Raises DeliveryError."""
        body, headers = shaped(self._settings.kind, notice)
        headers = {**headers, "x-pratique-notice": notice.id, **self._proof(body)}
        await post(self._settings.url, body, headers, self._settings.seconds)

    def _proof(self, body: bytes) -> dict[str, str]:
        """Return the headers that say who sends it."""
        proof = bearer(self._settings.token_file)
        if self._settings.key_file:
            key = secret_of(self._settings.key_file)
            proof["x-pratique-signature"] = signature(key, body, int(time.time()))
        return proof


def signature(key: str, body: bytes, at: int) -> str:
    """Return the signature of a body sent at a second: HMAC-SHA256 over `AT.BODY`."""
    made = hmac.new(key.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={made}"

"""Secrets by reference: the guest has placeholders, which the proxy replaces with the secrets. Pure."""

from __future__ import annotations

import base64
import binascii
import secrets
from collections.abc import Iterable

from engine.sandbox.api.egress_policy import EgressDenied
from engine.sandbox.api.network_spec import Secret
from engine.sandbox.network.http_peer import Headers

_HIDING = {b"accept-encoding", b"range"}
"""Headers that let a host repeat a secret where the redactor cannot see it."""


class SecretInjector:
    """The secrets of one run. Its placeholders are random, and valid for this run only."""

    def __init__(self, granted: Iterable[Secret] = ()) -> None:
        self._secrets = {f"pratique-{secrets.token_hex(16)}": secret for secret in granted}

    def __bool__(self) -> bool:
        return bool(self._secrets)

    @property
    def environment(self) -> dict[str, str]:
        """The placeholders by secret name: the environment of the guest."""
        return {secret.name: placeholder for placeholder, secret in self._secrets.items()}

    def inject(self, host: str, target: bytes, headers: Headers) -> tuple[bytes, Headers, Redactor]:
        """Return target and headers with the secrets filled in, and a redactor for the response.

        Raises EgressDenied: a placeholder is sent to a host that its secret is not for.
        """
        for _, value in headers:
            self.check(host, _basic_credentials(value) or value)
        self.check(host, target)
        own = {
            mark.encode(): secret.value.encode()
            for mark, secret in self._secrets.items()
            if secret.host == host
        }
        filled = [(name, _filled(value, own)) for name, value in headers]
        if not own:
            return target, headers, Redactor(())
        plain = [(name, value) for name, value in filled if name.lower() not in _HIDING]
        return _replaced(target, own), [*plain, (b"accept-encoding", b"identity")], Redactor(own.values())

    def check(self, host: str, data: bytes) -> None:
        """Check that data for a host has no placeholder of another host's secret. Raises EgressDenied."""
        for placeholder, secret in self._secrets.items():
            if placeholder.encode() in data and secret.host != host:
                raise EgressDenied(f"the placeholder of {secret.name}, which is for {secret.host} only")


class LeakDetector:
    """Finds placeholders in a request body that arrives in chunks."""

    def __init__(self, secrets: SecretInjector, host: str) -> None:
        self._secrets = secrets
        self._host = host
        self._tail = b""

    def check(self, data: bytes) -> None:
        """Check the next chunk. Raises EgressDenied."""
        self._secrets.check(self._host, self._tail + data)
        self._tail = (self._tail + data)[-64:]


class Redactor:
    """Masks secrets in a response. Bytes that may be the start of one are buffered."""

    def __init__(self, values: Iterable[bytes]) -> None:
        self._values = [value for value in values if value]
        self._pending = b""

    def redact(self, data: bytes) -> bytes:
        """Return what may be sent to the guest so far; the total length stays the same."""
        data = self._masked(self._pending + data)
        keep = max((_overlap(data, value) for value in self._values), default=0)
        self._pending = data[len(data) - keep :]
        return data[: len(data) - keep]

    def rest(self) -> bytes:
        """Return what is still buffered when the response ends."""
        pending, self._pending = self._pending, b""
        return pending

    def headers(self, headers: Headers) -> Headers:
        """Return headers without secrets. Raises EgressDenied: the body is compressed."""
        encodings = {value.lower() for name, value in headers if name.lower() == b"content-encoding"}
        if self._values and encodings - {b"identity"}:
            raise EgressDenied("the response is compressed, and may repeat a secret")
        return [(name, self._masked(value)) for name, value in headers]

    def _masked(self, data: bytes) -> bytes:
        for value in self._values:
            data = data.replace(value, b"*" * len(value))
        return data


def _overlap(data: bytes, value: bytes) -> int:
    """Return how many bytes at the end of `data` may be the beginning of `value`."""
    most = min(len(data), len(value) - 1)
    return next((size for size in range(most, 0, -1) if value.startswith(data[len(data) - size :])), 0)


def _replaced(data: bytes, own: dict[bytes, bytes]) -> bytes:
    for placeholder, value in own.items():
        data = data.replace(placeholder, value)
    return data


def _filled(value: bytes, own: dict[bytes, bytes]) -> bytes:
    plain = _basic_credentials(value)
    if plain and any(placeholder in plain for placeholder in own):
        return b"Basic " + base64.b64encode(_replaced(plain, own))
    return _replaced(value, own)


def _basic_credentials(value: bytes) -> bytes:
    """Return the decoded credentials of a Basic authentication header; empty for any other."""
    scheme, _, encoded = value.partition(b" ")
    if scheme.lower() != b"basic":
        return b""
    try:
        return base64.b64decode(encoded.strip(), validate=True)
    except (binascii.Error, ValueError):
        return b""

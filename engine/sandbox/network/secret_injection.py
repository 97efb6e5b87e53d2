"""Secrets by reference: the guest holds placeholders, the proxy puts the secrets in their place. Pure."""

from __future__ import annotations

import base64
import binascii
import secrets
from collections.abc import Iterable

from engine.sandbox.api.egress_policy import EgressDenied
from engine.sandbox.api.network_spec import Secret
from engine.sandbox.network.http_peer import Headers

_HIDING = {b"accept-encoding", b"range"}
"""Headers that let a host repeat a secret where the screen cannot see it."""


class SecretInjector:
    """The secrets of one run. Each placeholder is new with the run, and worth nothing outside it."""

    def __init__(self, held: Iterable[Secret] = ()) -> None:
        self._held = {f"pratique-{secrets.token_hex(16)}": secret for secret in held}

    def __bool__(self) -> bool:
        return bool(self._held)

    @property
    def environment(self) -> dict[str, str]:
        """Return the placeholders by the names of their secrets: what the guest gets."""
        return {secret.name: placeholder for placeholder, secret in self._held.items()}

    def fill(self, host: str, target: bytes, headers: Headers) -> tuple[bytes, Headers, Redactor]:
        """Return target and headers with secrets in the place of placeholders, and a screen for the answer.

        Raises EgressDenied: a placeholder is sent to another host than its secret's.
        """
        for _, value in headers:
            self.look(host, _unpacked(value) or value)
        self.look(host, target)
        own = {
            mark.encode(): secret.value.encode() for mark, secret in self._held.items() if secret.host == host
        }
        filled = [(name, _filled(value, own)) for name, value in headers]
        if not own:
            return target, headers, Redactor(())
        plain = [(name, value) for name, value in filled if name.lower() not in _HIDING]
        return _replaced(target, own), [*plain, (b"accept-encoding", b"identity")], Redactor(own.values())

    def look(self, host: str, data: bytes) -> None:
        """Look for placeholders on their way to a host. Raises EgressDenied."""
        for placeholder, secret in self._held.items():
            if placeholder.encode() in data and secret.host != host:
                raise EgressDenied(f"the placeholder of {secret.name}, which is for {secret.host} alone")


class LeakDetector:
    """Looks for placeholders in a body that comes in pieces."""

    def __init__(self, vault: SecretInjector, host: str) -> None:
        self._vault = vault
        self._host = host
        self._tail = b""

    def see(self, data: bytes) -> None:
        """Look at the next piece. Raises EgressDenied."""
        self._vault.look(self._host, self._tail + data)
        self._tail = (self._tail + data)[-64:]


class Redactor:
    """Blots secrets out of an answer that repeats them. What may be the start of one is held back."""

    def __init__(self, values: Iterable[bytes]) -> None:
        self._values = [value for value in values if value]
        self._held = b""

    def pass_on(self, data: bytes) -> bytes:
        """Return what may go on to the guest; as many bytes, in the end, as came."""
        data = self._blotted(self._held + data)
        keep = max((_overlap(data, value) for value in self._values), default=0)
        self._held = data[len(data) - keep :]
        return data[: len(data) - keep]

    def rest(self) -> bytes:
        """Return what was held back when the answer ended."""
        held, self._held = self._held, b""
        return held

    def headers(self, headers: Headers) -> Headers:
        """Return headers without secrets. Raises EgressDenied: what follows cannot be looked through."""
        packed = {value.lower() for name, value in headers if name.lower() == b"content-encoding"}
        if self._values and packed - {b"identity"}:
            raise EgressDenied("the answer is packed, and may repeat a secret")
        return [(name, self._blotted(value)) for name, value in headers]

    def _blotted(self, data: bytes) -> bytes:
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
    plain = _unpacked(value)
    if plain and any(placeholder in plain for placeholder in own):
        return b"Basic " + base64.b64encode(_replaced(plain, own))
    return _replaced(value, own)


def _unpacked(value: bytes) -> bytes:
    """Return what a header of Basic authentication carries, or nothing where it is none."""
    scheme, _, packed = value.partition(b" ")
    if scheme.lower() != b"basic":
        return b""
    try:
        return base64.b64decode(packed.strip(), validate=True)
    except (binascii.Error, ValueError):
        return b""

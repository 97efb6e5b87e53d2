"""Secrets by reference: the guest has placeholders, which the proxy replaces with the secrets. Pure."""

from __future__ import annotations

import base64
import binascii
import re
import secrets
from collections.abc import Iterable
from urllib.parse import quote

from engine.sandbox.api.egress_policy import EgressDenied
from engine.sandbox.api.network_spec import Secret
from engine.sandbox.network.http_head import Headers
from engine.sandbox.network.redaction import Redactor

_HIDING = {b"accept-encoding", b"range", b"if-range", b"te", b"want-digest"}
"""Headers that let a host repeat a secret where the redactor cannot see it."""
_REROUTING = re.compile(
    rb"(?:x-)?forwarded(?:-.*)?|x-(?:original|rewrite|proxy|http)-.*|x-host|x-backend-host|x-real-host"
)
"""Headers by which some servers choose another virtual host or path than those of the request."""
_IN_HEADERS = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")


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

    @property
    def redactor(self) -> Redactor:
        """A redactor for one response, of whatever host."""
        return Redactor(secret.value.encode() for secret in self._secrets.values())

    def inject(self, host: str, target: bytes, headers: Headers, *, encrypted: bool) -> tuple[bytes, Headers]:
        """Return target and headers with the secrets filled in.

        Raises EgressDenied: a placeholder is sent to a host that its secret is not for, or unencrypted.
        """
        if not self:
            return target, headers
        for data in (target, *(_basic_credentials(value) or value for _, value in headers)):
            self.check(host, data)
            if not encrypted:
                self._check_encrypted(data)
        own = {mark.encode(): secret for mark, secret in self._secrets.items() if secret.host == host}
        kept = [(name, value) for name, value in headers if not _is_hiding(name)]
        filled = [(name, _filled(value, own)) for name, value in kept]
        return _in_target(target, own), [*filled, (b"accept-encoding", b"identity")]

    def carried(self, host: str, target: bytes, headers: Headers) -> tuple[str, ...]:
        """Return the names of the secrets that `inject` fills in."""
        texts = [target, *(_basic_credentials(value) or value for _, value in headers)]
        return tuple(
            secret.name
            for mark, secret in self._secrets.items()
            if secret.host == host and any(mark.encode() in text for text in texts)
        )

    def check(self, host: str, data: bytes) -> None:
        """Check that data for a host has no placeholder of another host's secret. Raises EgressDenied."""
        for placeholder, secret in self._secrets.items():
            if placeholder.encode() in data and secret.host != host:
                raise EgressDenied(f"the placeholder of {secret.name}, which is for {secret.host} only")

    def _check_encrypted(self, data: bytes) -> None:
        for placeholder, secret in self._secrets.items():
            if placeholder.encode() in data:
                raise EgressDenied(
                    f"{secret.name} is sent over https only; sandbox.network.plain_secrets lists exceptions"
                )


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


def _is_hiding(name: bytes) -> bool:
    comparable = name.lower().replace(b"_", b"-")
    return comparable in _HIDING or bool(_REROUTING.fullmatch(comparable))


def _in_target(target: bytes, own: dict[bytes, Secret]) -> bytes:
    for placeholder, secret in own.items():
        target = target.replace(placeholder, quote(secret.value, safe="").encode())
    return target


def _replaced(data: bytes, own: dict[bytes, Secret]) -> bytes:
    for placeholder, secret in own.items():
        data = data.replace(placeholder, secret.value.encode())
    return data


def _filled(value: bytes, own: dict[bytes, Secret]) -> bytes:
    """Return a header's value with secrets. Raises EgressDenied: no header can hold one of them."""
    plain = _basic_credentials(value)
    if any(placeholder in plain for placeholder in own):
        return b"Basic " + base64.b64encode(_replaced(plain, own))
    for placeholder, secret in own.items():
        if placeholder in value and not _IN_HEADERS.fullmatch(secret.value):
            raise EgressDenied(f"{secret.name} has characters that a header cannot hold")
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

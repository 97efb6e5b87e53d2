"""Where packages come from: what the settings say, or else what pip on this machine is told."""

from __future__ import annotations

import ast
import asyncio
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from engine.sandbox.job import SandboxUnavailable
from engine.sandbox.network.terms import Terms
from engine.settings import SandboxSettings

_SECONDS = 30
_OWN = "from pip._internal.models.index import PyPI as own; print(own.simple_url, own.file_storage_domain)"
_REQUESTS = 10_000


@dataclass(frozen=True, slots=True)
class Registry:
    """The index, and the hosts that it and its files lie on."""

    index: str
    hosts: tuple[str, ...]

    @property
    def plain(self) -> bool:
        """Whether it speaks HTTP without TLS, so that hashes alone say what is genuine."""
        return self.index.startswith("http://")

    def terms(self, settings: SandboxSettings) -> Terms:
        """Return the network of the sandbox that fetches from it: its hosts and no others."""
        own = urlsplit(self.index)
        usual = Terms.of(self.hosts, settings.network)
        return replace(
            usual,
            ports=usual.ports | {own.port or (80 if self.plain else 443)},
            requests=_REQUESTS,
            bytes=settings.packages.megabytes << 20,
        )


async def registry(settings: SandboxSettings) -> Registry:
    """Return the registry of this house. Raises SandboxUnavailable."""
    index, hosts = settings.packages.index, settings.packages.hosts
    if not index:
        index = await asyncio.to_thread(_configured)
    if not index:
        index, _, files = (await asyncio.to_thread(_python, "-c", _OWN)).strip().partition(" ")
        hosts = (*hosts, files)
    url = urlsplit(index)
    if url.scheme not in {"http", "https"} or not url.hostname or url.username or url.password:
        raise SandboxUnavailable(
            "pip's index is no http(s) address without a password", "set sandbox.packages.index"
        )
    return Registry(index, tuple(dict.fromkeys((url.hostname, *hosts))))


def _configured() -> str:
    """Return the index that pip's own configuration names, the strongest last in its list."""
    found = ""
    for line in _python("-m", "pip", "--disable-pip-version-check", "config", "list").splitlines():
        name, _, value = line.partition("=")
        if name.endswith(".index-url"):
            found = str(ast.literal_eval(value))
    return found


def _python(*arguments: str) -> str:
    command = [sys.executable, *arguments]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, check=True, env=dict(os.environ)
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise SandboxUnavailable(f"pip does not say where packages come from: {error}") from None
    return done.stdout

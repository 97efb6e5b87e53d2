"""The package registry to use: the one in the settings, or the one that pip or npm uses on this host."""

from __future__ import annotations

import ast
import asyncio
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from engine.sandbox.api.egress_policy import EgressPolicy
from engine.sandbox.api.errors import SandboxUnavailable
from engine.settings import PackageSettings, SandboxSettings

_SECONDS = 30
_PRINT_DEFAULT = (
    "from pip._internal.models.index import PyPI as own; print(own.simple_url, own.file_storage_domain)"
)
_REQUESTS = 10_000


@dataclass(frozen=True, slots=True)
class Registry:
    """The index, and the hosts that serve it and its files."""

    index: str
    hosts: tuple[str, ...]

    @property
    def plain(self) -> bool:
        """Whether it uses HTTP without TLS, so that only hashes authenticate packages."""
        return self.index.startswith("http://")

    def policy(self, settings: SandboxSettings) -> EgressPolicy:
        """Return the egress policy of the sandbox that fetches from it: its hosts and no others."""
        url = urlsplit(self.index)
        policy = EgressPolicy.of(self.hosts, settings.network)
        return replace(
            policy,
            ports=policy.ports | {url.port or (80 if self.plain else 443)},
            requests=_REQUESTS,
            bytes=settings.packages.megabytes << 20,
        )


async def python_registry(settings: PackageSettings) -> Registry:
    """Return the index of Python packages. Raises SandboxUnavailable."""
    index, hosts = settings.index, settings.hosts
    if not index:
        index = await asyncio.to_thread(_configured_index)
    if not index:
        index, _, files = (await asyncio.to_thread(_python, "-c", _PRINT_DEFAULT)).strip().partition(" ")
        hosts = (*hosts, files)
    return _checked(index, hosts, "pip's index", "index")


async def npm_registry(settings: PackageSettings) -> Registry:
    """Return the registry of npm packages. Raises SandboxUnavailable."""
    index = settings.npm_registry or await asyncio.to_thread(_configured_npm_registry)
    return _checked(index, settings.hosts, "npm's registry", "npm_registry")


def _checked(index: str, hosts: tuple[str, ...], what: str, key: str) -> Registry:
    url = urlsplit(index)
    if url.scheme not in {"http", "https"} or not url.hostname or url.username or url.password:
        raise SandboxUnavailable(
            f"{what} is not an http(s) URL without a password", f"set sandbox.packages.{key}"
        )
    return Registry(index, tuple(dict.fromkeys((url.hostname, *hosts))))


def _configured_npm_registry() -> str:
    found = shutil.which("npm")
    if found is None:
        raise SandboxUnavailable("npm is not installed on this host", "set sandbox.packages.npm_registry")
    return _run([found, "config", "get", "registry"], "npm").strip()


def _configured_index() -> str:
    """Return the index in pip's configuration, which lists the highest precedence last."""
    found = ""
    for line in _python("-m", "pip", "--disable-pip-version-check", "config", "list").splitlines():
        name, _, value = line.partition("=")
        if name.endswith(".index-url"):
            found = str(ast.literal_eval(value))
    return found


def _python(*arguments: str) -> str:
    return _run([sys.executable, *arguments], "pip")


def _run(command: list[str], tool: str) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, check=True, env=dict(os.environ)
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise SandboxUnavailable(f"{tool} does not report its registry: {error}") from None
    return done.stdout

"""Rows of `pratique doctor` about network access and package registries."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Coroutine
from typing import Any
from urllib.parse import urlsplit

from engine.common.text import Untrusted
from engine.models import Check, Language
from engine.sandbox import SandboxUnavailable
from engine.sandbox.api.egress_policy import EgressDenied
from engine.sandbox.drivers.open import open_backend
from engine.sandbox.network.resolver import PinnedResolver
from engine.sandbox.packages.registry import Registry, npm_registry, python_registry
from engine.sandbox.run.unreviewed_sandboxes import UnreviewedSandboxes
from engine.settings import SandboxSettings, Settings

_SECONDS = 90.0
_REGISTRY_SECONDS = 5.0
_CODE = """\
import urllib.error, urllib.request
try: urllib.request.urlopen('http://127.0.0.1/', timeout=10)
except urllib.error.HTTPError as error: print(error.code)
"""


def rows() -> tuple[Check, ...]:
    """Run the checks."""
    return asyncio.run(_rows(Settings().sandbox))


async def _rows(settings: SandboxSettings) -> tuple[Check, ...]:
    return (
        await _network(settings),
        await _packages("packages", python_registry(settings.packages), "index", settings),
        await _packages("npm", npm_registry(settings.packages), "npm_registry", settings),
    )


async def _network(settings: SandboxSettings) -> Check:
    """Run a request that the proxy must refuse: the refusal shows that it reached the proxy."""
    manager = open_backend(settings.with_pool(0), f"doctor-{os.getpid()}")
    sandboxes, began = UnreviewedSandboxes(manager), time.monotonic()
    try:
        async with asyncio.timeout(_SECONDS):
            domains = ("doctor.example.org",)
            sandbox = await sandboxes.create_sandbox(Language.PYTHON, allowed_domains=domains)
            done = await sandboxes.execute_code(sandbox, _CODE)
    except (SandboxUnavailable, TimeoutError) as error:
        return _row("network", str(error) or "a sandbox with network access does not start in time", ok=False)
    finally:
        await manager.close()
    took = time.monotonic() - began
    if done.stdout != b"403\n":
        return _row("network", "a sandbox does not reach its proxy", ok=False)
    return _row("network", f"available on request; a sandbox reaches its proxy in {took:.1f} s")


async def _packages(
    name: str, asking: Coroutine[Any, Any, Registry], key: str, settings: SandboxSettings
) -> Check:
    """Return whether a registry responds. This never fails, because code runs without one."""
    try:
        source = await asking
        url = urlsplit(source.index)
        async with asyncio.timeout(_REGISTRY_SECONDS):
            names = PinnedResolver(source.policy(settings))
            _, writer = await names.connect(url.hostname or "", url.port or (80 if source.plain else 443))
        writer.close()
    except (SandboxUnavailable, EgressDenied, TimeoutError) as error:
        why = str(error) or "it does not respond in time"
        return _row(name, f"unavailable: {why} (sandbox.packages.{key})")
    return _row(name, f"available on request; {url.hostname} responds")


def _row(name: str, detail: str, *, ok: bool = True) -> Check:
    return Check(name=name, ok=ok, detail=Untrusted(detail), hint="" if ok else "Type: pratique selftest")

"""The network of one sandbox: a proxy here, a bridge into the sandbox, and both gone with the run."""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncIterator, Mapping
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

import certifi
from docker.errors import APIError

from engine.models import Meters, OutputChunk
from engine.sandbox.api.job import SandboxUnavailable, Watcher
from engine.sandbox.api.network_spec import NetworkSpec
from engine.sandbox.drivers.docker.container import Container
from engine.sandbox.drivers.docker.container_spec import Extras
from engine.sandbox.drivers.docker.docker_client import DockerUnreachable, unavailable
from engine.sandbox.network.bridge import Bridge, BridgeError
from engine.sandbox.network.proxy import Proxy
from engine.sandbox.network.secret_injection import SecretInjector

PORT = 3128
TRUSTED = "/tmp/.pratique-trusted.pem"  # noqa: S108  in the guest, where nobody else is
_BRIDGE = resources.files("engine.sandbox.guest_protocol").joinpath("guest/bridge.pl").read_text()
_SECONDS = 30.0


def environment(placeholders: Mapping[str, str]) -> dict[str, str]:
    """Return what a guest with network finds in its environment. Secrets are placeholders."""
    proxy = f"http://127.0.0.1:{PORT}"
    names = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
    trusting = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
    return {
        **dict.fromkeys(names, proxy),
        **dict.fromkeys(trusting, TRUSTED),
        "NODE_USE_ENV_PROXY": "1",
        **placeholders,
    }


def trusted(proxy: Proxy) -> bytes:
    """Return the certificates that the guest is to trust: the house's, and the run's own authority."""
    own = proxy.authority.pem if proxy.authority else ""
    return _usual() + own.encode()


def _usual() -> bytes:
    """Return the authorities that the proxy itself trusts where the house names its own, else the usual."""
    named = os.environ.get("SSL_CERT_FILE", "")
    return Path(named if named and Path(named).is_file() else certifi.where()).read_bytes()


def proxy_for(wanted: NetworkSpec | None, watcher: Watcher) -> Proxy | None:
    """Return the proxy of one run, which records every attempt; None where no network was granted."""
    if wanted is None:
        return None
    return Proxy(wanted.terms, partial(watcher.happened, "network.attempt"), SecretInjector(wanted.secrets))


def extras_of(
    proxy: Proxy | None, layers: tuple[tuple[str, str], ...] = (), makes: tuple[tuple[str, str], ...] = ()
) -> Extras:
    """Return what a sandbox with this network and these volumes is made with."""
    return Extras(environment(proxy.vault.environment) if proxy else {}, layers, makes)


@contextlib.asynccontextmanager
async def connected(container: Container, proxy: Proxy) -> AsyncIterator[None]:
    """Lay a bridge from a sandbox to its proxy, and take both away afterwards. Raises SandboxUnavailable."""
    command = ["/usr/bin/perl", "-e", _BRIDGE, "--", TRUSTED, str(PORT)]
    try:
        reader, writer = await container.daemon.execute(container.id, command)
    except (APIError, DockerUnreachable, OSError) as error:
        raise unavailable(error) from error
    bridge = Bridge(reader, writer, proxy.serve)
    try:
        await bridge.open(trusted(proxy), _SECONDS)
        yield
    except BridgeError as error:
        raise SandboxUnavailable(str(error), "pratique doctor") from error
    finally:
        await bridge.close()
        await proxy.close()


class MeteredWatcher:
    """A watcher that adds to each sample what the network was used."""

    def __init__(self, watcher: Watcher, proxy: Proxy) -> None:
        self._watcher = watcher
        self._proxy = proxy

    async def output(self, chunk: OutputChunk) -> None:
        """Take bytes that the guest wrote."""
        await self._watcher.output(chunk)

    def meters(self, sample: Meters) -> None:
        """Take one sample."""
        self._watcher.meters(sample.model_copy(update={"network": self._proxy.budget.used}))

    async def happened(self, type: str, data: dict[str, Any]) -> None:
        """Record what happened."""
        await self._watcher.happened(type, data)


@contextlib.asynccontextmanager
async def networked(container: Container, proxy: Proxy | None, watcher: Watcher) -> AsyncIterator[Watcher]:
    """Give a sandbox the network that it was granted, if any, and meter it."""
    if proxy is None:
        yield watcher
        return
    async with connected(container, proxy):
        yield MeteredWatcher(watcher, proxy)

"""The network of one sandbox: a proxy on the host and a bridge into the sandbox, both closed with the run."""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import certifi

from engine.models import Meters, OutputChunk
from engine.sandbox.api.driver import Sandbox
from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.api.job import Watcher
from engine.sandbox.api.network_spec import NetworkSpec
from engine.sandbox.api.permit import StartPermit, StartRequest
from engine.sandbox.api.run_events import RunEvent
from engine.sandbox.guest_protocol.programs import NETWORK_BRIDGE
from engine.sandbox.network.bridge import Bridge, BridgeError
from engine.sandbox.network.proxy import Proxy
from engine.sandbox.network.secret_injection import SecretInjector

PORT = 3128
TRUSTED = "/tmp/.pratique-trusted.pem"  # noqa: S108  in the guest, which is alone there
TRUSTING = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
"""The variables that name the file of trusted authorities."""
_SECONDS = 30.0


def environment(placeholders: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a guest with network. Secrets are placeholders."""
    proxy = f"http://127.0.0.1:{PORT}"
    names = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
    return {
        **dict.fromkeys(names, proxy),
        **dict.fromkeys(TRUSTING, TRUSTED),
        "NODE_USE_ENV_PROXY": "1",
        **placeholders,
    }


def trusted(proxy: Proxy) -> bytes:
    """Return the certificates that the guest trusts: those of this host, and the CA of the run."""
    own = proxy.ca.pem if proxy.ca else ""
    return _host_certificates() + own.encode()


def _host_certificates() -> bytes:
    """Return the CAs that the proxy trusts: those in SSL_CERT_FILE, or certifi's."""
    named = os.environ.get("SSL_CERT_FILE", "")
    return Path(named if named and Path(named).is_file() else certifi.where()).read_bytes()


def proxy_for(network: NetworkSpec | None, watcher: Watcher) -> Proxy | None:
    """Return the proxy of one run, which records every attempt; None if no network was granted."""
    if network is None:
        return None
    return Proxy(network.policy, watcher.event, SecretInjector(network.secrets))


def environment_of(proxy: Proxy | None) -> dict[str, str]:
    """Return the environment of a sandbox with this network."""
    return environment(proxy.secrets.environment) if proxy else {}


@contextlib.asynccontextmanager
async def connected(sandbox: Sandbox, proxy: Proxy) -> AsyncIterator[None]:
    """Connect a sandbox to its proxy, and close both afterwards. Raises SandboxUnavailable."""
    command = ["/usr/bin/perl", "-e", NETWORK_BRIDGE, "--", TRUSTED, str(PORT)]
    reader, writer = await sandbox.start_process(command)
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
    """A watcher that adds the network traffic to each sample."""

    def __init__(self, watcher: Watcher, proxy: Proxy) -> None:
        self._watcher = watcher
        self._proxy = proxy

    async def permit(self, request: StartRequest) -> StartPermit:
        """Ask for the permit to start."""
        return await self._watcher.permit(request)

    async def output(self, chunk: OutputChunk) -> None:
        """Take bytes that the guest wrote."""
        await self._watcher.output(chunk)

    def meters(self, sample: Meters) -> None:
        """Take one sample."""
        self._watcher.meters(sample.with_network(self._proxy.budget.used))

    async def event(self, event: RunEvent) -> None:
        """Record an event."""
        await self._watcher.event(event)


@contextlib.asynccontextmanager
async def networked(sandbox: Sandbox, proxy: Proxy | None, watcher: Watcher) -> AsyncIterator[Watcher]:
    """Connect a sandbox to the network it was granted, if any, and meter it."""
    if proxy is None:
        yield watcher
        return
    async with connected(sandbox, proxy):
        yield MeteredWatcher(watcher, proxy)

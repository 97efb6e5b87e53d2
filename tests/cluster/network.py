"""What a network plugin, kube-proxy and a name server do for the engine's Pod and its clients.

Addresses of Services are addresses of the bridge, and connections to them are carried by this program.
"""

from __future__ import annotations

import contextlib
import json
import socket
import socketserver
import subprocess
import threading
from collections.abc import Callable, Iterator
from typing import Any

from tests.cluster import control_plane
from tests.cluster.daemons import ClusterError
from tests.cluster.layout import API_ADDRESS, API_PORT, BRIDGE, DATABASE_ADDRESS, PODS, Layout

_BLOCK = 64 * 1024
_HARDWARE = "0a:58:0a:62:00:01"
"""What the bridge keeps: else it takes the address of a Pod, and is not found once that one has gone."""
_GATEWAY = PODS.replace(".0/", ".1/")
Target = Callable[[], tuple[str, int] | None]
"""Where a connection goes now; None where nobody takes it."""


def make_bridge() -> None:
    """Make the bridge unless it is there. Raises ClusterError."""
    if _ip("link", "show", BRIDGE):
        return
    made = _ip("link", "add", BRIDGE, "address", _HARDWARE, "type", "bridge")
    if not (made and _ip("address", "add", _GATEWAY, "dev", BRIDGE) and _ip("link", "set", BRIDGE, "up")):
        raise ClusterError(f"the bridge {BRIDGE} cannot be made. Type: ip link add {BRIDGE} type bridge")


def remove_bridge() -> None:
    """Remove the bridge, if it is there, with all of its addresses."""
    _ip("link", "delete", BRIDGE)


def _ip(*words: str) -> bool:
    return subprocess.run(["ip", *words], capture_output=True, check=False).returncode == 0


@contextlib.contextmanager
def api_service() -> Iterator[None]:
    """Carry connections of Pods to the API server."""
    with _service(API_ADDRESS, lambda: ("127.0.0.1", API_PORT)):
        yield


@contextlib.contextmanager
def database_service(port: int) -> Iterator[None]:
    """Carry connections of Pods to a PostgreSQL server on loopback."""
    with _service(DATABASE_ADDRESS, lambda: ("127.0.0.1", port), 5432):
        yield


@contextlib.contextmanager
def engine_service(layout: Layout, wanted: Callable[[], str] = str) -> Iterator[None]:
    """Carry connections to the Service `pratique` to a ready Pod, and know it by its name.

    `wanted` names the Pod where it matters.
    """
    service = _object(layout, "service")
    address = service["spec"]["clusterIP"]
    name = f"{service['metadata']['name']}.{service['metadata']['namespace']}.svc"
    with _service(address, lambda: _ready_pod(layout, wanted())), _named(name, address):
        yield


def _ready_pod(layout: Layout, wanted: str) -> tuple[str, int] | None:
    for subset in _object(layout, "endpoints").get("subsets") or ():
        for ready in subset.get("addresses") or ():
            if wanted in {"", ready["targetRef"]["name"]}:
                return ready["ip"], subset["ports"][0]["port"]
    return None


def _object(layout: Layout, kind: str) -> dict[str, Any]:
    found = control_plane.kubectl(layout, "-n", "pratique", "get", kind, "pratique", "-o", "json").stdout
    object_: dict[str, Any] = json.loads(found or "{}")
    return object_


@contextlib.contextmanager
def _service(address: str, target: Target, port: int = 443) -> Iterator[None]:
    """Listen at the address of a Service."""
    _ip("address", "add", f"{address}/32", "dev", BRIDGE)
    with _Relay((address, port), target) as relay:
        threading.Thread(target=relay.serve_forever, daemon=True).start()
        try:
            yield
        finally:
            relay.shutdown()


class _Relay(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True

    def __init__(self, address: tuple[str, int], target: Target) -> None:
        super().__init__(address, _Connection)
        self.target = target


class _Connection(socketserver.BaseRequestHandler):
    server: _Relay

    def handle(self) -> None:
        """Carry one connection, both ways, until both sides have ended."""
        if where := self.server.target():
            with contextlib.suppress(OSError), socket.create_connection(where) as far:
                _notice_loss(self.request)
                back = threading.Thread(target=_copy, args=(far, self.request), daemon=True)
                back.start()
                _copy(self.request, far)
                back.join()


def _notice_loss(connection: socket.socket) -> None:
    """Have the kernel find out when a Pod has gone with its network: no packet says so."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL):
        connection.setsockopt(socket.IPPROTO_TCP, option, 2)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 8000)  # with data on its way


def _copy(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(_BLOCK):
            sink.sendall(data)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


@contextlib.contextmanager
def _named(name: str, address: str) -> Iterator[None]:
    """Have this program know a name, as the name server of a cluster would."""
    known = socket.getaddrinfo

    def resolve(host: Any, *words: Any, **options: Any) -> Any:
        return known(address if host in {name, name.encode()} else host, *words, **options)

    socket.getaddrinfo = resolve
    try:
        yield
    finally:
        socket.getaddrinfo = known

"""Sockets."""

from __future__ import annotations

from engine.analysis.python.declare import python_rule
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.sink_registry import CALLS, PythonCall, handles
from engine.analysis.python.evaluate.values import PRIVATE, PythonValue, Taint
from engine.analysis.python.rules import network as rules
from engine.analysis.python.rules.processes import SYSCALL
from engine.analysis.python.sinks import paths
from engine.analysis.python.sinks.network import (
    LOCAL,
    add_network_effects,
    address_of,
    report_request,
)
from engine.analysis.python.sinks.outgoing import report_destination
from engine.analysis.python.word_lists import words
from engine.models import Level

SCAN = python_rule(
    "py-port-scan",
    "Ports or hosts are scanned",
    "net_access",
    Level.HIGH,
    attack="Maps the network around the sandbox.",
    why="HIGH: finding open ports is reconnaissance.",
    fix="Remove it.",
    match=("import socket\nfor p in range(99):\n    socket.socket().connect_ex(('a', p))",),
    not_match=("import socket\nsocket.socket().connect(('a', 1))",),
    cwe=200,
)


# --- sockets ---


@handles(
    "socket.socket",
    "socket.create_connection",
    "ssl.wrap_socket",
    "socket.socketpair",
    "ssl.SSLContext().wrap_socket",
    "ssl.create_default_context().wrap_socket",
)
def make_socket(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A socket; connecting is what is reported."""
    value = PythonValue(name="socket.socket()", taint=Taint.SOCKET)
    value.trail = (call.node,)
    if call.name == "socket.socket":
        _check_kind(evaluator, call)
    if call.name == "socket.create_connection":
        report_request(evaluator, call, "create_connection")
    return value


_KERNEL = frozenset(
    words(
        "AF_PACKET AF_NETLINK AF_ALG AF_VSOCK AF_TIPC AF_CAN AF_BLUETOOTH AF_RDS AF_KEY AF_XDP AF_QIPCRTR "
        "SOCK_RAW SOCK_PACKET"
    )
)
_PLAIN_FAMILIES = (1, 2, 10)
"""AF_UNIX, AF_INET and AF_INET6 by number."""


def _check_kind(evaluator: Evaluator, call: PythonCall) -> None:
    """Report sockets that talk to the kernel or past its protocols."""
    family, kind = call.arg(0, "family"), call.arg(1, "type")
    names = {(value.name or "").rpartition(".")[2] for value in (family, kind) if value is not None}
    number = family.const if family is not None and isinstance(family.const, int) else 1
    if names & _KERNEL or (number not in _PLAIN_FAMILIES and number > 0):
        what = ", ".join(sorted(names & _KERNEL)) or f"family {number}"
        evaluator.report(SYSCALL, call.node, f"A socket into the kernel ({what})", severity=Level.MEDIUM)


@handles("socket.socket().connect", "socket.socket().connect_ex")
def connect(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A connection; in a loop over ports, a scan."""
    address = address_of(call) or ""
    if address.startswith("/"):
        paths.judge(evaluator, call.node, address, call.arg(0), write=False, delete=False)
    report_request(evaluator, call, call.name.rpartition(".")[2])
    if call.name.endswith("connect_ex"):
        evaluator.report(
            SCAN,
            call.node,
            "Tries whether a port is open",
            severity=None if evaluator.loops else Level.MEDIUM,
        )
    return None


@handles("socket.socket().bind", "socket.socket().listen", "socket.socket().accept", "socket.create_server")
def listen(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A port opened."""
    if not call.name.endswith(("listen", "accept")):
        evaluator.report(rules.LISTEN, call.node, f"Listens on `{address_of(call) or 'a port'}`")
    value = PythonValue(taint=Taint.SOCKET)
    value.items = {0: PythonValue(name="socket.socket()", taint=Taint.SOCKET), 1: None}
    return value


@handles(
    "socket.socket().send", "socket.socket().sendall", "socket.socket().sendto", "socket.socket().sendfile"
)
def send(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Data sent over a socket."""
    call.receiver = None
    if call.name.endswith("sendto"):
        add_network_effects(evaluator, call, address_of(PythonCall(call.node, call.name, call.args[1:], {})))
    evaluator.report(rules.NETWORK, call.node, "Sends over a socket")
    report_destination(evaluator, call, "send")
    return None


@handles(
    "socket.socket().recv",
    "socket.socket().recvfrom",
    "socket.socket().recv_into",
    "socket.socket().makefile",
)
def receive(_: Evaluator, call: PythonCall) -> PythonValue | None:
    """What the other side sends."""
    value = PythonValue(taint=Taint.SOCKET | Taint.NETWORK)
    value.trail = (call.node,)
    return value


@handles("socket.socket().fileno")
def descriptor(_: Evaluator, call: PythonCall) -> PythonValue | None:
    """A socket's descriptor."""
    value = PythonValue(taint=Taint.SOCKET)
    value.trail = call.receiver.trail if call.receiver is not None else ()
    return value


@handles(
    "http.server.HTTPServer",
    "http.server.ThreadingHTTPServer",
    "socketserver.TCPServer",
    "socketserver.UDPServer",
    "socketserver.ThreadingTCPServer",
    "xmlrpc.server.SimpleXMLRPCServer",
    "wsgiref.simple_server.make_server",
    "wsgiref.handlers.CGIHandler",
    "asyncio.start_server",
    "logging.config.listen",
    "twisted.internet.reactor.listenTCP",
    "http.server.test",
    "uvicorn.run",
    "waitress.serve",
    "aiohttp.web.run_app",
    "bottle.run",
)
def serve(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A server."""
    evaluator.report(rules.LISTEN, call.node, f"`{call.name}` waits for connections")
    return PythonValue(name=f"{call.name}()")


@handles("socket.gethostbyname", "socket.getaddrinfo", "socket.gethostbyname_ex")
def resolve(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A name resolved: a question to the network, unless it is this machine's own."""
    host = call.text(0, "host")
    given = call.arg(0, "host")
    if call.taint & PRIVATE and (given is None or given.name is None):
        return report_request(evaluator, call, call.name.rpartition(".")[2])
    own = call.taint & Taint.SYSTEM if host is None else LOCAL.match(host)
    if own:
        return CALLS["socket.gethostname"](evaluator, call)
    return report_request(evaluator, call, call.name.rpartition(".")[2])


@handles("asyncio.open_connection")
def open_connection(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A connection of asyncio."""
    return report_request(evaluator, call, "open_connection")

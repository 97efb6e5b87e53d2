"""Sockets: where a process connects to, and where it listens. Pure."""

from __future__ import annotations

from typing import Any

from engine.models.observed import Basis, ObservedKind
from engine.sandbox.observed import routine
from engine.sandbox.observed.addresses import INTERNET, INTERNET_6, UNIX, socket_address
from engine.sandbox.observed.effect_table import Act, EffectTable
from engine.sandbox.observed.files import seconds
from engine.sandbox.observed.processes import Descriptor, Process, ProcessTable

_DATAGRAMS, _RAW = 2, 3
_TYPE = 0xF
_CLOSES = 0o2000000
"""SOCK_CLOEXEC."""
_IN_PROGRESS = 115
_SENDTO = 44
_FAMILIES = {UNIX, INTERNET, INTERNET_6}
_UNNAMED = {0: "no address", 16: "netlink", 17: "packets"}


def made(processes: ProcessTable, effects: EffectTable, message: Any, process: Process) -> None:
    """Note what kind of socket a descriptor is; a raw one is an effect of its own."""
    kind = message.type & _TYPE
    if kind == _RAW and message.domain in {INTERNET, INTERNET_6, 17}:
        act = Act(
            ObservedKind.PRIVILEGE, "raw socket", process.program, process.pid, seconds(message),
            errno=message.exit.errno, routine=process.helper,
        )  # fmt: skip
        effects.add(act)
    if not message.exit.errno:
        descriptor = Descriptor(
            domain=message.domain, datagrams=kind == _DATAGRAMS, closes=bool(message.type & _CLOSES)
        )
        process.opened(message.exit.result, descriptor)


def connected(processes: ProcessTable, effects: EffectTable, message: Any, process: Process) -> None:
    """Add an attempt to connect."""
    family, address = socket_address(message.address)
    if family not in _FAMILIES:
        return
    descriptor = process.files.setdefault(message.fd, Descriptor(domain=family))
    descriptor.name = address
    common = process.helper or routine.is_routine_address(address) or _asks_for_route(descriptor, address)
    errno = 0 if message.exit.errno == _IN_PROGRESS else message.exit.errno
    detail = "UDP" if descriptor.datagrams and family != UNIX else ""
    act = Act(
        ObservedKind.CONNECT, address, process.program, process.pid, seconds(message), Basis.ASKED, detail,
        errno, common,
    )  # fmt: skip
    effects.add(act)


def _asks_for_route(descriptor: Descriptor, address: str) -> bool:
    """Return whether it is what the C library does to sort addresses: a datagram socket to no port."""
    return descriptor.datagrams and address.endswith(":0")


def bound(processes: ProcessTable, effects: EffectTable, message: Any, process: Process) -> None:
    """Note the address of a socket; one of datagrams receives from then on."""
    family, address = socket_address(message.address)
    if family not in _FAMILIES or message.exit.errno:
        return
    descriptor = process.files.setdefault(message.fd, Descriptor(domain=family))
    descriptor.name = address
    if descriptor.datagrams:
        effects.add(listening(process, descriptor, seconds(message), 0))


def accepted(processes: ProcessTable, effects: EffectTable, message: Any, process: Process) -> None:
    """Note the connection that a socket which listens was given."""
    family, address = socket_address(message.address)
    if family in _FAMILIES and not message.exit.errno:
        process.opened(message.exit.result, Descriptor(address, domain=family))


def listening(process: Process, descriptor: Descriptor, at: float, errno: int) -> Act:
    """Return the act of listening on a socket."""
    address = descriptor.name or _UNNAMED.get(descriptor.domain, "any port")
    detail = "UDP" if descriptor.datagrams and descriptor.domain != UNIX else ""
    return Act(
        ObservedKind.LISTEN, address, process.program, process.pid, at, Basis.ASKED, detail, errno,
        process.helper,
    )  # fmt: skip


def sent(process: Process, message: Any) -> Act | None:
    """Return the act of sending without a connection; None where the connection was an effect already.

    A descriptor of unknown origin counts where an address was passed: another process may have passed it.
    """
    addressed = message.sysno == _SENDTO and message.arg4 != 0
    descriptor = process.files.get(message.arg0)
    if descriptor is None and not addressed:
        return None
    descriptor = descriptor or Descriptor(domain=INTERNET, datagrams=True)
    if descriptor.domain not in {INTERNET, INTERNET_6} or (descriptor.name and not addressed):
        return None
    what = "UDP" if descriptor.datagrams else "TCP"
    return Act(
        ObservedKind.SEND, "", process.program, process.pid, seconds(message), Basis.COUNTED,
        f"{what}, to an address that the kernel does not tell", message.exit.errno, process.helper,
    )  # fmt: skip

"""The packets in which gVisor reports system calls: decoded, never trusted. Pure.

The fields are those of `pkg/sentry/seccheck/points/*.proto` of gVisor. Strings are declared as bytes: what a
guest names is not always text.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError

_HEAD = struct.Struct("<HHI")
HANDSHAKE = b"\x08\x01"
"""Version 1 of the protocol, as both sides send it."""
MOST_BYTES = 1 << 20
"""A longer packet is cut off, and then not readable."""

_Field = descriptor_pb2.FieldDescriptorProto
_PACKAGE = "pratique.observed"
_INT, _BYTES = _Field.TYPE_INT64, _Field.TYPE_BYTES


class PacketKind(IntEnum):
    """The kinds of packets that are read, by gVisor's numbers."""

    CLONE = 2
    EXECVE = 3
    TASK_EXIT = 5
    RAW = 6
    OPEN = 7
    CLOSE = 8
    CONNECT = 10
    EXECVE_CALL = 11
    SOCKET = 12
    CHDIR = 13
    SETID = 14
    SETRESID = 15
    DUP = 19
    CHROOT = 21
    BIND = 24
    ACCEPT = 25


_CALL: dict[str, tuple[int, Any]] = {"context": (1, "Context"), "exit": (2, "Exit"), "sysno": (3, _INT)}
_REGISTERS = {f"arg{number}": (5 + number, _INT) for number in range(6)}
_ON_SOCKET = _CALL | {"fd": (4, _INT), "address": (6, _BYTES)}
_MESSAGES: dict[str, dict[str, tuple[int, Any]]] = {
    "Credentials": {"uid": (1, _INT), "euid": (2, _INT), "gid": (4, _INT)},
    "Context": {
        "time": (1, _INT), "tid": (2, _INT), "pid": (4, _INT), "container": (6, _BYTES),
        "credentials": (7, "Credentials"),
    },
    "Exit": {"result": (1, _INT), "errno": (2, _INT)},
    "Clone": {"context": (1, "Context"), "tid": (3, _INT), "pid": (4, _INT), "flags": (6, _INT)},
    "Execve": {"context": (1, "Context"), "binary": (2, _BYTES), "argv": (3, [_BYTES])},
    "TaskExit": {"context": (1, "Context"), "status": (2, _INT)},
    "Raw": {"context": (1, "Context"), "exit": (2, "Exit"), "sysno": (4, _INT)} | _REGISTERS,
    "Open": _CALL | {"fd": (4, _INT), "fd_path": (5, _BYTES), "path": (6, _BYTES), "flags": (7, _INT)},
    "Close": _CALL | {"fd": (4, _INT), "fd_path": (5, _BYTES)},
    "Connect": _ON_SOCKET,
    "Bind": _ON_SOCKET,
    "Accept": _ON_SOCKET,
    "ExecveCall": _CALL | {"fd": (4, _INT), "fd_path": (5, _BYTES), "path": (6, _BYTES)},
    "Socket": _CALL | {"domain": (4, _INT), "type": (5, _INT), "protocol": (6, _INT)},
    "Chdir": _CALL | {"fd": (4, _INT), "fd_path": (5, _BYTES), "path": (6, _BYTES)},
    "Setid": _CALL | {"id": (4, _INT)},
    "Setresid": _CALL | {"ruid": (4, _INT), "euid": (5, _INT), "suid": (6, _INT)},
    "Dup": _CALL | {"old": (4, _INT), "new": (5, _INT)},
    "Chroot": _CALL | {"path": (4, _BYTES)},
}  # fmt: skip


def _field(name: str, number: int, kind: Any) -> descriptor_pb2.FieldDescriptorProto:
    repeated = isinstance(kind, list)
    plain = kind[0] if repeated else kind
    label = _Field.LABEL_REPEATED if repeated else _Field.LABEL_OPTIONAL
    if isinstance(plain, str):
        name_of = f".{_PACKAGE}.{plain}"
        return _Field(name=name, number=number, label=label, type=_Field.TYPE_MESSAGE, type_name=name_of)
    return _Field(name=name, number=number, label=label, type=plain)


def _classes() -> dict[str, Any]:
    """Return a class for each message, made from the table above."""
    messages = [
        descriptor_pb2.DescriptorProto(
            name=name, field=[_field(field, *place) for field, place in fields.items()]
        )
        for name, fields in _MESSAGES.items()
    ]
    file = descriptor_pb2.FileDescriptorProto(
        name="pratique/observed.proto", package=_PACKAGE, syntax="proto3", message_type=messages
    )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    find = pool.FindMessageTypeByName
    return {name: message_factory.GetMessageClass(find(f"{_PACKAGE}.{name}")) for name in _MESSAGES}


_CLASSES = _classes()
_BY_KIND = {kind: _CLASSES[kind.name.title().replace("_", "")] for kind in PacketKind}


@dataclass(frozen=True, slots=True)
class Packet:
    """One packet: its kind, how many were dropped before it, and its message where it could be read."""

    kind: int
    dropped: int
    message: Any
    """None: of a kind that is not read, or malformed."""


def decode(packet: bytes) -> Packet | None:
    """Return what a packet holds; None if it is too short to be one."""
    if len(packet) < _HEAD.size:
        return None
    size, kind, dropped = _HEAD.unpack_from(packet)
    found = _BY_KIND.get(kind)
    if found is None or size > len(packet):
        return Packet(kind, dropped, None)
    try:
        return Packet(kind, dropped, found.FromString(packet[size:]))
    except DecodeError:
        return Packet(kind, dropped, None)

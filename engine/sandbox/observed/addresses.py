"""Socket addresses as the kernel hands them over, in words. Pure."""

from __future__ import annotations

import ipaddress
import struct

UNIX, INTERNET, INTERNET_6 = 1, 2, 10
_MOST_UNIX = 108
_NAME_ONLY = frozenset(range(0x20, 0x7F))


def socket_address(data: bytes) -> tuple[int, str]:
    """Return the family of an address and its text; the text is empty where it has none that is read.

    gVisor passes as many bytes as the guest said; after the end of a name they are whatever lay there.
    """
    if len(data) < 2:
        return 0, ""
    (family,) = struct.unpack_from("=H", data)
    if family == UNIX:
        return family, _unix(data[2 : 2 + _MOST_UNIX])
    if family == INTERNET and len(data) >= 8:
        return family, f"{ipaddress.IPv4Address(data[4:8])}:{_port(data)}"
    if family == INTERNET_6 and len(data) >= 24:
        return family, _internet_6(data)
    return family, ""


def _internet_6(data: bytes) -> str:
    address = ipaddress.IPv6Address(data[8:24])
    if address.ipv4_mapped is not None:
        return f"{address.ipv4_mapped}:{_port(data)}"
    return f"[{address}]:{_port(data)}"


def _port(data: bytes) -> int:
    return int.from_bytes(data[2:4], "big")


def _unix(name: bytes) -> str:
    """Return the path of a Unix socket up to its end, or `@` and the name of an abstract one.

    An abstract name may hold any byte: what follows its first zero byte is left out, as a mark of padding.
    """
    if name[:1] != b"\0":
        return text(name.split(b"\0", 1)[0])
    own = name[1:].split(b"\0", 1)[0]
    return "@" + "".join(chr(byte) if byte in _NAME_ONLY else f"\\x{byte:02x}" for byte in own)


def text(data: bytes) -> str:
    """Return a name as text; a byte that is not UTF-8 becomes an escape."""
    return data.decode("utf-8", "backslashreplace")

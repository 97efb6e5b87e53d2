"""What arrived from the code of a rehearsal: bounded, and searched for decoys at its end."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from engine.common.hosts import matches_any
from engine.common.text import Untrusted, visible
from engine.models.rehearsal import Contact, FindingKind, RehearsalFinding
from engine.sandbox.rehearsal import shapes
from engine.sandbox.rehearsal.decoding import MOST_BYTES
from engine.sandbox.rehearsal.decoys import Decoys
from engine.sandbox.rehearsal.finder import DecoyFinder, Found

MOST_CONTACTS = 100
_EXCERPT = 400
_MOST_HOSTS = 64
_SEARCH_SECONDS = 3.0
"""How long the search goes on: it never holds a result up for longer."""


@dataclass
class Exchange:
    """One contact while it goes on."""

    number: int
    at: float
    host: str
    port: int
    protocol: str
    method: str = ""
    path: str = ""
    size: int = 0
    data: bytearray = field(default_factory=bytearray)
    about: bytes = b""
    """What was sent beside its data: the path and the headers of a request."""

    def add(self, data: bytes) -> None:
        """Take bytes that arrived."""
        self.size += len(data)
        self.data += data[: max(0, MOST_BYTES - len(self.data))]

    @property
    def act(self) -> str:
        """What was done, and to whom."""
        acts = {"dns": "a look-up of", "udp": "a datagram to", "smtp": "mail to", "ftp": "an upload to"}
        return f"{self.method or acts.get(self.protocol, 'data')} {'to ' * (self._named)}{self.host}"

    @property
    def _named(self) -> bool:
        return bool(self.method) or self.protocol not in {"dns", "udp", "smtp", "ftp"}

    @property
    def contact(self) -> Contact:
        """Return what is kept of it."""
        text = bytes(self.data[:_EXCERPT]).decode("utf-8", "replace")
        return Contact(
            number=self.number, at=round(self.at, 3), host=Untrusted(self.host[:253]), port=self.port,
            protocol=self.protocol, method=Untrusted(self.method[:16]), path=Untrusted(self.path[:200]),
            sent=self.size, excerpt=Untrusted(text),
        )  # fmt: skip


class SinkholeRecord:
    """Everything that arrived, and what it proves."""

    def __init__(self, decoys: Decoys) -> None:
        self._finder = DecoyFinder(decoys.values)
        self._began = time.monotonic()
        self._count = 0
        self.exchanges: list[Exchange] = []
        self.findings: list[RehearsalFinding] = []
        self.complete = True
        """Whether all that was kept could be searched in time."""

    def begin(self) -> None:
        """Note that the code starts now."""
        self._began = time.monotonic()

    def open(self, host: str, port: int, protocol: str) -> Exchange:
        """Return a new exchange, which is kept unless there are too many."""
        self._count += 1
        one = Exchange(self._count, time.monotonic() - self._began, host, port, protocol)
        if len(self.exchanges) < MOST_CONTACTS * 4:
            self.exchanges.append(one)
        return one

    def found(self, finding: RehearsalFinding) -> None:
        """Add a finding, once."""
        known = {(one.kind, one.subject, one.where) for one in self.findings}
        if (finding.kind, finding.subject, finding.where) not in known:
            self.findings.append(finding)

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """The contacts, without look-ups of names that were then contacted."""
        reached = {one.host for one in self.exchanges if one.protocol != "dns"}
        proving = {one.contact for one in self.findings}
        shown = [
            one
            for one in self.exchanges
            if one.protocol != "dns" or one.number in proving or one.host.lower() not in reached
        ]
        return tuple(one.contact for one in shown[:MOST_CONTACTS])

    @property
    def omitted(self) -> int:
        """How many contacts are not kept."""
        return max(0, self._count - MOST_CONTACTS * 4)

    def search(self) -> None:
        """Look for decoys in everything: takes a while, so in a thread of its own."""
        deadline = time.monotonic() + _SEARCH_SECONDS
        known: dict[bytes, tuple[Found, ...]] = {}
        for one, data, how in self._pieces():
            if time.monotonic() > deadline:
                self.complete = False
                return
            if data not in known:
                known[data] = self._finder.find(data)
            self._left(one, known[data], how)

    def _pieces(self) -> Iterator[tuple[Exchange, bytes, tuple[str, ...]]]:
        for one in self.exchanges:
            yield one, one.about + b"\n" + bytes(one.data), ()
        yield from _joined(self.exchanges)

    def _left(self, one: Exchange, several: Sequence[Found], how: tuple[str, ...]) -> None:
        """Say that decoys left with an exchange; what several exchanges carried is no news if one did."""
        known = {name for finding in self.findings for name in finding.subject.split(", ")} if how else set()
        at_home = [found for found in several if _is_home(found.subject, one.host)]
        away = [found for found in several if found not in at_home and found.subject not in known]
        for kind, these in ((FindingKind.LEAK, away), (FindingKind.USED, at_home)):
            if these:
                names = ", ".join(found.subject for found in these)
                ways = min((found.how for found in these), key=len)
                where = Untrusted(visible(one.act)[:300])
                hidden, number = ", ".join((*how, *ways)), one.number
                self.found(
                    RehearsalFinding(kind=kind, subject=names, where=where, how=hidden, contact=number)
                )


def _is_home(subject: str, host: str) -> bool:
    return any(matches_any((home, f"*.{home}"), host) for home in shapes.HOMES.get(subject, ()))


def _joined(exchanges: list[Exchange]) -> Iterator[tuple[Exchange, bytes, tuple[str, ...]]]:
    """Yield what was cut up over several exchanges with one host."""
    hosts: dict[str, list[Exchange]] = {}
    for one in exchanges:
        base = ".".join(one.host.split(".")[-2:]) if one.protocol == "dns" else one.host
        hosts.setdefault(f"{one.protocol == 'dns'} {base}", []).append(one)
    for several in list(hosts.values())[:_MOST_HOSTS]:
        last = several[-1]
        if last.protocol == "dns":
            for text in _labels(several):
                yield last, text, ("DNS labels",)
        elif len(several) > 1:
            yield last, b"".join(bytes(one.data) for one in several)[:MOST_BYTES], ("in pieces",)
            yield last, b"".join(_values(one) for one in several)[:MOST_BYTES], ("in pieces",)


def _labels(several: list[Exchange]) -> Iterator[bytes]:
    """Yield the labels of names under one domain, joined: all of them, the longest, the first of each."""
    names = list(dict.fromkeys(one.host for one in several))
    parts = [name.split(".")[:-2] for name in names]
    yield "".join("".join(part) for part in parts).encode("latin-1", "replace")
    yield "".join(max(part, key=len, default="") for part in parts).encode("latin-1", "replace")
    yield "".join(part[0] if part else "" for part in parts).encode("latin-1", "replace")


def _values(one: Exchange) -> bytes:
    """Return the longest value of a query, or the last part of a path."""
    address = urlsplit(one.path)
    values = [unquote(field.partition("=")[2]) for field in address.query.split("&")]
    return (max(values, key=len) or address.path.rpartition("/")[2]).encode(errors="replace")

"""The network calls of the proxy, through which granted hosts are reached and packages are downloaded."""

from __future__ import annotations

import time
from functools import partial

from engine.sandbox.network.proxy import Proxy
from tests.engine.sandbox.outside import HOST, Guest, Server, guest_of, serving
from tests.faults.injection import Injector, injecting
from tests.faults.outcome import Outcome

LOOKED_UP = "localhost"
MOST_SECONDS = 10.0
"""How long an answer may take."""
ADDRESSES = ("127.0.0.1", "::1")


async def egress_sites() -> list[str]:
    """Ask for a granted host without a fault; return the calls that this makes."""
    injector = Injector()
    await play_egress("", "", injector)
    return sorted(injector.counts)


async def play_egress(site: str, fault: str, known: Injector | None = None) -> Outcome:
    """Ask for granted hosts while a call fails, and again once it does not."""
    injector, outcome = known or Injector(), Outcome(site, fault)
    async with serving() as server:
        terms = server.terms(HOST, LOOKED_UP, addresses=ADDRESSES, seconds=2)
        async with guest_of(partial(Proxy, terms)) as guest:
            with injecting(injector):
                if site:
                    injector.arm(site, fault)
                for host in (HOST, LOOKED_UP):
                    await _ask(guest, server, host, outcome)
                injector.lift()
            began = time.monotonic()
            for host in (HOST, LOOKED_UP):
                if b"HTTP/1.1 200" not in await guest.get(f"http://{host}:{server.port}/"):
                    outcome.broken.append(f"not recovered: {host}")
            outcome.recovery_seconds = time.monotonic() - began
            if len(guest.attempts) != 4:
                outcome.broken.append(f"{len(guest.attempts)} of 4 attempts were recorded")
    outcome.hits = injector.hits
    return outcome


async def _ask(guest: Guest, server: Server, host: str, outcome: Outcome) -> None:
    """Ask for a host: it answers, or the guest is told in words that it does not, in time."""
    began = time.monotonic()
    answer = await guest.get(f"http://{host}:{server.port}/")
    if time.monotonic() - began > MOST_SECONDS:
        outcome.broken.append(f"{host}: no answer in time")
    if b"HTTP/1.1 200" in answer:
        return
    if answer.startswith((b"HTTP/1.1 403", b"HTTP/1.1 502")) and host.encode() in answer:
        outcome.refused.append(f"ask for {host}")
        outcome.told = True
    else:
        outcome.broken.append(f"{host}: refused without a word: {answer[:80]!r}")

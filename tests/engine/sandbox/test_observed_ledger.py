"""What gVisor's packets are reduced to, without a sandbox."""

from __future__ import annotations

import socket
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.common.text import Untrusted
from engine.models.observed import Basis, ObservedEffect, ObservedKind
from engine.sandbox.observed import wire
from engine.sandbox.observed.addresses import socket_address
from engine.sandbox.observed.effect_table import MOST_OF_A_KIND
from engine.sandbox.observed.ledger import EffectLedger
from engine.sandbox.observed.listing import derived
from tests.engine.sandbox import effect_programs as programs


def _packet(
    kind: wire.PacketKind, dropped: int = 0, *, user: int = 1000, pid: int = 2, thread: int = 0, **fields: Any
) -> bytes:
    """Return a packet as gVisor sends it."""
    message = wire._BY_KIND[kind]()
    context = message.context
    context.time, context.tid, context.pid, context.credentials.uid = 10**9, thread or pid, pid, user
    errno, result = fields.pop("errno", None), fields.pop("result", None)
    if errno is not None or result is not None:
        message.exit.SetInParent()
        message.exit.errno, message.exit.result = errno or 0, result or 0
    for name, value in fields.items():
        setattr(message, name, value)
    return struct.pack("<HHI", 8, kind, dropped) + bytes(message.SerializeToString())


def _open(path: bytes, **fields: Any) -> bytes:
    common: dict[str, Any] = {"sysno": 257, "fd": -100, "path": path, "result": 3} | fields
    return _packet(wire.PacketKind.OPEN, **common)


def _effects(*packets: bytes) -> list[ObservedEffect]:
    ledger = EffectLedger()
    ledger.begin()
    for packet in packets:
        ledger.take(packet)
    return list(ledger.changes())


def test_the_battery_is_large_enough() -> None:
    """There are at least sixty programs with known effects."""
    assert 60 <= len(programs.PYTHON) + len(programs.JAVASCRIPT) + len(programs.SHELL)


@given(st.lists(st.binary(max_size=200), max_size=20))
def test_no_packet_breaks_the_ledger(packets: list[bytes]) -> None:
    """Whatever arrives is counted or read, and never raises."""
    ledger = EffectLedger()
    for packet in packets:
        ledger.take(packet)
    assert ledger.malformed <= len(packets)


@given(st.sampled_from([*wire.PacketKind]), st.binary(max_size=120))
def test_no_message_breaks_the_ledger(kind: wire.PacketKind, body: bytes) -> None:
    """A packet of a known kind with any body neither raises nor writes an unbounded text."""
    effects = _effects(struct.pack("<HHI", 8, kind, 0) + body)
    assert all(len(one.target.text) < 600 for one in effects)


def _six(address: str) -> bytes:
    return socket.inet_pton(socket.AF_INET6, address)


@given(st.binary(max_size=140))
def test_an_address_is_text_or_nothing(data: bytes) -> None:
    """Any bytes of an address give text without zero bytes."""
    _, address = socket_address(data)
    assert "\0" not in address


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\x02\0\0\x50\x01\x02\x03\x04" + bytes(8), "1.2.3.4:80"),
        (
            b"\x0a\0\x01\xbb" + bytes(4) + _six("2001:db8::1"),
            "[2001:db8::1]:443",
        ),
        (b"\x0a\0\x01\xbb" + bytes(4) + _six("::ffff:8.8.8.8"), "8.8.8.8:443"),
        (b"\x01\0/run/x\0garbage\xff", "/run/x"),
        (b"\x01\0\0name", "@name"),
        (b"\x01\0\0na\x01me\0\0\0", "@na\\x01me"),
        (b"\x10\0\0\0", ""),
        (b"\x02\0\0", ""),
    ],
)
def test_addresses_are_read_up_to_their_end(data: bytes, expected: str) -> None:
    """What follows the end of an address is left out."""
    assert expected == socket_address(data)[1]


def test_a_flood_is_counted_exactly_and_kept_within_bounds() -> None:
    """Of many distinct files the first are kept; every open is counted."""
    effects = [_open(b"/workspace/f%d" % number) for number in range(1000)]
    ledger = EffectLedger()
    for packet in effects * 3:
        ledger.take(packet)
    assert MOST_OF_A_KIND == len(list(ledger.changes()))
    assert (3000, 3 * (1000 - MOST_OF_A_KIND)) == (
        ledger.effects.counts[ObservedKind.READ],
        ledger.effects.omitted,
    )


def test_a_forged_name_is_shown_beside_the_true_one() -> None:
    """The name that another thread put in its place is what was asked; the kernel's name is an effect too."""
    closed = _packet(wire.PacketKind.CLOSE, sysno=3, fd=3, fd_path=b"/etc/passwd")
    found = {one.target.text: one.basis for one in _effects(_open(b"/workspace/innocent"), closed)}
    assert {"/workspace/innocent": Basis.ASKED, "/etc/passwd": Basis.KERNEL} == found


def test_a_name_is_proven_by_the_kernel_when_the_file_is_closed() -> None:
    """An honest open is one effect, and its name is the kernel's."""
    closed = _packet(wire.PacketKind.CLOSE, sysno=3, fd=3, fd_path=b"/workspace/a")
    (effect,) = _effects(_open(b"a"), closed)
    assert ("/workspace/a", Basis.KERNEL) == (effect.target.text, effect.basis)


def test_an_event_that_was_withheld_is_counted() -> None:
    """A call whose event with a name never came is counted as unreadable."""
    ledger = EffectLedger()
    for packet in (
        _packet(wire.PacketKind.RAW, sysno=257),
        _packet(wire.PacketKind.RAW, sysno=257),
        _open(b"a"),
    ):
        ledger.take(packet)
    assert 1 == ledger.unreadable


def test_after_an_unreadable_change_of_folder_the_folder_is_unknown() -> None:
    """A relative name is not given a folder that the process may have left."""
    (effect,) = _effects(_packet(wire.PacketKind.RAW, sysno=80), _open(b"a"))
    assert "(unknown folder)/a" == effect.target.text


def test_after_an_unreadable_descriptor_of_a_folder_the_folder_is_unknown() -> None:
    """`fchdir` to a folder whose name is not UTF-8 is counted like any other call without its event."""
    ledger = EffectLedger()
    for packet in (_packet(wire.PacketKind.RAW, sysno=81), _open(b"a")):
        ledger.take(packet)
    (effect,) = ledger.changes()
    assert ("(unknown folder)/a", 1) == (effect.target.text, ledger.unreadable)


def test_a_change_of_folder_that_fails_changes_nothing() -> None:
    """Neither of `chdir` nor of `fchdir`."""
    for number in (80, 81):
        failed = _packet(wire.PacketKind.CHDIR, sysno=number, path=b"/nowhere", errno=2)
        (effect,) = _effects(_packet(wire.PacketKind.RAW, sysno=number), failed, _open(b"a"))
        assert "/workspace/a" == effect.target.text


def _executes(*between: bytes, errno: int = 0) -> tuple[bytes, ...]:
    """Return that the program calls `execve`, what comes meanwhile, and how that ends."""
    called = _packet(wire.PacketKind.EXECVE_CALL, sysno=59, path=b"/workspace/x")
    return (
        _packet(wire.PacketKind.RAW, sysno=59),
        called,
        *between,
        _packet(wire.PacketKind.RAW, sysno=59, errno=errno, result=0),
    )


def test_a_program_whose_name_the_kernel_does_not_tell_was_executed() -> None:
    """It is an effect, under the name that was asked for, and the ledger is not complete."""
    ledger = EffectLedger()
    for packet in (*_executes(), _packet(wire.PacketKind.TASK_EXIT)):
        ledger.take(packet)
    (effect,) = ledger.changes()
    assert ("/workspace/x", Basis.ASKED, 0) == (effect.target.text, effect.basis, effect.refused)
    assert "executed, but the kernel did not tell its name" == effect.detail.text
    assert 1 == ledger.unreadable


def test_a_program_that_was_executed_is_told_once() -> None:
    """By the name that the kernel tells."""
    ledger = EffectLedger()
    named = _packet(wire.PacketKind.EXECVE, binary=b"/usr/bin/true")
    for packet in (*_executes(named), _packet(wire.PacketKind.TASK_EXIT)):
        ledger.take(packet)
    (effect,) = ledger.changes()
    assert ("/usr/bin/true", Basis.KERNEL, 0) == (effect.target.text, effect.basis, ledger.unreadable)


def test_a_program_that_could_not_be_executed_was_not() -> None:
    """The kernel tells no name of it, and none is missing."""
    ledger = EffectLedger()
    for packet in (*_executes(errno=2), _packet(wire.PacketKind.TASK_EXIT)):
        ledger.take(packet)
    (effect,) = ledger.changes()
    assert ("could not be executed", 1, 0) == (effect.detail.text, effect.refused, ledger.unreadable)


SOCKET = _packet(wire.PacketKind.SOCKET, sysno=41, domain=2, type=2, result=5)


def _sent(number: int, **fields: int) -> bytes:
    return _packet(wire.PacketKind.RAW, sysno=44, arg0=number, arg4=1, result=1, **fields)


@pytest.mark.parametrize(
    "before",
    [
        (SOCKET, _packet(wire.PacketKind.RAW, sysno=72, arg0=5, arg1=0, result=9)),
        (SOCKET, _packet(wire.PacketKind.RAW, sysno=72, arg0=5, arg1=1030, result=9)),
        (SOCKET, _packet(wire.PacketKind.DUP, sysno=32, old=5, result=9)),
        (),
    ],
    ids=["F_DUPFD", "F_DUPFD_CLOEXEC", "dup", "from another process"],
)
def test_a_socket_under_another_number_sends_as_well(before: tuple[bytes, ...]) -> None:
    """However it came by the number: an address was passed along."""
    assert [ObservedKind.SEND] == [one.kind for one in _effects(*before, _sent(9))]


def test_a_process_that_shares_descriptors_sends_what_the_other_opened() -> None:
    """Also by a call that passes no address in its registers."""
    shared = wire._BY_KIND[wire.PacketKind.CLONE]()
    shared.context.pid = shared.context.tid = 2
    shared.context.credentials.uid, shared.pid, shared.tid, shared.flags = 1000, 77, 77, 0x400
    started = struct.pack("<HHI", 8, wire.PacketKind.CLONE, 0) + bytes(shared.SerializeToString())
    sent = _packet(wire.PacketKind.RAW, sysno=46, arg0=5, result=1, pid=77)
    assert [ObservedKind.SEND] == [one.kind for one in _effects(started, SOCKET, sent)]


def test_the_first_denial_of_an_effect_is_kept() -> None:
    """A later error of another kind does not hide that something was there."""
    denied, absent = (_packet(wire.PacketKind.RAW, sysno=87, errno=number, result=-1) for number in (13, 2))
    (effect,) = _effects(denied, absent)
    assert ("EACCES", 2) == (effect.error, effect.refused)


def test_reads_in_a_granted_package_name_its_folder() -> None:
    """They are routine, one effect for each package."""
    site = b"/usr/local/lib/python3.13/dist-packages/requests"
    (effect,) = _effects(_open(site + b"/api.py"), _open(site + b"/sessions.py"))
    assert (site.decode(), True, 2) == (effect.target.text, effect.routine, effect.count)


def test_dropped_events_count_from_the_start_of_the_code() -> None:
    """What was dropped before the code arrived does not count."""
    ledger = EffectLedger()
    ledger.take(_packet(wire.PacketKind.RAW, 5, sysno=257))
    ledger.begin()
    ledger.take(_packet(wire.PacketKind.RAW, 12, sysno=257))
    assert 7 == ledger.dropped


def test_the_supervisor_has_no_effects() -> None:
    """What the engine's own first process does is no effect of the code, whatever it is."""
    assert [] == _effects(_open(b"/workspace/a", pid=1, user=1001))


def test_only_the_supervisor_ends_a_run() -> None:
    """A guest that kills everybody does not pass for the supervisor."""
    ledger = EffectLedger()
    killing = {"sysno": 62, "arg0": 0xFFFFFFFF, "arg1": 9, "errno": 1}
    ledger.take(_packet(wire.PacketKind.RAW, **killing))
    assert not ledger.ended
    ledger.take(_packet(wire.PacketKind.RAW, pid=1, user=1001, **killing))
    assert ledger.ended


def test_what_the_engine_starts_beside_the_program_is_routine() -> None:
    """A process that nothing in the sandbox has started is the engine's own."""
    (effect,) = _effects(_open(b"/workspace/a", pid=77))
    assert (True, "the engine") == (effect.routine, effect.process.text)


def _cloned(number: int, thread: int = 0) -> bytes:
    """Return that the program started a process, or that this process started a thread."""
    message = wire._BY_KIND[wire.PacketKind.CLONE]()
    message.context.pid = message.context.tid = number if thread else 2
    message.context.credentials.uid = 1000
    message.pid, message.tid, message.flags = number, thread or number, 0x10000 if thread else 0
    return struct.pack("<HHI", 8, wire.PacketKind.CLONE, 0) + bytes(message.SerializeToString())


_ENDED = _packet(wire.PacketKind.TASK_EXIT, pid=77)


@pytest.mark.parametrize(
    "before",
    [
        (_cloned(77), _cloned(77, thread=78), _ENDED),
        (_cloned(77), _ENDED),
        tuple(_cloned(77 + number) for number in range(4200)),
    ],
    ids=["its first thread ended", "it ended", "more processes than are kept"],
)
def test_no_process_of_the_program_passes_for_the_engine(before: tuple[bytes, ...]) -> None:
    """Whatever became of a process that the program started, what comes from it is the program's."""
    effects = _effects(*before, _open(b"/workspace/secret", pid=77, thread=78))
    (found,) = [one for one in effects if one.target.text == "/workspace/secret"]
    assert (False, "the program") == (found.routine, found.process.text)


def _started(user: int = 1001) -> tuple[bytes, ...]:
    """Return that the supervisor starts process 5, which goes on as a user."""
    message = wire._BY_KIND[wire.PacketKind.CLONE]()
    message.context.pid, message.context.credentials.uid, message.pid, message.tid = 1, 1001, 5, 5
    started = struct.pack("<HHI", 8, wire.PacketKind.CLONE, 0) + bytes(message.SerializeToString())
    ended = _packet(wire.PacketKind.TASK_EXIT, pid=5, user=user)
    return started, _open(b"/workspace/a", pid=5, user=user), ended


def test_a_helper_of_the_supervisor_is_no_fork_of_the_program() -> None:
    """In a rehearsal it starts several; only what becomes the program's user runs the code."""
    assert [] == _effects(*_started(1001)) + _effects(*_started(0))
    (effect,) = _effects(*_started(1000))
    assert ("/workspace/a", False) == (effect.target.text, effect.routine)


def test_an_interpreter_that_started_before_anything_was_observed_is_the_program() -> None:
    """Where the engine starts nothing beside the program, whatever is seen first is the program's."""
    ledger = EffectLedger()
    ledger.take(_open(b"/dev/null", pid=5))
    ledger.begin(helpers=False)
    for packet in (_open(b"/workspace/a", pid=5), _packet(wire.PacketKind.TASK_EXIT, pid=5)):
        ledger.take(packet)
    (effect,) = ledger.changes()
    assert (False, "the program") == (effect.routine, effect.process.text)


def _written(name: str, number: int = 1) -> ObservedEffect:
    return ObservedEffect(number=number, kind=ObservedKind.WRITE, target=Untrusted(f"/workspace/{name}"))


def test_a_listing_names_what_was_deleted() -> None:
    """A file that was there, and is not any more, was deleted by the call that was counted."""
    call = ObservedEffect(number=2, kind=ObservedKind.DELETE, target=Untrusted(""))
    (found,) = derived([_written("a"), _written("b"), call], [], ["b"])
    assert (ObservedKind.DELETE, "/workspace/a", 3) == (found.kind, found.target.text, found.number)


def test_a_listing_invents_nothing_without_a_call() -> None:
    """Without a call that deletes or renames, a missing file is no effect."""
    assert () == derived([_written("a")], ["b"], [])

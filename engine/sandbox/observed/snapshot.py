"""What the processes of a sandbox have open now, and what they did last, from the events so far. Pure."""

from __future__ import annotations

from engine.common.text import Untrusted
from engine.models.observed import ObservedKind
from engine.models.snapshot import (
    MOST_LAST_EFFECTS,
    MOST_OPEN,
    MOST_PROCESSES,
    KernelSnapshot,
    OpenDescriptor,
    SnapshotProcess,
)
from engine.sandbox.observed.effect_table import shortened
from engine.sandbox.observed.ledger import EffectLedger
from engine.sandbox.observed.processes import Descriptor, Process

_WRITTEN = frozenset(
    {
        ObservedKind.WRITE,
        ObservedKind.DELETE,
        ObservedKind.RENAME,
        ObservedKind.LINK,
        ObservedKind.FOLDER,
        ObservedKind.ATTRIBUTES,
    }
)


def kernel_snapshot(ledger: EffectLedger) -> KernelSnapshot:
    """Return what is the case now, as far as it was told."""
    processes = ledger.processes.living
    effects = ledger.effects.kept()
    return KernelSnapshot(
        processes=tuple(map(_process, processes[:MOST_PROCESSES])),
        not_listed=max(0, len(processes) - MOST_PROCESSES),
        last=tuple(sorted(effects, key=lambda one: one.last)[-MOST_LAST_EFFECTS:]),
        written=tuple(one for one in effects if one.kind in _WRITTEN and not one.routine),
    )


def _process(process: Process) -> SnapshotProcess:
    named = sorted((number, one) for number, one in process.files.items() if _is_known(one))
    return SnapshotProcess(
        pid=process.pid,
        parent=process.parent,
        program=_text(process.program),
        command=_text(process.command),
        folder=_text(process.folder),
        threads=process.threads,
        helper=process.helper,
        open=tuple(_open(number, one) for number, one in named[:MOST_OPEN]),
        not_named=max(0, len(named) - MOST_OPEN),
    )


def _is_known(descriptor: Descriptor) -> bool:
    """Return whether it was opened by the code: what was open before is the interpreter's."""
    return bool(descriptor.name or descriptor.domain)


def _open(number: int, descriptor: Descriptor) -> OpenDescriptor:
    detail = "datagrams" if descriptor.datagrams else ""
    return OpenDescriptor(
        number=number, name=_text(descriptor.name), socket=bool(descriptor.domain), detail=detail
    )


def _text(text: str) -> Untrusted:
    return Untrusted(shortened(text))

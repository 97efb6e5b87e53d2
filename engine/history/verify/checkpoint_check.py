"""Whether the records are those that the signed checkpoints were made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple, TypeVar

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from engine.history.chain.checkpoints import Checkpoint, parse
from engine.history.chain.heads import SignedHead
from engine.history.chain.merkle import Frontier
from engine.history.verify.range import ComparisonPoint, VerifiedRange
from engine.history.verify.stored_data import Mismatch
from engine.models import Verification, WitnessMark

N = TypeVar("N", bound="Checkpoint | SignedHead")
LaterNotes = Callable[[], Sequence["Checkpoint | None"]]


class Witnessed(NamedTuple):
    """What a witness has kept, and the name of the witness; None where that is no signed note."""

    witness: str
    note: Checkpoint | SignedHead | None


class CheckpointComparison:
    """Builds the tree again, and compares it with each checkpoint on the way."""

    def __init__(
        self,
        notes: Sequence[Checkpoint | None],
        key: Ed25519PublicKey,
        tree: Frontier,
        outside: Sequence[Witnessed] = (),
        end: SignedHead | None = None,
        later: LaterNotes = tuple,
    ) -> None:
        """Continue from `tree`, whose records are not checked again.

        `outside` is what witnesses kept, `end` the signed head of the history itself. `later` returns the
        notes that the file has some time after the records were read: the file is written after them.
        """
        self._tree = tree
        self._notes = notes
        self._outside = outside
        self._file = _by_size(filter(None, notes))
        self._witness_notes = _by_size(one.note for one in outside if one.note)
        self._end = end
        self._is_ours = cache(lambda note: note.is_signed_by(key))
        self._later = cache(lambda: {note.size for note in later() if note})
        self._agreed = 0
        self.unregistered = 0
        """How many approvals were given before any key was registered."""
        self._witnessed: set[Checkpoint | SignedHead] = set()

    @property
    def size(self) -> int:
        """How many records are in the tree."""
        return self._tree.size

    def points(self, first: int, last: int) -> Iterable[int]:
        """Return the numbers from `first` to `last` that checkpoints name."""
        named = self._file.keys() | self._witness_notes.keys() | ({self._end.size} if self._end else set())
        return (size for size in named if first <= size <= last)

    def found(self, events: int, seq: int | None = None, problem: str = "") -> Verification:
        """Return what was found, with how many checkpoints agree."""
        return Verification(
            events=events,
            intact=not problem,
            checkpoints=self._agreed,
            witnessed=len(self._witnessed),
            witnesses=self._marks(),
            seq=seq,
            problem=problem,
        )

    def _marks(self) -> tuple[WitnessMark, ...]:
        """Return for each witness the last record up to which it agrees."""
        marks: dict[str, int] = {}
        for name, note in self._outside:
            if note is not None and note in self._witnessed:
                marks[name] = max(note.size, marks.get(name, 0))
        return tuple(WitnessMark(name=name, records=size) for name, size in marks.items())

    def before(self, total: int) -> Iterator[Mismatch]:
        """Yield what is wrong with the file of checkpoints itself, or with it and so many records."""
        for number, note in enumerate(self._notes, 1):
            if note is None:
                yield 0, f"line {number} of the checkpoint file is no checkpoint"
            elif not self._is_ours(note):
                yield (
                    note.size,
                    f"the checkpoint of {note.size} records was forged: not signed by this engine",
                )
        for size in sorted(size for size in self._file if size > total):
            yield total + 1, f"record {total + 1} was removed: a checkpoint covers {size} records"
        yield from self._before_outside(total)

    def _before_outside(self, total: int) -> Iterator[Mismatch]:
        for number, (_, note) in enumerate(self._outside, 1):
            if note is None:
                yield 0, f"checkpoint {number} of the witness is none"
            elif not self._is_ours(note):
                yield note.size, f"the witness has a checkpoint of {note.size} records from another key"
            elif note.size > total:
                yield total + 1, f"record {total + 1} was removed: the witness has {note.size} records"

    def agree(self, verified: VerifiedRange) -> Iterator[Mismatch]:
        """Add a range to the tree, and yield each checkpoint that does not agree with all up to it."""
        self.unregistered += verified.unregistered
        for point in verified.points:
            self._tree.graft(point.pieces)
            if point.note is not None:
                yield from self._event(point.seq, parse(point.note))
            yield from self._compare(point)
        self._tree.graft(verified.rest)

    def _event(self, seq: int, note: Checkpoint | None) -> Iterator[Mismatch]:
        if note is None or note.size != seq - 1 or not self._is_ours(note):
            yield seq, f"the checkpoint in record {seq} was forged: not signed by this engine"
        elif note.size not in self._file and not self._was_on_its_way(note.size):
            yield seq, f"the checkpoint of {note.size} records was removed from the checkpoint file"

    def _was_on_its_way(self, size: int) -> bool:
        return size > max(self._file, default=0) and size in self._later()

    def _compare(self, point: ComparisonPoint) -> Iterator[Mismatch]:
        here = self._tree.root(), point.hash
        if self._end and self._end.size == point.seq and self._end.head != point.hash:
            yield point.seq, f"record {point.seq} is not the one that was signed at {self._end.at}"
        for note in self._file.get(point.seq, ()):
            if (note.root, note.head) == here:
                self._agreed += 1
            else:
                yield (
                    note.size,
                    f"the first {note.size} records are not those of the checkpoint at {note.at}",
                )
        for kept in filter(self._is_ours, self._witness_notes.get(point.seq, ())):
            if _agrees(kept, *here):
                self._witnessed.add(kept)
            else:
                yield (
                    kept.size,
                    f"the first {kept.size} records are not those that the witness has of {kept.at}",
                )


def _agrees(note: Checkpoint | SignedHead, root: bytes, head: bytes) -> bool:
    return note.head == head and (isinstance(note, SignedHead) or note.root == root)


def _by_size(notes: Iterable[N]) -> dict[int, list[N]]:
    sizes: dict[int, list[N]] = defaultdict(list)
    for note in notes:
        sizes[note.size].append(note)
    return sizes

"""A response in words: what it stops, pauses and blocks, and for how long. Pure."""

from __future__ import annotations

from console.safety.text import Part, clip
from engine.models.response import Block, BlockTarget, Response, ResponseRequest

LISTED = 30
"""So many runs at most are named one by one."""


def target_words(target: BlockTarget) -> str:
    """Return what a block is about, as in `host hooks.example`."""
    return f"{target.kind.value.replace('_', '-')} {clip(target.value, 200)}"


def request_lines(request: ResponseRequest) -> list[list[Part]]:
    """Return a line for each step, the blocks first, as they are done."""
    lines: list[list[Part]] = [
        [("block  ", "bold error"), target_words(target), (f"  for {request.hours:g} h", "muted")]
        for target in request.block
    ]
    lines += _runs("stop", request.stop, "not undone by an undo")
    lines += _runs("pause", request.pause, "resumed by an undo")
    lines += [[("reason ", "muted"), request.reason]] if request.reason else []
    return lines


def response_words(response: Response) -> list[Part]:
    """Return a response on one line."""
    request = response.request
    counts = {"blocked": len(request.block), "stopped": len(request.stop), "paused": len(request.pause)}
    words = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    state: Part = ("undone", "muted") if response.undone else ("done", "bold warning")
    return [response.id, "  ", state, f"  {words}  ", (f"{response.at:%Y-%m-%d %H:%M}", "muted"),
            (" by ", "muted"), response.by]  # fmt: skip


def block_words(block: Block) -> list[Part]:
    """Return a block on one line: what it forbids, and until when."""
    target = BlockTarget(kind=block.kind, value=block.value)
    return [block.id, "  ", (target_words(target), "bold"),
            (f"  until {block.until:%Y-%m-%d %H:%M} UTC by ", "muted"), block.by]  # fmt: skip


def _runs(what: str, runs: tuple[str, ...], note: str) -> list[list[Part]]:
    lines: list[list[Part]] = [[(f"{what:<6} ", "bold error"), run, (f"  {note}", "muted")] for run in runs]
    more = len(lines) - LISTED
    return [*lines[:LISTED], [(f"       and {more} more", "muted")]] if more > 0 else lines

"""What a run was doing at one moment, as paragraphs."""

from __future__ import annotations

from collections.abc import Iterable

from console.run.effects import surprise_paragraph
from console.safety.text import Part
from engine.common.effects.effect_lines import effect_line
from engine.common.snapshot_lines import headline, open_line, process_line, process_tree, stack_title
from engine.common.text import Untrusted
from engine.models.observed import EffectMatch, ObservedEffect
from engine.models.snapshot import KernelSnapshot, RunSnapshot


def look_paragraphs(seen: RunSnapshot, surprises: list[EffectMatch], why: Untrusted) -> list[list[Part]]:
    """Return everything that is known of a run at one moment."""
    lines: list[list[Part]] = [[(headline(seen), "bold warning" if seen.paused else "bold")]]
    if why and seen.paused:
        lines.append([("paused by the policy: ", "bold error"), why])
    lines += [surprise_paragraph(one) for one in surprises]
    if seen.kernel is None:
        lines += [[], [("Not observed: ", "bold warning"), (seen.unobserved, "warning")]]
    else:
        lines += _kernel_paragraphs(seen.kernel)
    if seen.stack:
        lines += [[], [(stack_title(seen), "bold muted")]]
        lines += [[Untrusted(line)] for line in seen.stack.text.splitlines()]
    return lines


def _kernel_paragraphs(kernel: KernelSnapshot) -> list[list[Part]]:
    lines: list[list[Part]] = [[], [("Processes, and what they have open", "bold muted")]]
    for depth, one in process_tree(kernel.processes):
        indent = "  " * depth
        lines.append([(f"{indent}{process_line(one)}", "muted" if one.helper else "bold")])
        lines += [[f"{indent}    ", open_line(each)] for each in one.open]
        lines += [[(f"{indent}    {one.not_named:,} more", "muted")]] if one.not_named else []
    if kernel.not_listed:
        lines.append([(f"{kernel.not_listed:,} more processes", "muted")])
    lines += _effect_paragraphs("Written so far", kernel.written)
    return lines + _effect_paragraphs("Last effects, the newest first", kernel.last[::-1])


def _effect_paragraphs(title: str, effects: Iterable[ObservedEffect]) -> list[list[Part]]:
    rows: list[list[Part]] = [[(effect_line(one), "muted" if one.routine else "")] for one in effects]
    return [[], [(title, "bold muted")], *(rows or [[("none", "muted")]])]

"""The hook as its settings name it, before anything large is imported."""

from __future__ import annotations


def quick_hook(words: list[str]) -> int | None:
    """Run the hook and return its exit code; None where the words are not those of the settings."""
    from engine.hooks.clients import AGENTS  # noqa: PLC0415
    from engine.hooks.hook import Otherwise, run_hook  # noqa: PLC0415

    match words:
        case [name, "--otherwise", otherwise] if name in AGENTS and otherwise in list(Otherwise):
            return run_hook(name, otherwise)
    return None

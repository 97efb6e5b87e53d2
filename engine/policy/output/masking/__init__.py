"""Masks what looks like a secret in text that goes back to an agent. Pure, and linear in the text.

Against accidents, not against code that hides what it prints: whoever may run code with a secret can spell it
otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.policy.output.masking.assignments import assignments
from engine.policy.output.masking.encodings import decoded, views
from engine.policy.output.masking.formats import known_formats
from engine.policy.output.masking.shapes import shaped
from engine.policy.output.masking.spans import MaskedSpan, joined, masked

MOST_DECODED = 2
"""How deep base64 and hexadecimal are decoded: base64 of base64."""


def mask_secrets(text: str) -> str:
    """Return a text with everything that looks like a secret replaced by what kind of secret it is."""
    return masked(text, secrets(text))


def mask_beginning(text: str, most: int) -> str:
    """Return the first `most` characters of a text masked; a secret that reaches beyond them is masked whole.

    `text` has to go on for as long as a secret may be, where there is more of it.
    """
    found = [span for span in joined(secrets(text)) if span.start < most]
    end = max([most, *(span.end for span in found)])
    return masked(text[:end], found)


def secrets(text: str, depth: int = 0) -> list[MaskedSpan]:
    """Return where secrets are in a text, as printed, escaped or encoded."""
    return list(_secrets(text, depth))


def _secrets(text: str, depth: int) -> Iterator[MaskedSpan]:
    for view in views(text):
        for finder in (known_formats, shaped, assignments):
            for span in finder(view.text):
                yield MaskedSpan(view.place(span.start), view.place(span.end), span.kind, span.weight)
        if depth < MOST_DECODED:
            for start, end, plain in decoded(view.text):
                if inner := secrets(plain, depth + 1):
                    yield MaskedSpan(view.place(start), view.place(end), f"{inner[0].kind}, encoded", 0)

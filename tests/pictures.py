"""Pictures of the console: the frame as SVG without anything fetched from elsewhere, and as PNG."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import resvg_py
from textual.app import App

_FONT_FACE = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def svg(app: App[Any], title: str) -> str:
    """Return the frame that is on screen."""
    text = _FONT_FACE.sub("", app.export_screenshot(title=title))
    text = text.replace("font-family: Fira Code, monospace", "font-family: DejaVu Sans Mono, monospace")
    text = text.replace("<svg ", '<svg xml:space="preserve" ', 1)
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def save(app: App[Any], path: Path, title: str = "Pratique") -> None:
    """Write `path` with the suffixes `.svg` and `.png`."""
    text = svg(app, title)
    path.with_suffix(".svg").write_text(text, encoding="utf-8")
    picture = resvg_py.svg_to_bytes(svg_string=text, monospace_family="DejaVu Sans Mono")
    path.with_suffix(".png").write_bytes(bytes(picture))

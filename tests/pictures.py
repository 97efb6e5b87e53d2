"""Pictures of the console: the frame as SVG without anything fetched from elsewhere, and as PNG."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import resvg_py
from textual.app import App

_FONT_FACE = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)

_VIEW = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')


def svg(app: App[Any], title: str) -> str:
    """Return the frame that is on screen."""
    text = _FONT_FACE.sub("", app.export_screenshot(title=title))
    text = text.replace("font-family: Fira Code, monospace", "font-family: DejaVu Sans Mono, monospace")
    text = text.replace("<svg ", '<svg xml:space="preserve" ', 1)
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def save(app: App[Any], path: Path, title: str = "Pratique") -> None:
    """Write `path` with the suffixes `.svg` and `.png`."""
    _write(svg(app, title), path)


def save_together(rows: Sequence[Sequence[str]], path: Path) -> None:
    """Write frames of the same size as one picture, in rows."""
    width, height = _size(rows[0][0])
    parts = [
        frame.replace("<svg ", f'<svg x="{x * width}" y="{y * height}" width="{width}" height="{height}" ', 1)
        for y, row in enumerate(rows)
        for x, frame in enumerate(row)
    ]
    whole = f'viewBox="0 0 {width * len(rows[0])} {height * len(rows)}"'
    _write(f'<svg {whole} xmlns="http://www.w3.org/2000/svg">\n{"".join(parts)}</svg>\n', path)


def _size(frame: str) -> tuple[float, float]:
    found = _VIEW.search(frame)
    assert found, "a frame says how large it is"
    return float(found[1]), float(found[2])


def _write(text: str, path: Path) -> None:
    path.with_suffix(".svg").write_text(text, encoding="utf-8")
    picture = resvg_py.svg_to_bytes(svg_string=text, monospace_family="DejaVu Sans Mono")
    path.with_suffix(".png").write_bytes(bytes(picture))

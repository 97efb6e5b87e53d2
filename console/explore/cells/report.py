"""A notebook as an HTML page: every text is escaped, nothing in it runs, and it loads nothing. Pure."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Iterator, Mapping, Sequence

from console.explore.cells.results import PICTURE, TABLE, CellResult, Shown
from console.explore.cells.script import Cell, CellKind
from console.safety.text import visible_text
from engine.common.text import Untrusted

PNG = b"\x89PNG\r\n\x1a\n"
MOST_ROWS = 1_000
STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1c1e21}"
    "pre{font:13px/1.45 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;margin:.4rem 0}"
    ".code{background:#f3f4f6;border-left:3px solid #4666d5;padding:.6rem .8rem}"
    ".err{color:#9b1c1c}.how{color:#666;font-size:12px}img{max-width:100%}"
    "table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.1rem .5rem;text-align:right}"
)
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def page(title: str, cells: Sequence[Cell], results: Mapping[int, CellResult]) -> str:
    """Return the page."""
    parts = [_cell(cell, results.get(index)) for index, cell in enumerate(cells)]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{html.escape(POLICY)}">'
        f"<title>{_safe(title)}</title><style>{STYLE}</style></head>\n<body><h1>{_safe(title)}</h1>\n"
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def _cell(cell: Cell, result: CellResult | None) -> str:
    title = f"<h2>{_safe(cell.title)}</h2>" if cell.title else ""
    if cell.kind is not CellKind.CODE:
        return f"<section>{title}<pre>{_safe(cell.source)}</pre></section>"
    output = "".join(_output(result)) if result else ""
    return f'<section>{title}<pre class="code">{_safe(cell.source)}</pre>{output}</section>'


def _output(result: CellResult) -> Iterator[str]:
    if result.stdout:
        yield f"<pre>{_safe(result.stdout)}</pre>"
    if result.stderr:
        yield f'<pre class="err">{_safe(result.stderr)}</pre>'
    for shown in result.shown:
        yield _shown(shown)
    if result.status:
        edited = "; the cell was edited since" if result.stale else ""
        yield f'<div class="how">{_safe(result.status + edited)}</div>'


def _shown(shown: Shown) -> str:
    if shown.mime == PICTURE and shown.data.startswith(PNG):
        return f'<img alt="" src="data:image/png;base64,{base64.b64encode(shown.data).decode()}">'
    rows = _rows(shown.text) if shown.mime == TABLE else None
    return f"<pre>{_safe(shown.text)}</pre>" if rows is None else f"<table>{rows}</table>"


def _rows(text: Untrusted) -> str | None:
    """Return the rows of a table; None where it is none."""
    try:
        found = json.loads(text.text)
        heads, rows = list(found["columns"]), [list(row) for row in found["rows"][:MOST_ROWS]]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    head = "".join(f"<th>{_safe(str(each))}</th>" for each in heads)
    body = ("".join(f"<td>{_safe(str(each))}</td>" for each in row) for row in rows)
    return f"<tr>{head}</tr>" + "".join(f"<tr>{row}</tr>" for row in body)


def _safe(text: str | Untrusted) -> str:
    return html.escape(visible_text(text, keep="\n\t"))

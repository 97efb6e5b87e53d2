"""Exports the selected submissions: a table, their events, or their case files. Recorded by the engine."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import Sequence

from console.run.saving import save_bytes
from engine.client.client import Client
from engine.common.errors import Problem
from engine.history.exports.tables import comma_separated, jsonl
from engine.models import Summary

FORMATS = (".csv", ".jsonl", ".zip")


async def export(client: Client, chosen: Sequence[Summary], name: str) -> int:
    """Write the submissions to a new file, by its ending: csv, jsonl or zip; return its size.

    Raises:
        Problem: it has another ending, the file exists, or something of it was erased.
    """
    kind = next((ending for ending in FORMATS if name.endswith(ending)), "")
    if not kind:
        raise Problem(422, "the name ends in .csv (a table), .jsonl (events) or .zip (case files)")
    data = await _content(client, chosen, kind)
    if kind != ".zip":
        what = ",".join(each.id for each in chosen)
        await client.history.record_export(f"id:{what}"[:1000], kind[1:], len(chosen))
    return await asyncio.to_thread(save_bytes, data, name)


async def _content(client: Client, chosen: Sequence[Summary], kind: str) -> bytes:
    if kind == ".csv":
        return "".join(comma_separated(chosen)).encode()
    if kind == ".jsonl":
        events = [event for each in chosen for event in await client.history.events(each.id)]
        return "".join(jsonl(events)).encode()
    files = {f"{each.id}.zip": await client.history.case_file(each.id) for each in chosen}
    return await asyncio.to_thread(_packed, files)


def _packed(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()

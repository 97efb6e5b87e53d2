"""The history over HTTP: counted, searched by role, read again with its progress, and who did so."""

from __future__ import annotations

import asyncio
import contextlib
import io
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Draft, Language


def draft(code: str) -> Draft:
    """Return a draft that waits."""
    return Draft(code=Untrusted(code), language=Language.PYTHON)


async def test_counts_and_figures_are_of_what_matches(client: Client) -> None:
    """Facets follow the filter; trends know who asked."""
    made = await client.submit(draft("print('counted')"))
    await client.decide(made.submission.id, DecisionOutcome.DENIED, made.submission.digest)
    counts = await client.history.facets("id:" + made.submission.id)
    figures = await client.history.trends(1)
    assert (1, True) == (counts.total, counts.exact)
    assert figures.submissions >= 1
    assert figures.busiest


async def test_a_wrong_filter_is_pointed_at(client: Client) -> None:
    """Help says where and how a filter is wrong, and what its last word may become."""
    assert ("risk:",) == (await client.history.filter_help("ri")).completions
    wrong = await client.history.filter_help("risk:hihg")
    assert (5, "Did you mean high?") == (wrong.position, wrong.hint)


async def test_reading_again_tells_how_far_it_is(client: Client) -> None:
    """The last line says what was found; the reading and its reader are in the history."""
    async with contextlib.aclosing(client.history.verify_with_progress(resume=True)) as steps:
        told = [step async for step in steps]
    assert told[-1].found
    assert told[-1].found.intact


async def test_a_case_file_over_http_proves_itself_and_is_recorded(client: Client, tmp_path: Path) -> None:
    """What comes out of the door is checked by the program in it; of what is not there, nothing comes."""
    made = await client.submit(draft("print('taken')"))
    denied = await client.decide(made.submission.id, DecisionOutcome.DENIED, made.submission.digest)
    assert denied.decision is not None
    assert denied.decision.signature is not None
    reviewer = f"{denied.decision.by.name.text}={denied.decision.signature.key}"
    keys = ["--key", "public_key.pem", "--reviewer-key", reviewer]
    with zipfile.ZipFile(io.BytesIO(await client.history.case_file(made.submission.id))) as archive:
        archive.extractall(tmp_path)
    checked = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "verify.py", *keys],
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
    )
    assert 0 == checked.returncode, checked.stdout
    async with asyncio.timeout(60), contextlib.aclosing(client.events(0)) as events:
        async for event in events:
            if event.type == "history.exported" and event.data["what"] == made.submission.id:
                break
    with pytest.raises(Problem, match="no submission"):
        await client.history.case_file("s-none")


async def test_who_looks_and_who_exports_is_recorded_once(client: Client) -> None:
    """Opening a trail twice is one look."""
    id = (await client.submit(draft("print('seen')"))).submission.id
    await client.history.events(id)
    await client.history.events(id)
    assert 1 == [event.type for event in await client.history.events(id)].count("history.viewed")
    await client.history.record_export("risk:high", "csv", 3)

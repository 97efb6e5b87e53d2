"""Folders of code: what they stand for, and what is refused in them."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.client.client import Client
from engine.common.draft_files import MOST_ASKED, MOST_FILES, read_draft, read_folder
from engine.common.errors import Problem
from engine.models import DecisionOutcome, Language
from tests.engine_process import EngineProcess

ASKED = "purpose: count\npermissions:\n  limits: {memory_mb: 128}\n"


def folder(path: Path, **files: str | bytes) -> Path:
    """Make a folder of files; `_` in a name stands for a dot."""
    path.mkdir()
    for name, content in files.items():
        body = content.encode() if isinstance(content, str) else content
        (path / name.replace("_", ".")).write_bytes(body)
    return path


def test_a_folder_is_code_a_request_and_input_files(tmp_path: Path) -> None:
    """`main.js` runs, `request.yaml` asks, and everything else is handed in."""
    job = folder(tmp_path / "job", main_js="1", request_yaml=ASKED, b_csv=b"\xff\x00", a_txt="a")
    draft = read_folder(job, 1000)
    assert (Language.JAVASCRIPT, "1", "count") == (draft.language, draft.code.text, draft.purpose.text)
    assert 128 == draft.permissions.limits.memory_mb
    assert [("a.txt", b"a"), ("b.csv", b"\xff\x00")] == [
        (file.name.text, file.content) for file in draft.files
    ]


@pytest.mark.parametrize(
    ("said", "files"),
    [
        ("0 main files", {"a_py": "1"}),
        ("2 main files", {"main_py": "1", "main_js": "1"}),
        ("not UTF-8", {"main_py": b"\xff"}),
        ("memory: Extra inputs", {"main_py": "1", "request_yaml": "memory: 1"}),
        ("memory_mb", {"main_py": "1", "request_yaml": "permissions: {limits: {memory_mb: -1}}"}),
        ("not YAML", {"main_py": "1", "request_yaml": "a: [}"}),
        ("is not read here", {"main_py": "1", "request_yaml": "!!python/object/apply:os.system [id]"}),
        ("is not read here", {"main_py": "1", "request_yaml": "purpose: 2001-99-99"}),
        ("is no value", {"main_py": "1", "request_yaml": "purpose: !!int a"}),
        ("nested too deeply", {"main_py": "1", "request_yaml": "[" * 900}),
        ("anchors", {"main_py": "1", "request_yaml": "permissions: {domains: [&a a.example, *a]}"}),
        ("occurs twice", {"main_py": "1", "request_yaml": "purpose: a\npurpose: b"}),
        ("is over", {"main_py": "1" * 600, "a_txt": "2" * 600}),
    ],
)
def test_a_folder_that_is_no_submission_is_refused_in_words(
    said: str, files: dict[str, str | bytes], tmp_path: Path
) -> None:
    """No main file or two, text that is none, a request that says what nobody knows, too much."""
    with pytest.raises(Problem, match=said):
        read_folder(folder(tmp_path / "job", **files), 1000)


def test_a_hostile_name_is_shown_and_not_obeyed(tmp_path: Path) -> None:
    """What is wrong with a file is told without the escapes of its name."""
    for name, content in (("\x1b]0;x\x07.txt", b"1"), ("\x1b[2J.py", b"\xff")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(Problem) as told:
            read_draft(tmp_path / name, 1000)
        assert str(told.value).isprintable()


def link(path: Path) -> None:
    """Make a link that leads out."""
    path.symlink_to("/etc/hostname")


def test_nothing_in_a_folder_leads_out_of_it(tmp_path: Path) -> None:
    """Links, FIFOs, folders and hostile names inside are refused; so is a link to a folder."""
    job = folder(tmp_path / "job", main_py="1")
    (tmp_path / "link").symlink_to(job)
    tries: dict[str, Callable[[Path], object]] = {
        "link": link,
        "fifo": os.mkfifo,
        "deeper": Path.mkdir,
        "\u202etxt.exe": Path.touch,
        os.fsdecode(b"\xff"): Path.touch,
    }
    for name, make in tries.items():
        make(job / name)
        with pytest.raises(Problem):
            read_folder(job, 1000)
        (job / name).rmdir() if (job / name).is_dir() else (job / name).unlink()
    with pytest.raises(Problem, match="cannot be read"):
        read_folder(tmp_path / "link", 1000)
    assert "1" == read_folder(job, 1000).code.text


def test_a_folder_has_a_bounded_number_of_files(tmp_path: Path) -> None:
    """A folder of very many files is refused before any is read."""
    job = folder(tmp_path / "job", main_py="1", **{f"f{n}": "" for n in range(MOST_FILES)})
    with pytest.raises(Problem, match=f"over {MOST_FILES} files"):
        read_folder(job, 1000)


def test_a_request_is_bounded(tmp_path: Path) -> None:
    """YAML that would take minutes to read is not read."""
    job = folder(tmp_path / "job", main_py="1", request_yaml="#" * (MOST_ASKED + 1))
    with pytest.raises(Problem, match=f"over {MOST_ASKED} bytes"):
        read_folder(job, 10 * MOST_ASKED)


async def test_a_dropped_folder_waits_until_it_is_whole(engine: EngineProcess, client: Client) -> None:
    """A folder without its main file is not taken; with it, it is, once, and told how it ended."""
    job = folder(engine.home / "inbox" / "job", data_csv="1,2")
    await asyncio.to_thread((job / "main.py").write_text, "print(open('data.csv').read())")
    async with asyncio.timeout(30):
        while not (queue := await client.queue()):
            await asyncio.sleep(0.05)
        case = await client.case(queue[0].id)
        assert ["data.csv"] == [file.name.text for file in case.submission.draft.files]
        await client.decide(case.submission.id, DecisionOutcome.DENIED, case.submission.digest, "no")
        result = engine.home / "inbox" / "job.result.json"
        while not result.exists():
            await asyncio.sleep(0.05)
    assert "denied" == json.loads(result.read_text())["status"]
    assert () == await client.queue()

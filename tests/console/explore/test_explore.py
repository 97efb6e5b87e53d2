"""Explore: what is asked for, what was tried, a file that is followed, and the loop of edit and run."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.widgets import Input

from console.app.app import ConsoleApp
from console.explore import request_fields, run_follow, snippets
from console.explore.editor import Editor
from console.explore.open_file import OpenScreen, matching
from console.explore.request_fields import RequestOptions
from console.explore.snippets import SavedSnippet
from console.run.artifacts import ArtifactsScreen
from console.run.output_log import OutputLog
from engine.client.client import Client
from engine.common.text import Untrusted
from engine.models import (
    Display,
    Draft,
    ExpectedOutput,
    Language,
    Limits,
    Package,
    Permissions,
    Status,
)
from tests.console.safety.test_hostile_frames import plain
from tests.console.support.fake_engine import FakeEngine, case, chunk
from tests.console.support.harness import QUICK, frame, open_console, press, until
from tests.engine_process import EngineProcess


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty home of the program."""
    home = tmp_path / "home"
    monkeypatch.setenv("PRATIQUE_HOME", str(home))
    return home


def test_what_is_typed_is_asked_for() -> None:
    """Each line of the form becomes what it names."""
    lines = {"domains": "a.example, b.example:443", "packages": "numpy==2.1.0@sha256:ab@sha512-c==, x@1 from https://r.example",
             "builds": "x", "secrets": "TOKEN", "paths": "~/a.csv,b.txt", "memory_mb": "256", "cpus": "1.5",
             "image": "science", "expect": "number", "verify": "value == 4"}  # fmt: skip
    packages = (
        Package(name=Untrusted("numpy"), version=Untrusted("2.1.0"), hashes=("sha256:ab", "sha512-c==")),
        Package(name=Untrusted("x"), version=Untrusted("1"), registry=Untrusted("https://r.example")),
    )
    domains = (Untrusted("a.example"), Untrusted("b.example:443"))
    asked = Permissions(domains=domains, packages=packages, builds=(Untrusted("x"),),
                         secrets=(Untrusted("TOKEN"),), limits=Limits(memory_mb=256, cpus=1.5))  # fmt: skip
    wanted = RequestOptions(asked, ("~/a.csv", "b.txt"), "science", ExpectedOutput.NUMBER, "value == 4")
    assert wanted == request_fields.from_fields(lines)
    assert 10 == wanted.count


def test_everything_that_a_draft_can_ask_for_has_a_line() -> None:
    """No capability, limit or wish of a draft is left out of the form, but what has keys of its own."""
    asked = {*Permissions.model_fields, *Limits.model_fields, *Draft.model_fields}
    elsewhere = {
        "limits",
        "session",
        "files",
        "code",
        "language",
        "purpose",
        "permissions",
        "operation",
        "revises",
        "replies",
    }
    assert asked - elsewhere == set(request_fields.FIELDS) - {"paths"}


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ({"packages": "numpy"}, "Packages: numpy: expected a name and a version"),
        ({"packages": "numpy=="}, "Packages: numpy==: expected a name and a version"),
        ({"memory_mb": "lots"}, "Memory, MiB: "),
        ({"memory_mb": "1"}, "Memory, MiB: "),
        ({"cpus": "0"}, "CPU, cores: "),
        ({"seconds": "nan"}, "Time, s: "),
        ({"image": "No Image"}, "Image: "),
        ({"expect": "beauty"}, "Output format: "),
        ({"verify": "x" * 999}, "Output assertion: "),
    ],
)
def test_a_wrong_line_is_named(lines: dict[str, str], said: str) -> None:
    """What cannot be understood is a sentence that begins with the line's label."""
    with pytest.raises(ValueError, match=f"^{said}"):
        request_fields.from_fields(lines)


@given(st.dictionaries(st.sampled_from(sorted(request_fields.FIELDS)), st.text(max_size=30)))
def test_lines_are_understood_or_refused_in_words(lines: dict[str, str]) -> None:
    """Whatever is typed is understood as what reads back as itself, or is a ValueError."""
    with suppress(ValueError):
        asked = request_fields.from_fields(lines)
        assert asked == request_fields.from_fields(request_fields.to_fields(asked))


def test_input_files_are_read_or_named(tmp_path: Path) -> None:
    """A file that is there is read; one that is not is named; two of one name are refused."""
    (tmp_path / "a.csv").write_bytes(b"1,2")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.csv").write_bytes(b"3")
    assert [b"1,2"] == [each.content for each in request_fields.read((str(tmp_path / "a.csv"),))]
    with pytest.raises(ValueError, match=r"none\.csv cannot be read"):
        request_fields.read((str(tmp_path / "none.csv"),))
    with pytest.raises(ValueError, match="same name"):
        request_fields.read((str(tmp_path / "a.csv"), str(tmp_path / "deep" / "a.csv")))


def snippet(code: str) -> SavedSnippet:
    """Return a snippet of Python."""
    return SavedSnippet(at=datetime.now(UTC), language=Language.PYTHON, code=Untrusted(code))


def test_snippets_are_kept_once_in_order_bounded_and_private(own_home: Path) -> None:
    """The newest is first, the same code is kept once, only so many are kept, for the owner alone."""
    for number in range(snippets.KEPT + 5):
        snippets.save(snippet(str(number)))
    snippets.save(snippet("100"))
    kept = [each.code.text for each in snippets.load()]
    assert ["100", str(snippets.KEPT + 4)] == kept[:2]
    assert snippets.KEPT == len(kept) == len(set(kept))
    assert 0o600 == snippets.file().stat().st_mode & 0o777


def test_a_broken_line_among_the_snippets_loses_no_other(own_home: Path) -> None:
    """What cannot be read is left out."""
    snippets.save(snippet("1"))
    with snippets.file().open("a") as file:
        file.write("{\n")
    snippets.save(snippet("2"))
    assert ["2", "1"] == [each.code.text for each in snippets.load()]


def test_a_folder_is_listed_folders_first(tmp_path: Path) -> None:
    """Only names that begin as was typed are listed, hidden ones when asked for."""
    for name in ("b.py", "a.py", ".hidden", "c.txt"):
        (tmp_path / name).touch()
    (tmp_path / "bin").mkdir()
    assert [(True, "bin"), (False, "a.py"), (False, "b.py"), (False, "c.txt")] == matching(tmp_path, "")
    assert [(True, "bin"), (False, "b.py")] == matching(tmp_path, "b")
    assert [(False, ".hidden")] == matching(tmp_path, ".h")
    assert [] == matching(tmp_path / "none", "")


async def test_what_the_form_says_is_handed_in(own_home: Path, tmp_path: Path) -> None:
    """Domains, packages, limits and files of the form are in the draft; a wrong form stays open."""
    (tmp_path / "a.csv").write_bytes(b"1,2")
    engine = FakeEngine()
    async with open_console(engine) as (app, pilot):
        await press(pilot, "3", "x", "ctrl+n")
        await until(pilot, lambda: app.screen.is_modal)
        app.screen.query_one("#packages", Input).value = "numpy"
        await press(pilot, "enter")
        await until(pilot, lambda: "expected a name and a version" in frame(app))
        app.screen.query_one("#packages", Input).value = "numpy==2.1.0"
        app.screen.query_one("#paths", Input).value = str(tmp_path / "a.csv")
        app.screen.query_one("#builds", Input).value = "numpy"
        app.screen.query_one("#expect", Input).value = "json"
        await press(pilot, "enter")
        await until(pilot, lambda: "3 extra permissions" in frame(app))
        await press(pilot, "ctrl+r")
        await until(pilot, lambda: bool(engine.submitted))
        draft = engine.submitted[0]
        assert ["numpy"] == [each.name.text for each in draft.permissions.packages]
        assert ["numpy"] == [each.text for each in draft.permissions.builds]
        assert ExpectedOutput.JSON is draft.expect
        assert [("a.csv", b"1,2")] == [(each.name.text, each.content) for each in draft.files]


async def test_a_file_is_followed_and_run_on_save(own_home: Path, tmp_path: Path) -> None:
    """A saved file is in the editor; with ctrl+s it is handed in at every save; ctrl+e lets it be edited."""
    path = tmp_path / "work.js"
    path.write_text("let a = 1\n", encoding="utf-8")
    engine = FakeEngine()
    async with open_console(engine) as (app, pilot):
        await press(pilot, "3", "ctrl+o")
        await until(pilot, lambda: isinstance(app.screen, OpenScreen))
        app.screen.query_one(Input).value = str(tmp_path / "wo")
        await press(pilot, "enter")
        editor = app.get_screen_stack("explore")[0].query_one(Editor)
        await until(pilot, lambda: editor.text == "let a = 1\n")
        assert Language.JAVASCRIPT is editor.code_language
        await press(pilot, "ctrl+s")
        path.write_text("let a = 2\n", encoding="utf-8")
        await until(pilot, lambda: [each.code.text for each in engine.submitted] == ["let a = 2\n"], 60)
        await press(pilot, "escape", "ctrl+e", "x")
        await until(pilot, lambda: "x" in editor.text)


async def test_what_was_tried_comes_back(own_home: Path) -> None:
    """Code that was handed in can be chosen again, with its language; what it replaces can be, too."""
    snippets.save(snippet("print('old')"))
    async with open_console(FakeEngine()) as (app, pilot):
        await press(pilot, "3", "n", "e", "w", "ctrl+t")
        await until(pilot, lambda: "print('old')" in frame(app))
        await press(pilot, "enter")
        await until(pilot, lambda: not app.screen.is_modal)
        await until(pilot, lambda: "print('old')" == app.screen.query_one(Editor).text)
        assert ["new", "print('old')"] == [each.code.text for each in snippets.load()]


async def test_edit_run_and_see_again_and_again(own_home: Path) -> None:
    """A developer edits, runs, reads, edits and runs: each run's output replaces the one before."""
    engine = FakeEngine()
    engine.written = {f"s-{number}": [chunk(f"answer {number}\n")] for number in range(3)}
    async with open_console(engine) as (app, pilot):
        await press(pilot, "3")
        editor = app.screen.query_one(Editor)
        for number in range(3):
            editor.text = f"print({number})"
            await press(pilot, "ctrl+r")
            await until(pilot, lambda number=number: len(engine.submitted) == number + 1)  # type: ignore[misc]
            await until(pilot, lambda: "exit 0" in frame(app))
        assert [f"print({number})" for number in range(3)] == [each.code.text for each in engine.submitted]
        assert ["answer 2"] == app.screen.query_one(OutputLog).lines()


async def test_what_a_notebook_shows_is_seen_while_it_runs(own_home: Path) -> None:
    """A value that was shown is below the code before the run has ended."""
    engine = FakeEngine()
    engine.hold.add("s-0")
    async with open_console(engine) as (app, pilot):
        await press(pilot, "3")
        app.screen.query_one(Editor).text = "value"
        await press(pilot, "ctrl+r")
        await until(pilot, lambda: "s-0" in frame(app))
        shown = Display(mime="text/plain", text=Untrusted("forty-two"))
        engine.put(engine.cases["s-0"].model_copy(update={"displays": (shown,)}), "run.display")
        await until(pilot, lambda: "→ forty-two" in plain(app))


@pytest.mark.parametrize("status", list(Status))
def test_an_output_that_is_empty_says_why(status: Status) -> None:
    """Where nothing is printed stands why, in one line of a narrow pane."""
    hint = run_follow.output_hint(case("s-1", "print(1)").model_copy(update={"status": status}))
    assert "It runs once it is approved in 1 Review." == hint or status is not Status.PENDING
    assert 0 < len(hint) < 48


@pytest.mark.sandbox
async def test_a_sandbox_keeps_its_state_between_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After ctrl+b what one run defines the next one has, by one key each; ctrl+b again ends it."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    process = EngineProcess(tmp_path)
    process.start()

    async def connect() -> Client:
        return process.client()

    app = ConsoleApp(connect, QUICK)
    try:
        async with app.run_test(size=(120, 36)) as pilot:
            await until(pilot, lambda: app.health is not None and app.health.can_run, 60)
            await press(pilot, "3", "ctrl+b")
            await until(pilot, lambda: "session ses-" in frame(app), 60)
            for code, said in (("x = 41", ""), ("print(x + 1)", "42")):
                app.screen.query_one(Editor).text = code
                await press(pilot, "ctrl+r")
                await until(pilot, lambda: "exit 0" in frame(app), 60)
                log = app.screen.query_one(OutputLog)
                await until(pilot, lambda said=said, log=log: said in "".join(log.lines()), 60)  # type: ignore[misc]
            app.screen.query_one(Editor).text = "open('left.txt', 'w').write('it was left')"
            await press(pilot, "ctrl+r")
            await until(pilot, lambda: "artifacts: " in frame(app), 60)
            await press(pilot, "f9")
            await until(pilot, lambda: isinstance(app.screen, ArtifactsScreen), 60)
            await press(pilot, "escape", "ctrl+b")
            await until(pilot, lambda: "session ses-" not in frame(app), 60)
    finally:
        process.end()

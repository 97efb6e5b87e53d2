"""`setup`, `doctor` and `image` say in a line what is missing, and are silent where nobody watches."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.cli.output.build_progress import build_line
from engine.images import Progress


def ask(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the program without a terminal."""
    return subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; from engine.cli import main; sys.exit(main(sys.argv[1:]))",
            *arguments,
        ],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def nowhere(tmp_path: Path) -> str:
    """Return a `DOCKER_HOST` at which nobody listens."""
    return f"unix://{tmp_path}/none.sock"


def test_doctor_without_docker_says_what_to_type(nowhere: str) -> None:
    """Each failing row has a hint, and the exit code is that of a problem."""
    done = ask("doctor", "--json", DOCKER_HOST=nowhere)
    rows = {check_row["name"]: check_row for check_row in map(json.loads, done.stdout.splitlines())}
    assert (5, {"docker", "gvisor", "images"}) == (
        done.returncode,
        {name for name, check_row in rows.items() if not check_row["ok"]},
    )
    assert all(bool(check_row["hint"]) != check_row["ok"] for check_row in rows.values())


def test_doctor_names_a_broken_setting(tmp_path: Path, nowhere: str) -> None:
    """A setting that nobody knows is named, with the file to mend."""
    path = tmp_path / "settings.yaml"
    path.write_text("sandbox: {colour: blue}\n")
    done = ask("doctor", DOCKER_HOST=nowhere, PRATIQUE_CONFIG_FILE=str(path))
    line = next(line for line in done.stdout.splitlines() if "settings" in line)
    assert f"FAILING settings  sandbox.colour: Extra inputs are not permitted. Edit {path}" == line


def test_setup_without_docker_is_two_lines_and_no_failure(nowhere: str) -> None:
    """Where Docker cannot be had, all else works; who needs more than that asks for `--strict`."""
    done = ask("setup", DOCKER_HOST=nowhere)
    assert [
        "FAILING docker    no Docker Engine is running at DOCKER_HOST. Type: unset DOCKER_HOST",
        "Code cannot run until this is fixed; everything else works.",
    ] == done.stdout.splitlines()
    assert (0, 5) == (done.returncode, ask("setup", "--strict", DOCKER_HOST=nowhere).returncode)


def test_unknown_image_is_one_line() -> None:
    """A wrong name is answered with the right ones."""
    done = ask("image", "build", "\x1b[31mperl")
    assert (5, "") == (done.returncode, done.stdout)
    assert (
        "pratique: no image ␛[31mperl. Use one of: node, notebook, python, python-data, shell\n"
        == done.stderr
    )


def test_progress_fits_its_line_and_steers_no_terminal() -> None:
    """What a package says while it is installed is shown, never obeyed."""
    line = build_line(
        Progress(image="node", step=3, steps=12, line="\x1b]0;gone\x07 Setting\nup " + "x" * 200), 60
    )
    assert "━━━━━─────────────── node 3/12 ␛]0;gone␇ Setting up xxxxxxx" == line
    assert 59 == len(line)


@pytest.mark.sandbox
def test_current_images_build_in_silence() -> None:
    """In a pipe, a build of what is current says what there is and nothing else."""
    done = ask("image", "build")
    assert (0, "") == (done.returncode, done.stderr)
    assert {"current"} == {line.split()[1] for line in done.stdout.splitlines()}


@pytest.mark.sandbox
def test_list_tells_digest_and_age() -> None:
    """Each image is listed with what a run records of it."""
    rows = [json.loads(line) for line in ask("image", "list", "--json").stdout.splitlines()]
    assert ["node", "notebook", "python", "python-data", "shell"] == [check_row["name"] for check_row in rows]
    assert all(check_row["digest"].startswith("sha256:") and check_row["current"] for check_row in rows)
    assert 5 == ask("image", "list").stdout.count(" old ")

"""The wheel holds all that the program needs: it works in an empty environment, away from the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[3]
SECONDS = 600


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, install it into an empty environment, and return the program."""
    folder = tmp_path_factory.mktemp("wheel")
    python = folder / "environment" / "bin" / "python"
    build = [sys.executable, "-m", "build", "--wheel", "--installer", "uv", "--outdir", str(folder)]
    subprocess.run([*build, str(CHECKOUT)], check=True, capture_output=True, timeout=SECONDS)
    uv = [sys.executable, "-m", "uv", "--quiet"]
    subprocess.run(
        [*uv, "venv", "--python", sys.executable, str(python.parents[1])], check=True, timeout=SECONDS
    )
    wheel = next(folder.glob("*.whl"))
    subprocess.run([*uv, "pip", "install", "--python", str(python), str(wheel)], check=True, timeout=SECONDS)
    return python.with_name("pratique")


def ask(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the installed program where there is no checkout."""
    folder = program.parents[2]
    return subprocess.run(
        [program, *arguments],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "PRATIQUE_HOME": str(folder / "home")},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


@pytest.mark.sandbox
def test_doctor_finds_all_well(program: Path) -> None:
    """The images that ship in the wheel are those of the checkout, so Docker has them as they should be."""
    done = ask(program, "doctor", "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert (0, []) == (done.returncode, [check_row for check_row in rows if not check_row["ok"]]), done.stderr
    sure = {"python", "settings", "state", "files", "engine", "docker", "gvisor", "images"}
    assert sure | {"network", "packages", "npm"} == {check_row["name"] for check_row in rows}


@pytest.mark.sandbox
def test_images_build_from_the_wheel(program: Path) -> None:
    """Nothing is built where the checkout built it before."""
    done = ask(program, "image", "build", "--json")
    built = {check_row["name"]: check_row["built"] for check_row in map(json.loads, done.stdout.splitlines())}
    assert dict.fromkeys(("node", "notebook", "python", "python-data", "shell"), False) == built, done.stderr


@pytest.mark.sandbox
def test_analysis_works_from_the_wheel(program: Path) -> None:
    """Rules and grammars are in the wheel and in what it depends on."""
    code = program.parents[2] / "nosy.py"
    code.write_text("import os\nos.system('id')\n")
    done = ask(program, "analyze", str(code))
    assert (0, True) == (done.returncode, "[py-process]" in done.stdout), done.stderr


@pytest.mark.sandbox
def test_benchmarks_come_with_the_source(program: Path) -> None:
    """What the wheel has not is said in a line."""
    done = ask(program, "bench")
    said = "benchmarks are part of the source, not of the package. Type in a checkout: make bench"
    assert f"pratique: {said}\n" == done.stderr
    assert "" == done.stdout

"""The light client in an environment of its own: what it brings, what it needs, the main job."""

from __future__ import annotations

import resource
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.engine_process import EngineProcess
from tests.packages.build import build_light_client
from tests.packages.light_client import ROOT, version, write_sources

MOST_BYTES = 5_000_000
MOST_IMPORT_SECONDS = 0.15
MYPY = """
[mypy]
plugins = pydantic.mypy

[mypy-pratique.integrations.*]
# The frameworks are not installed: what is made of their classes is checked in environments that have them.
disable_error_code = import-not-found
disallow_subclassing_any = False
disallow_untyped_decorators = False
"""
MAIN_JOB = """
import sys
from pathlib import Path
from pratique import DecisionOutcome, Draft, Language, SyncClient, Untrusted

with SyncClient(Path(sys.argv[1]), "stranger") as client:
    made = client.submit(Draft(code=Untrusted("print(6 * 7)"), language=Language.PYTHON)).submission
    client.decide(made.id, DecisionOutcome.APPROVED, made.digest)
    output = b"".join(chunk.data for chunk in client.output(made.id))
    print(client.case(made.id, within=60).status, output.decode().strip())
"""
ASYNCHRONOUS = """
import asyncio, sys
from pathlib import Path
from pratique import Client, Problem

async def main():
    async with Client(Path(sys.argv[1])) as client:
        try:
            await client.case("s-0")
        except Problem as problem:
            print(problem.status)

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel of the light client."""
    return next(each for each in build_light_client(tmp_path_factory.mktemp("dist")) if each.suffix == ".whl")


@pytest.fixture(scope="module")
def wheels(built: Path) -> Path:
    """Return a folder with the wheel and those of its dependencies."""
    folder = built.parent / "wheels"
    _run(
        sys.executable, "-m", "pip", "download", "-q", "--only-binary", ":all:", "-d", str(folder), str(built)
    )
    return folder


@pytest.fixture(scope="module")
def python(built: Path, wheels: Path) -> str:
    """Return the interpreter of a clean environment in which nothing but the wheel is installed."""
    environment = built.parent / "environment"
    _run(sys.executable, "-m", "uv", "venv", "-q", "-p", sys.executable, str(environment))
    python = str(environment / "bin" / "python")
    options = ["-q", "--offline", "--no-index", "--find-links", str(wheels)]
    _run(sys.executable, "-m", "uv", "pip", "install", "--python", python, *options, "pratique-client")
    return python


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False, cwd="/")
    assert 0 == done.returncode, done.stdout + done.stderr
    return done.stdout


def test_it_is_built_to_the_same_bytes(built: Path, tmp_path: Path) -> None:
    """Another build in another folder makes the same wheel and the same sdist."""
    again = {each.name: each.read_bytes() for each in build_light_client(tmp_path)}
    assert {each: (built.parent / each).read_bytes() for each in again} == again
    assert {f"pratique_client-{version()}.tar.gz", f"pratique_client-{version()}-py3-none-any.whl"} == set(
        again
    )


def test_it_installs_no_engine(built: Path) -> None:
    """Everything lies under `pratique`, with types; nothing is left that names the engine's packages."""
    with zipfile.ZipFile(built) as wheel:
        sources = {name: wheel.read(name) for name in wheel.namelist() if ".dist-info/" not in name}
    assert all(name.startswith("pratique/") for name in sources)
    assert "pratique/py.typed" in sources
    assert [] == [
        name for name, text in sources.items() if b"from engine" in text or b"import engine" in text
    ]


def test_all_of_it_is_a_small_download(wheels: Path) -> None:
    """The wheel and its dependencies are under 5 MB."""
    assert MOST_BYTES > sum(each.stat().st_size for each in wheels.iterdir())


def test_its_import_takes_little_time(python: str) -> None:
    """`import pratique` takes less than 150 ms of CPU: the best of five, as others run beside it."""
    assert MOST_IMPORT_SECONDS > min(_seconds(python, "import pratique") for _ in range(5))


def test_httpx_is_loaded_with_the_first_client() -> None:
    """Whoever imports the class does not wait for it: httpx takes longer than all the rest."""
    code = "import sys; from engine.client import {}; print('httpx' in sys.modules)"
    assert ["False", "False"] == [
        _run(sys.executable, "-c", code.format(name)).strip() for name in ("Client", "SyncClient")
    ]


def _seconds(python: str, code: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _run(python, "-c", code)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_its_public_names_are_there(python: str) -> None:
    """Each can be imported, and one that is not public cannot."""
    _run(python, "-c", "import pratique; [getattr(pratique, name) for name in pratique.__all__]")
    assert "False" == _run(python, "-c", "import pratique; print(hasattr(pratique, 'sock'))").strip()


@pytest.mark.parametrize("python_version", ["3.10", "3.14"])
def test_its_types_hold_in_every_python(tmp_path: Path, python_version: str) -> None:
    """`mypy --strict` finds no error in it, and nothing that the oldest or the newest Python lacks."""
    write_sources(tmp_path)
    command = [sys.executable, "-m", "mypy", "--strict", "--python-version", python_version]
    (tmp_path / "mypy.ini").write_text(MYPY)
    checked = subprocess.run(
        [*command, "--config-file", "mypy.ini", "-p", "pratique"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=230,
        check=False,
    )
    assert 0 == checked.returncode, checked.stdout + checked.stderr


def test_it_asks_an_engine_with_an_event_loop(python: str, engine: EngineProcess) -> None:
    """The engine answers, and what it refuses is a `Problem`."""
    assert "404" == _run(python, "-c", ASYNCHRONOUS, str(engine.socket)).strip()


@pytest.mark.sandbox
def test_it_submits_and_gets_the_result(python: str, engine: EngineProcess) -> None:
    """Submit, approve, read the output, and get the result: from the installed wheel alone."""
    assert "finished 42" == _run(python, "-c", MAIN_JOB, str(engine.socket)).strip()


def test_its_page_imports_nothing_else() -> None:
    """Every name that the page imports from `pratique` is public."""
    from engine import client  # noqa: PLC0415  the module under its own name

    page = (ROOT / "docs" / "client.md").read_text()
    lines = [line for line in page.splitlines() if line.startswith("from pratique import ")]
    names = {name.strip() for line in lines for name in line.partition("import ")[2].split(",")}
    assert names
    assert set() == names - set(client.__all__)

"""Runs tests against a mutant, in a fork of a process that has loaded all but what imports the module."""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.abc
import importlib.util
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

import pytest

PRELOADED = (
    "asyncio",
    "cryptography.hazmat.primitives.asymmetric.ed25519",
    "docker",
    "fastapi",
    "httpx",
    "hypothesis",
    "hypothesis.strategies",
    "pydantic",
    "pydantic_settings",
    "pytest_asyncio",
    "re2",
    "rfc8785",
    "sqlite3",
    "starlette.testclient",
    "tree_sitter",
    "tree_sitter_bash",
    "tree_sitter_javascript",
    "uvloop",
    "yaml",
    "zstandard",
)
"""What tests import beside the project: loaded once, before the first fork."""


class Outcome:
    """How a run of tests ended."""

    KILLED = "killed"
    SURVIVED = "survived"
    LATE = "late"


@dataclass(frozen=True)
class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads one module from another source than its file's."""

    name: str
    path: Path
    source: str

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Return a spec for the one module."""
        if fullname != self.name:
            return None
        below = [str(self.path.parent)] if self.path.name == "__init__.py" else None
        return importlib.util.spec_from_file_location(
            fullname, self.path, loader=self, submodule_search_locations=below
        )

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Leave the module to the import system."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Run the mutated source."""
        exec(compile(self.source, str(self.path), "exec"), vars(module))


@dataclass(frozen=True)
class _Hidden(importlib.abc.MetaPathFinder):
    """Lets nothing import one module."""

    name: str

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        """Refuse the one module."""
        if fullname == self.name:
            raise ImportError(fullname)


def preload() -> None:
    """Load what is not the project's, so that a fork starts at once."""
    for name in PRELOADED:
        importlib.import_module(name)
    for plugin in entry_points(group="pytest11"):
        plugin.load()


def preload_project(module: str, tests: Iterable[str]) -> None:
    """Load what the tests import and what does not import the module that is mutated."""
    hidden = _Hidden(_dotted(Path(module)))
    sys.meta_path.insert(0, hidden)
    for name in sorted(_imported_by(tests)):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    sys.meta_path.remove(hidden)
    for name in list(sys.modules):
        if name.startswith("engine.") and name.rpartition(".")[0] not in sys.modules:
            del sys.modules[name]  # its package could not be loaded without the module


def _imported_by(tests: Iterable[str]) -> set[str]:
    """Return the modules of the engine that test files and what prepares them import."""
    given = [Path(name) for name in tests]
    files = [file for path in given for file in (path.rglob("*.py") if path.is_dir() else [path])]
    files += [folder / "conftest.py" for path in given for folder in path.parents]
    nodes = (node for file in files if file.exists() for node in ast.walk(ast.parse(file.read_text("utf-8"))))
    names = (node.module or "" for node in nodes if isinstance(node, ast.ImportFrom))
    return {name for name in names if name.partition(".")[0] == "engine"}


def _dotted(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def run(path: Path, source: str, tests: Sequence[str], seconds: float) -> str:
    """Run tests with a module's source replaced; return how they ended."""
    child = os.fork()
    if child == 0:
        _run_in_child(path, source, tests)
    return _wait(child, time.monotonic() + seconds)


def _run_in_child(path: Path, source: str, tests: Sequence[str]) -> None:
    code = 3
    with contextlib.suppress(BaseException):
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        sys.meta_path.insert(0, _Finder(_dotted(path), path.resolve(), source))
        os.environ["PRATIQUE_HOME"] = tempfile.mkdtemp(prefix="pratique-mutant-")
        _search_without_shrinking()
        code = pytest.main([*_OPTIONS, *tests])
    os._exit(int(code))


_OPTIONS = (
    *("-x", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=0", "-m", "not sandbox and not terminal"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # plugins are loaded already
)


def _search_without_shrinking() -> None:
    """A killed mutant need not be explained: the first example that fails is enough. Slowness kills none."""
    from hypothesis import HealthCheck, Phase, settings  # noqa: PLC0415

    phases = (Phase.explicit, Phase.generate)
    settings.register_profile(
        "mutants", phases=phases, database=None, deadline=None, suppress_health_check=list(HealthCheck)
    )
    settings.load_profile("mutants")


def _wait(child: int, until: float) -> str:
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return Outcome.SURVIVED if os.waitstatus_to_exitcode(status) == 0 else Outcome.KILLED
        time.sleep(0.01)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return Outcome.LATE

"""What all tests share: their order, a home of their own, and Docker with gVisor or an honest failure."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile

import pytest

from engine import images
from engine.common.errors import Problem
from engine.setup import gvisor
from engine.setup.docker_engine import connect

WITHOUT = "PRATIQUE_TESTS_WITHOUT_SANDBOX"
_GROUPS = ("sandbox", "terminal")
_COLOURING = ("GITHUB_ACTIONS", "FORCE_COLOR", "PY_COLORS")
"""With one of these, the command line's help comes in colours even where no terminal is."""
_LEFT_OUT = pytest.StashKey[int]()
_HOME = pytest.StashKey[str]()
_DATA = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """Keep tests out of the user's state: what is not told otherwise lies in a folder that goes again."""
    config.stash[_LEFT_OUT] = 0
    for name in _COLOURING:
        os.environ.pop(name, None)
    if "PRATIQUE_HOME" not in os.environ:
        config.stash[_HOME] = os.environ["PRATIQUE_HOME"] = tempfile.mkdtemp(prefix="pratique-tests-")
    config.stash[_DATA] = os.environ["XDG_DATA_HOME"] = tempfile.mkdtemp(prefix="pratique-tests-data-")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run quick tests first, then those of the sandbox, then those in a terminal."""
    items.sort(key=_group)
    if os.environ.get(WITHOUT) != "1":
        return
    left_out = [item for item in items if item.get_closest_marker("sandbox")]
    items[:] = [item for item in items if not item.get_closest_marker("sandbox")]
    config.stash[_LEFT_OUT] = len(left_out)
    config.hook.pytest_deselected(items=left_out)


def _group(item: pytest.Item) -> int:
    return max((n for n, name in enumerate(_GROUPS, 1) if item.get_closest_marker(name)), default=0)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Say last how many tests were left out, and remove the tests' home."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter and config.stash.get(_LEFT_OUT, 0):
        reporter.write_line(f"{config.stash[_LEFT_OUT]} tests against the sandbox were left out: {WITHOUT}=1")
    if data := config.stash.get(_DATA, None):
        shutil.rmtree(data, ignore_errors=True)
        del os.environ["XDG_DATA_HOME"]
    if home := config.stash.get(_HOME, None):
        shutil.rmtree(home, ignore_errors=True)
        del os.environ["PRATIQUE_HOME"]


@pytest.fixture(scope="session")
def docker_ready() -> str:
    """Return "" where Docker answers, has runsc and every image is current; else what to type."""
    try:
        with contextlib.closing(connect()) as docker:
            if not gvisor.has_runsc(docker):
                return "Docker has no runtime runsc. Type: make setup"
            wanting = [image.name for image in images.list_images(docker) if not image.current]
            return f"images missing or changed: {', '.join(wanting)}. Type: make setup" if wanting else ""
    except Problem as problem:
        return str(problem)


@pytest.fixture(autouse=True)
def _needs_docker(request: pytest.FixtureRequest) -> None:
    """Fail, and never skip, a test against the sandbox where there is none."""
    if request.node.get_closest_marker("sandbox") is None:
        return
    if trouble := request.getfixturevalue("docker_ready"):
        pytest.fail(f"{trouble} (or leave these tests out: {WITHOUT}=1)", pytrace=False)

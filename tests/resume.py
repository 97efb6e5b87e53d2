"""A group of tests that can be continued: `--passed FILE` leaves out what passed, and notes what passes.

A process that hangs is ended (`faulthandler_exit_on_timeout`), and pytest's own cache learns nothing from it.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

_FAILED = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--passed", type=Path, help="leave out the tests in this file, and add those that pass")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what passed before."""
    file: Path | None = config.getoption("passed")
    passed = set(file.read_text(encoding="utf-8").split("\n")) if file and file.exists() else set()
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in passed])
    items[:] = [item for item in items if item.nodeid not in passed]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remember that the set-up, the test or what follows it failed."""
    report = yield
    item.stash[_FAILED] = item.stash.get(_FAILED, False) or report.failed
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, bool | None, bool | None]:
    """Note at once that a test passed: the next one may end this process."""
    item.stash[_FAILED] = False
    done = yield
    file: Path | None = item.config.getoption("passed")
    if file and not item.stash[_FAILED]:
        with file.open("a", encoding="utf-8") as passed:
            passed.write(f"{item.nodeid}\n")
    return done

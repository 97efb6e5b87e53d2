"""What the engine wants of a sandbox backend, tried on the real one by the names of its operations."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from engine.common.text import Untrusted
from engine.models import KillReason, Language, Package, Permissions
from engine.sandbox import Backend, BackendCapabilities, SandboxUnavailable
from engine.sandbox.run.unreviewed_sandboxes import OperationFailed, UnreviewedSandboxes
from engine.settings import SandboxSettings
from tests.sandboxes import containers_of, sandbox_manager

ENGINE = "test-backend"
SIX = Package(name=Untrusted("six"), version=Untrusted("1.17.0"))
ASKED = {
    "no network": Permissions(domains=(Untrusted("api.example.org"),)),
    "no secrets": Permissions(secrets=(Untrusted("key"),)),
    "no packages for python": Permissions(packages=(SIX,)),
    "no packages that run their own code during installation": Permissions(builds=(Untrusted("six"),)),
    "no sessions": Permissions(session=True),
}


@pytest.fixture
async def backend() -> AsyncIterator[Backend]:
    """The backend that ships, without a pool."""
    manager: Backend = sandbox_manager(SandboxSettings(pool=0, grace_seconds=0.5), ENGINE)
    await manager.start()
    yield manager
    await manager.close()
    assert [] == containers_of(ENGINE)


@pytest.mark.parametrize(("words", "wanted"), ASKED.items())
def test_what_a_backend_cannot_do_is_said_in_words(words: str, wanted: Permissions) -> None:
    """Whatever is not declared is lacking; what is declared is not."""
    bare = BackendCapabilities(languages=frozenset({Language.PYTHON}))
    able = BackendCapabilities(frozenset(Language), frozenset(Language), *[True] * 7)
    assert (words, "") == (bare.missing(Language.PYTHON, wanted), able.missing(Language.PYTHON, wanted))
    assert "no shell" == bare.missing(Language.SHELL, Permissions())


@pytest.mark.sandbox
async def test_every_operation_by_its_name(backend: Backend) -> None:
    """Create, execute, write, list, read, destroy: state stays until the end, and faults are told."""
    sandboxes = UnreviewedSandboxes(backend)
    assert set(Language) == backend.capabilities.languages
    assert {"network", "secrets", "sessions", "displays", "builds"} <= set(backend.capabilities.supported)
    async with asyncio.timeout(120):
        sandbox = await sandboxes.create_sandbox(Language.JAVASCRIPT)
        await sandboxes.execute_code(sandbox, "var x = 41")
        await sandboxes.write_file(sandbox, "data/a.txt", b"from outside")
        done = await sandboxes.execute_code(
            sandbox, "console.log(x + 1, require('fs').readFileSync('data/a.txt', 'utf8'))"
        )
        assert b"42 from outside\n" == done.stdout
        assert ["a.txt"] == [one["name"] for one in await sandboxes.list_files(sandbox, "data")]
        assert b"from outside" == await sandboxes.read_file(sandbox, "data/a.txt")
        with pytest.raises(OperationFailed, match=r"^read gone: No such file"):
            await sandboxes.read_file(sandbox, "gone")
        with pytest.raises(SandboxUnavailable, match="has no hashes"):
            await sandboxes.install_package(sandbox, Package(name=Untrusted("x"), version=Untrusted("1.0.0")))
        await sandboxes.destroy_sandbox(sandbox)
        assert [] == list(backend.sessions)


@pytest.mark.sandbox
async def test_a_run_is_held_measured_and_ended(backend: Backend) -> None:
    """Freeze, thaw, stats and signals are for what runs in a sandbox; without a run they say so."""
    sandboxes = UnreviewedSandboxes(backend)
    async with asyncio.timeout(120):
        sandbox = await sandboxes.create_sandbox(Language.SHELL)
        with pytest.raises(SandboxUnavailable, match="no packages for shell"):
            await sandboxes.install_package(sandbox, SIX)
        with pytest.raises(SandboxUnavailable, match="nothing runs there"):
            await sandboxes.pause(sandbox)
        running = asyncio.create_task(sandboxes.execute_code(sandbox, "while :; do :; done"))
        while sandboxes.stats(sandbox) is None:
            await asyncio.sleep(0.05)
        if backend.capabilities.pause:
            await sandboxes.pause(sandbox)
            await sandboxes.resume(sandbox)
        await sandboxes.signal(sandbox, "KILL")
        assert KillReason.OPERATOR is (await running).result.kill_reason
        await sandboxes.destroy_sandbox(sandbox)


@pytest.mark.sandbox
async def test_a_sandbox_with_a_network_keeps_nothing(backend: Backend) -> None:
    """Each execution has a sandbox of its own, and no file is put into what is no more."""
    sandboxes = UnreviewedSandboxes(backend)
    async with asyncio.timeout(120):
        sandbox = await sandboxes.create_sandbox(Language.SHELL, allowed_domains=("api.example.org",))
        done = await sandboxes.execute_code(sandbox, "echo $HTTPS_PROXY; touch here; ls")
        assert b"http://127.0.0.1:3128\nhere\n" == done.stdout
        assert b"" == (await sandboxes.execute_code(sandbox, "ls")).stdout
        with pytest.raises(OperationFailed, match="keeps no state"):
            await sandboxes.write_file(sandbox, "a", b"")

"""What every sandbox backend must do, tried on each that ships."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from engine.models import KillReason, Language
from engine.sandbox import Backend, Job, SandboxUnavailable, StartPermit, StartRequest
from engine.sandbox.drivers.open import open_backend
from engine.settings import SandboxSettings
from tests.cluster_sandboxes import cluster, on_cluster, pods_of
from tests.sandboxes import IMAGES, Recorder, containers_of
from tests.sandboxes import job as docker_job

pytestmark = pytest.mark.sandbox
ENGINE = "test-conformance"
BACKENDS = {"docker": SandboxSettings(pool=0, grace_seconds=0.5)}
if (found := cluster()) is not None:
    BACKENDS["kubernetes"] = on_cluster(found)
LOOP = "echo up; while :; do :; done"


@pytest.fixture(params=BACKENDS)
async def backend(request: pytest.FixtureRequest) -> AsyncIterator[Backend]:
    """A backend that is started; closing it removes everything."""
    settings = BACKENDS[request.param]
    backend = open_backend(settings, ENGINE)
    await backend.start()
    yield backend
    await backend.close()
    if settings.backend == "kubernetes":
        assert [] == await pods_of(settings.kubernetes, ENGINE)
    else:
        assert [] == containers_of(ENGINE)


async def shell_job(backend: Backend, code: str, **limits: Any) -> Job:
    """Return a job for shell code in the backend's image."""
    digest = await backend.image_digest(IMAGES[Language.SHELL])
    return replace(docker_job(code, Language.SHELL, **limits), image_digest=digest)


class _Refusing(Recorder):
    """A watcher that permits nothing."""

    async def permit(self, request: StartRequest) -> StartPermit:
        """Refuse."""
        raise PermissionError(request.run)


async def test_code_runs_to_its_exit_code_after_one_permit(backend: Backend) -> None:
    """Output is byte-exact; the permit names the sandbox and image that are then used, once."""
    watcher, requested = Recorder(), await shell_job(backend, r"printf 'a\0b'; printf c >&2; exit 3")
    result = await backend.run(requested, watcher)
    assert (3, KillReason.NONE, b"a\0b", b"c") == (
        result.exit_code, result.kill_reason, watcher.stdout, watcher.stderr,
    )  # fmt: skip
    assert 1 == watcher.types.count("run.started")
    assert requested.image_digest == result.image_digest == dict(watcher.events)["run.started"]["image"]
    proof = backend.proof
    assert proof is not None
    assert proof.isolated


@pytest.mark.parametrize("session", ["", "session-1"])
async def test_without_a_permit_the_code_never_runs(backend: Backend, session: str) -> None:
    """A refused permit ends the run with the caller's own error, and without a byte of output."""
    watcher = _Refusing()
    with pytest.raises(PermissionError):
        await backend.run(replace(await shell_job(backend, "echo ran"), session=session), watcher)
    assert b"" == watcher.stdout


async def test_runs_are_ended_for_a_reason(backend: Backend) -> None:
    """At the deadline as timeout, on request as operator."""
    late = await backend.run(await shell_job(backend, LOOP, seconds=1), Recorder())
    watcher, requested = Recorder(), await shell_job(backend, LOOP)
    running = asyncio.create_task(backend.run(requested, watcher))
    await watcher.until_said(b"up")
    await backend.kill(requested.run, "ada")
    assert (KillReason.TIMEOUT, KillReason.OPERATOR) == (late.kill_reason, (await running).kill_reason)


async def test_a_run_is_paused_and_its_files_are_read(backend: Backend) -> None:
    """While it runs its files can be read; while it is paused they cannot."""
    watcher, requested = Recorder(), await shell_job(backend, f"printf one > a.txt; {LOOP}")
    running = asyncio.create_task(backend.run(requested, watcher))
    await watcher.until_said(b"up")
    assert ["a.txt"] == [file.name.text for file in await backend.files(requested.run)]
    assert b"one" == await backend.file(requested.run, "a.txt")
    if backend.capabilities.pause:
        assert await backend.pause(requested.run)
        with pytest.raises(SandboxUnavailable):
            await backend.files(requested.run)
        assert await backend.resume(requested.run)
    await backend.kill(requested.run, "ada")
    await running
    assert not backend.is_running(requested.run)


async def test_a_session_keeps_its_state_until_it_ends(backend: Backend) -> None:
    """The next execution sees the variables of the one before; after a reset it does not."""
    first, second, third = Recorder(), Recorder(), Recorder()
    for code, watcher in (("x=1", first), ("echo [$x]", second)):
        await backend.run(replace(await shell_job(backend, code), session="session-1"), watcher)
    assert backend.sessions.has_state("session-1")
    backend.sessions.reset("session-1")
    await backend.run(replace(await shell_job(backend, "echo [$x]"), session="session-1"), third)
    assert (b"[1]\n", b"[]\n") == (second.stdout, third.stdout)


async def test_an_unknown_image_is_refused(backend: Backend) -> None:
    """Names are resolved to digests; a digest that no image has runs nothing."""
    with pytest.raises(SandboxUnavailable):
        await backend.image_digest("pratique/none")
    watcher = Recorder()
    with pytest.raises(SandboxUnavailable):
        await backend.run(replace(docker_job("echo ran"), image_digest=f"sha256:{'0' * 64}"), watcher)
    assert ([], b"") == (watcher.types, watcher.stdout)

"""What every sandbox driver must do, tried on each that ships."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from engine.models import Language, Limits
from engine.sandbox import SandboxUnavailable
from engine.sandbox.api.driver import STANDARD_LIMITS, SandboxDriver, SandboxSpec
from engine.sandbox.drivers.open import open_driver
from engine.settings import SandboxSettings
from tests.cluster_sandboxes import cluster, on_cluster, pods_of
from tests.sandboxes import IMAGES, containers_of

pytestmark = pytest.mark.sandbox
ENGINE = "test-driver"
DRIVERS = {"docker": SandboxSettings()}
if (found := cluster()) is not None:
    DRIVERS["kubernetes"] = on_cluster(found)


@pytest.fixture(params=DRIVERS)
async def driver(request: pytest.FixtureRequest) -> AsyncIterator[SandboxDriver]:
    """A driver that is started; removing all leaves nothing."""
    settings = DRIVERS[request.param]
    driver = open_driver(settings, ENGINE)
    await driver.start()
    yield driver
    await driver.remove_all()
    await driver.close()
    if settings.backend == "kubernetes":
        assert [] == await pods_of(settings.kubernetes, ENGINE)
    else:
        assert [] == containers_of(ENGINE)


async def spec(driver: SandboxDriver) -> SandboxSpec:
    """Return the specification of a standard sandbox for shell code."""
    return SandboxSpec(await driver.image_digest(IMAGES[Language.SHELL]), Language.SHELL, STANDARD_LIMITS)


async def test_isolation_is_probed_in_a_real_sandbox(driver: SandboxDriver) -> None:
    """The proof says what a guest saw; the sandboxes see the same kernel."""
    await driver.ping()
    proof = await driver.probe([IMAGES[Language.SHELL]])
    sandbox = await driver.create(await spec(driver))
    assert (True, proof.kernel.text) == (proof.isolated, sandbox.kernel)
    assert await driver.destroy(sandbox)


async def test_a_sandbox_is_what_was_asked_for_until_it_is_destroyed(driver: SandboxDriver) -> None:
    """It has the image of its specification, passes its check, and fails it once it is gone."""
    wanted = await spec(driver)
    sandbox = await driver.create(wanted)
    await sandbox.verify()
    assert (wanted.image_digest, driver.runtime) == (sandbox.image_digest, sandbox.runtime)
    assert await driver.destroy(sandbox)
    with pytest.raises(SandboxUnavailable):
        await sandbox.verify()


async def test_a_digest_is_known_only_once_it_was_read(driver: SandboxDriver) -> None:
    """A digest from memory is the one that was read; of another image nothing is known."""
    image = IMAGES[Language.SHELL]
    assert driver.known_image_digest(image) is None
    digest = await driver.image_digest(image)
    assert driver.known_image_digest(image) in {None, digest}
    assert driver.known_image_digest("pratique/none") is None


async def test_a_sandbox_is_measured_paused_and_resized(driver: SandboxDriver) -> None:
    """Where the driver can resize it, new limits are in force; usage is read either way."""
    sandbox = await driver.create(await spec(driver))
    assert await sandbox.usage() is not None
    if driver.live_resize:
        smaller = Limits(memory_mb=128, cpus=0.5)
        assert sandbox.resize(smaller)
        assert smaller == sandbox.limits
        assert sandbox.pause(True)
        assert sandbox.paused
        assert sandbox.pause(False)
    assert await driver.destroy(sandbox)


async def test_what_cannot_be_created_is_unavailable(driver: SandboxDriver) -> None:
    """An image that does not exist is refused with the driver's one error."""
    with pytest.raises(SandboxUnavailable):
        await driver.create(replace(await spec(driver), image_digest=f"sha256:{'0' * 64}"))


def test_only_standard_sandboxes_come_from_a_pool() -> None:
    """Anything that is fixed at the start, or granted to one run, needs a sandbox of its own."""
    plain = SandboxSpec("sha256:0", Language.SHELL, STANDARD_LIMITS)
    special = (
        replace(plain, session=True),
        replace(plain, environment={"A": "b"}),
        replace(plain, layers=(("volume", "/here"),)),
        replace(plain, limits=Limits(disk_mb=STANDARD_LIMITS.disk_mb + 1)),
    )
    assert plain.poolable
    assert not any(one.poolable for one in special)

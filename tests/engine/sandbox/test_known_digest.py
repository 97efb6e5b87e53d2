"""The digest of an image is asked for again once it may be another one."""

from __future__ import annotations

import asyncio

import docker
import pytest

from engine.models import Language
from engine.sandbox.drivers.open import open_driver
from engine.settings import SandboxSettings
from tests.sandboxes import IMAGES

pytestmark = pytest.mark.sandbox
IMAGE, SECONDS = "pratique-test/known-digest", 30


async def test_a_digest_is_not_known_any_more_once_the_image_was_built_anew() -> None:
    """Docker's event about a tag that moved ends what was known, and the next answer is the new image."""
    client = docker.from_env()
    before, after = (client.images.get(IMAGES[one]) for one in (Language.SHELL, Language.PYTHON))
    before.tag(IMAGE)
    driver = open_driver(SandboxSettings(), "test-known-digest")
    await driver.start()
    try:
        async with asyncio.timeout(SECONDS):
            while driver.known_image_digest(IMAGE) != before.id:  # Docker's events are heard a moment later
                await driver.image_digest(IMAGE)
            after.tag(IMAGE)
            while driver.known_image_digest(IMAGE) is not None:
                await driver.ping()
        assert after.id == await driver.image_digest(IMAGE)
    finally:
        await driver.close()
        client.images.remove(IMAGE)
        client.close()

"""Rows of `pratique doctor` about a Kubernetes cluster, where sandboxes run on one."""

from __future__ import annotations

import asyncio
import os
import time

from engine.models import Check
from engine.sandbox import SandboxUnavailable
from engine.sandbox.drivers.kubernetes.driver import KubernetesDriver
from engine.sandbox.isolation.health import row
from engine.settings import SandboxSettings

_NODES = "docs/kubernetes.md says how nodes get gVisor"


def rows(settings: SandboxSettings) -> tuple[Check, ...]:
    """Run the checks: the API server, the engine's rights, the images, and a sandbox of its own."""
    return asyncio.run(_rows(settings))


async def _rows(settings: SandboxSettings) -> tuple[Check, ...]:
    driver = KubernetesDriver(settings.kubernetes, settings.call_deadline_seconds, f"doctor-{os.getpid()}")
    images = [f"pratique/{name}" for name in dict.fromkeys(settings.images.values())]
    try:
        known = [check for check in await driver.checks(images) if check.name != "kubernetes tasks"]
        if not known[0].ok:
            return tuple(known)
        rights = await driver.check_rights()
        proof = (await _proof(driver, images),) if rights.ok else ()
        return (*known, rights, *proof)
    finally:
        await driver.remove_all()
        await driver.close()


async def _proof(driver: KubernetesDriver, images: list[str]) -> Check:
    began = time.monotonic()
    try:
        proof = await driver.probe(images)
    except SandboxUnavailable as error:
        return row("gvisor", False, str(error), error.hint)
    detail = f"a sandbox starts on gVisor and has no network, in {time.monotonic() - began:.1f} s"
    return row("gvisor", proof.isolated, detail if proof.isolated else proof.detail.text, _NODES)

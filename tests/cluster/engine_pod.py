"""`python -m tests.cluster engine`: the engine in a Pod, from the manifests, until it is drained and back.

It has the rights of its service account alone. Prints a row for each thing that was seen.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from engine.client.client import Client, Problem
from engine.models import KillReason, Status
from tests.cluster import control_plane, engine_image, network, shipped
from tests.cluster.deployed import START_SECONDS, Deployed, Report, approved, sandboxes
from tests.cluster.layout import NAMESPACE, Layout
from tests.cluster.pod_images import import_archive
from tests.deployment import manifests

_RUN_SECONDS, _DRAIN_SECONDS, _CLOSED_SECONDS = 60.0, 120.0, 10.0
_LOOK = "cat /proc/net/dev; dmesg | head -3; id -u; ls /var/run/secrets"
_LONG = "echo begun; sleep 15; echo ended"
_ACCOUNT = "system:serviceaccount:pratique:engine"
_FORBIDDEN = (
    ("create", "pods", "pratique"),
    ("get", "secrets", "pratique"),
    ("get", "secrets", NAMESPACE),
    ("get", "nodes", NAMESPACE),
)


async def engine(layout: Layout) -> int:
    """Deploy the engine on a cluster that is up, use it, drain it, and take it away. Raises ClusterError."""
    import_archive(layout, await asyncio.to_thread(engine_image.build, layout), manifests.engine_image())
    network.make_bridge()
    report, deployed = Report(), Deployed(layout)
    report.say(True, "the image is made as docs/deployment.md says")
    with network.api_service():
        shipped.apply(layout, shipped.made(layout, "kubernetes"))
        try:
            await _used(deployed, report)
        finally:
            deployed.remove()
        await deployed.leaves_nothing(report)
    return int(bool(report.wrong))


async def _used(deployed: Deployed, report: Report) -> None:
    seconds = await deployed.until("the engine is ready", START_SECONDS, deployed.is_ready)
    report.say(True, "the Pod is ready", f"{seconds:.0f} s after it was applied")
    _check_rights(deployed.layout, report)
    with network.engine_service(deployed.layout):
        token = deployed.token("bot", "submit")
        agent, reviewer = deployed.client(token), deployed.client(deployed.token("ann", "review"))
        async with agent, reviewer:
            await _look(deployed.layout, agent, reviewer, report)
            id = (await approved(agent, reviewer, _LONG)).submission.id
            while (await agent.case(id)).status is not Status.RUNNING:
                await asyncio.sleep(0.2)
            await _replaced(deployed, lambda: _answers(deployed.client(token), id), report)
            result = (await agent.case(id)).result
            ended = result is not None and (result.exit_code, result.kill_reason) == (0, KillReason.NONE)
            report.say(ended, "the run that went on has ended by itself", result and result.evidence)
    deployed.is_well(report)


def _check_rights(layout: Layout, report: Report) -> None:
    for verb, kind, namespace in _FORBIDDEN:
        asked = control_plane.kubectl(
            layout, "-n", namespace, "auth", "can-i", verb, kind, f"--as={_ACCOUNT}"
        )
        report.say(asked.stdout.strip() == "no", f"the engine may not {verb} {kind} in {namespace}")


async def _look(layout: Layout, agent: Client, reviewer: Client, report: Report) -> None:
    """Run code that looks around itself."""
    began = time.monotonic()
    case = await approved(agent, reviewer, _LOOK)
    case = await agent.case(case.submission.id, within=_RUN_SECONDS)
    output = b"".join([chunk.data async for chunk in agent.output(case.submission.id)]).decode()
    report.say(
        "gVisor" in output,
        "code that came through the Service ran in gVisor",
        f"{time.monotonic() - began:.1f} s",
    )
    report.say("eth0" not in output, "it has no network")
    pods = sandboxes(layout)
    classes = {pod["spec"].get("runtimeClassName") for pod in pods}
    report.say(
        classes <= {"gvisor"},
        "every Pod of a sandbox has RuntimeClass gvisor",
        f"{len(pods)} Pods",
    )


async def _replaced(deployed: Deployed, serves: Callable[[], Awaitable[bool]], report: Report) -> None:
    """Delete the Pod, and wait for the next one."""
    uid = deployed.uid
    deployed.kubectl("delete", "pod", deployed.name, "--wait=false")
    began = time.monotonic()
    while (served := await serves()) and time.monotonic() - began < _CLOSED_SECONDS:
        await asyncio.sleep(0.2)
    report.say(not served and deployed.uid == uid, "nobody new comes to a Pod that is drained")
    await deployed.until("the Pod has gone", _DRAIN_SECONDS, lambda: deployed.uid != uid)
    report.say(True, "the Pod has gone", f"{time.monotonic() - began:.0f} s after it was deleted")
    seconds = await deployed.until("the next Pod is ready", START_SECONDS, deployed.is_ready)
    report.say(True, "the next Pod is ready", f"{seconds:.0f} s later")


async def _answers(client: Client, id: str) -> bool:
    """Return whether a new connection is answered: one that stays open is the Pod's until it ends."""
    async with client:
        try:
            await client.case(id)
        except Problem:
            return False
    return True

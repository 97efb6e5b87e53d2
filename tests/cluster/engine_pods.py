"""`python -m tests.cluster engines [chart]`: two engines over one PostgreSQL; one is killed, both renewed.

They come from the manifests, or from the chart. Prints a row for each thing that was seen.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import subprocess
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from engine.client.client import Client, Problem
from engine.models import DecisionOutcome, KillReason, Status
from tests.cluster import engine_image, network, shipped
from tests.cluster.daemons import ClusterError
from tests.cluster.deployed import START_SECONDS, Deployed, Report, approved, draft
from tests.cluster.layout import DATABASE, DATABASE_ADDRESS, Layout
from tests.cluster.pod_images import import_archive
from tests.deployment import manifests
from tests.deployment.manifests import Object
from tests.postgres_server import PostgresServer

_ENGINES = 2
_RUN_SECONDS, _TAKEN_OVER_SECONDS, _RENEWED = 60.0, 60.0, "--timeout=600s"
_PAUSE_SECONDS, _ANSWER_SECONDS = 1.0, 60.0
_LONG = "echo begun; sleep 300"


@dataclass
class _Engines:
    """The Pods, one of which clients are led to."""

    layout: Layout
    report: Report = field(default_factory=Report)
    wanted: str = ""
    """The Pod that new connections go to; any ready one where it is empty."""
    agent: str = ""
    reviewer: str = ""
    """Tokens."""

    def __post_init__(self) -> None:
        self.pods = [Deployed(self.layout, f"engine-{number}") for number in range(_ENGINES)]

    @contextlib.asynccontextmanager
    async def at(self, pod: str = "") -> AsyncIterator[tuple[Client, Client]]:
        """Connect an agent and a reviewer with a Pod."""
        self.wanted = pod
        async with self.pods[0].client(self.agent) as agent, self.pods[0].client(self.reviewer) as reviewer:
            await _answers(agent)
            await _answers(reviewer)
            yield agent, reviewer

    async def ready(self, what: str) -> None:
        """Wait until all are ready. Raises ClusterError."""
        for pod in self.pods:
            seconds = await pod.until(f"{pod.name} is ready", START_SECONDS, pod.is_ready)
            self.report.say(True, f"{pod.name} is ready", f"{seconds:.0f} s after {what}")


async def _answers(client: Client) -> None:
    """Wait until an engine answers: beside Pods that start a connection may take longer than its deadline."""
    async with asyncio.timeout(_ANSWER_SECONDS):
        while True:
            with contextlib.suppress(Problem):
                await client.health()
                return
            await asyncio.sleep(_PAUSE_SECONDS)


async def engines(layout: Layout, *, by_chart: bool = False) -> int:
    """Deploy two engines on a cluster that is up, use them, and take them away. Raises ClusterError."""
    made = shipped.made_by_chart(layout) if by_chart else shipped.made(layout, "kubernetes-several")
    import_archive(layout, await asyncio.to_thread(engine_image.build, layout), manifests.engine_image())
    network.make_bridge()
    desk = _Engines(layout)
    server = PostgresServer.make(synced=True)
    try:
        password = secrets.token_hex(16)
        server.database("pratique")
        pki = layout.state / "pki"
        server.require_tls(pki / "database.crt", pki / "database.key", "pratique", password)
        with network.api_service(), network.database_service(server.port):
            _apply(layout, made, password)
            try:
                await _used(desk)
            finally:
                desk.pods[0].remove()
            await desk.pods[0].leaves_nothing(desk.report)
    finally:
        server.end()
    return int(bool(desk.report.wrong))


def _apply(layout: Layout, made: list[Object], password: str) -> None:
    authority = (layout.state / "pki" / "ca.crt").read_bytes()
    database = {"password": password.encode(), "ca.crt": authority}
    for one in made:
        if one["kind"] == "StatefulSet":
            # the Pods of the test cluster have no name server
            names = [{"ip": DATABASE_ADDRESS, "hostnames": [DATABASE]}]
            one["spec"]["template"]["spec"]["hostAliases"] = names
    further = shipped.secret("pratique-database", database), _key()
    shipped.apply(layout, made, *further, engines=_ENGINES)


def _key() -> Object:
    """Return the Secret with the key that the engines share, made as docs/kubernetes.md says."""
    made = subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519"], capture_output=True, check=True)
    return shipped.secret("pratique-key", {"pratique.key": made.stdout})


async def _used(desk: _Engines) -> None:
    await desk.ready("they were applied")
    with network.engine_service(desk.layout, lambda: desk.wanted):
        desk.agent = desk.pods[0].token("bot", "submit")
        desk.reviewer = desk.pods[1].token("ann", "review")
        await _shared(desk)
        await _killed(desk)
        await _renewed(desk)
    for pod in desk.pods:
        pod.is_well(desk.report)


async def _shared(desk: _Engines) -> None:
    """Submit at one engine, decide at the other, and read the result at the first."""
    began = time.monotonic()
    async with desk.at("engine-0") as (agent, _), desk.at("engine-1") as (_, reviewer):
        known = [check.detail.text for check in (await reviewer.health()).checks if check.name == "engines"]
        desk.report.say(bool(known), "each knows of the other", known)
        id = (await approved(agent, reviewer, "echo shared")).submission.id
        await agent.case(id, within=_RUN_SECONDS)
        output = b"".join([chunk.data async for chunk in agent.output(id)])
    took = f"{time.monotonic() - began:.1f} s"
    desk.report.say(output == b"shared\n", "what one took, the other decided, and it ran", took)


async def _killed(desk: _Engines) -> None:
    """Kill an engine while it runs something: the other closes the run, and decides what waits."""
    async with desk.at("engine-0") as (agent, reviewer):
        waiting = await agent.submit(draft("echo waited"))
        id = (await approved(agent, reviewer, _LONG)).submission.id
        while (await agent.case(id)).status is not Status.RUNNING:
            await asyncio.sleep(0.2)
    desk.pods[0].kubectl("delete", "pod", "engine-0", "--grace-period=0", "--force")
    began = time.monotonic()
    async with desk.at("engine-1") as (agent, reviewer):
        result = (await agent.case(id, within=_TAKEN_OVER_SECONDS)).result
        took = f"{time.monotonic() - began:.1f} s"
        closed = result is not None and result.kill_reason is KillReason.INTERRUPTED
        desk.report.say(closed, "the run of the one that died is closed by the other", took)
        approving = (waiting.submission.id, DecisionOutcome.APPROVED, waiting.submission.digest, "after it")
        await reviewer.decide(*approving)
        case = await agent.case(waiting.submission.id, within=_RUN_SECONDS)
        desk.report.say(case.status is Status.FINISHED, "what waited at it runs at the other")
    await desk.ready("engine-0 was killed")


async def _renewed(desk: _Engines) -> None:
    """Restart all Pods, one after the other, while code is submitted and approved."""
    renewing = asyncio.create_task(asyncio.to_thread(_restart, desk.pods[0]))
    answered: list[str] = []
    refused = 0
    while not renewing.done():
        try:
            async with desk.at() as (agent, reviewer):
                answered.append((await approved(agent, reviewer, f"echo {len(answered)}")).submission.id)
        except (Problem, TimeoutError):
            refused += 1
        await asyncio.sleep(_PAUSE_SECONDS)
    await renewing
    async with desk.at() as (agent, _):
        cases = [await agent.case(id, within=_RUN_SECONDS) for id in answered]
    other = [f"{case.status}: {case.result}" for case in cases if case.status is not Status.FINISHED]
    counted = f"{len(answered)} answered, {refused} refused {other}"
    desk.report.say(not other, "what was answered while both were renewed has run", counted)


def _restart(pod: Deployed) -> None:
    """Restart all Pods. Raises ClusterError."""
    pod.kubectl("rollout", "restart", "statefulset", "engine")
    done = pod.kubectl("rollout", "status", "statefulset", "engine", _RENEWED)
    if done.returncode:
        raise ClusterError(f"{done.stdout}{done.stderr}\n{pod.trouble()}")

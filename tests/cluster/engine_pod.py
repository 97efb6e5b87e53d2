"""`python -m tests.cluster engine`: the engine in a Pod, from the manifests, until it is drained and back.

It has the rights of its service account alone. Prints a row for each thing that was seen.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import subprocess
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import yaml

from engine.client.client import Client, Problem
from engine.common.text import Untrusted
from engine.models import Case, DecisionOutcome, Draft, KillReason, Language, Status
from tests.cluster import control_plane, engine_image, network
from tests.cluster.daemons import ClusterError
from tests.cluster.layout import NAMESPACE, Layout
from tests.cluster.pod_images import import_archive
from tests.deployment.manifests import MANIFESTS, Object, manifests, objects, understood

_POD = "engine-0"
_START_SECONDS, _RUN_SECONDS, _DRAIN_SECONDS, _CLOSED_SECONDS = 240.0, 60.0, 120.0, 10.0
_GONE_SECONDS = 60.0
_ADDRESS = "https://pratique.pratique.svc"
_LOOK = "cat /proc/net/dev; dmesg | head -3; id -u; ls /var/run/secrets"
_LONG = "echo begun; sleep 15; echo ended"
_ACCOUNT = "system:serviceaccount:pratique:engine"
_FORBIDDEN = (
    ("create", "pods", "pratique"),
    ("get", "secrets", "pratique"),
    ("get", "secrets", NAMESPACE),
    ("get", "nodes", NAMESPACE),
)


@dataclass
class _Report:
    """What was seen."""

    wrong: int = 0
    began: float = field(default_factory=time.monotonic)

    def say(self, holds: bool, what: str, detail: object = "") -> None:
        """Print a row, and count it where it does not hold."""
        self.wrong += not holds
        print(f"{time.monotonic() - self.began:6.1f} s  {'ok   ' if holds else 'WRONG'}  {what}  {detail}")


@dataclass
class _Deployed:
    """The engine's Pod, and the command line in it."""

    layout: Layout

    def kubectl(self, *words: str) -> subprocess.CompletedProcess[str]:
        return control_plane.kubectl(self.layout, "-n", "pratique", *words)

    def pratique(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run the command line in the Pod."""
        return self.kubectl("exec", _POD, "--", "pratique", *words)

    def pod(self) -> dict[str, Any]:
        """Return the Pod; empty where there is none."""
        found: dict[str, Any] = json.loads(self.kubectl("get", "pod", _POD, "-o", "json").stdout or "{}")
        return found

    def is_ready(self) -> bool:
        """Return whether the Pod is ready, and not being deleted."""
        pod = self.pod()
        conditions = pod.get("status", {}).get("conditions", ())
        ready = any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
        return ready and "deletionTimestamp" not in pod["metadata"]

    @property
    def uid(self) -> str:
        """What tells the Pod from the next one of its name; "" where there is none."""
        return str(self.pod().get("metadata", {}).get("uid", ""))

    async def until(self, what: str, seconds: float, holds: Callable[[], bool]) -> float:
        """Wait until something holds; return the seconds. Raises ClusterError with what the cluster says."""
        began = time.monotonic()
        while not await asyncio.to_thread(holds):
            if time.monotonic() - began > seconds:
                raise ClusterError(f"{what}: not in {seconds:.0f} s\n{self.trouble()}")
            await asyncio.sleep(0.5)
        return time.monotonic() - began

    def trouble(self) -> str:
        """Return what the cluster and the engine say about the Pod."""
        said = (
            ("describe", "pod", _POD),
            ("logs", _POD, "--tail=40"),
            ("logs", _POD, "--previous", "--tail=20"),
        )
        return "\n".join(self.kubectl(*words).stdout[-4000:] for words in said)

    def token(self, name: str, scope: str) -> str:
        """Make a token in the Pod. Raises ClusterError."""
        made = self.pratique("token", "create", name, "--scope", scope, "--json")
        if made.returncode:
            raise ClusterError(f"no token: {made.stdout}{made.stderr}")
        return str(json.loads(made.stdout)["secret"])

    def client(self, token: str) -> Client:
        """Return a client that goes through the Service."""
        trusted = ssl.create_default_context(cafile=str(self.layout.state / "pki" / "ca.crt"))
        return Client(_ADDRESS, token=token, verify=trusted)


async def engine(layout: Layout) -> int:
    """Deploy the engine on a cluster that is up, use it, drain it, and take it away. Raises ClusterError."""
    import_archive(layout, await asyncio.to_thread(engine_image.build, layout), _image())
    network.make_bridge()
    report, deployed = _Report(), _Deployed(layout)
    report.say(True, "the image is made as docs/deployment.md says")
    with network.api_service():
        _apply(layout)
        try:
            await _used(deployed, report)
        finally:
            deployed.kubectl("delete", "statefulset", "engine", "--cascade=foreground", "--timeout=120s")
        seconds = await deployed.until("no sandbox is left", _GONE_SECONDS, lambda: not _sandboxes(layout))
        report.say(True, "no sandbox is left", f"{seconds:.0f} s after the engine has gone")
    return int(bool(report.wrong))


def _sandboxes(layout: Layout) -> list[dict[str, Any]]:
    listed = control_plane.kubectl(layout, "-n", NAMESPACE, "get", "pods", "-o", "json").stdout
    pods: list[dict[str, Any]] = json.loads(listed)["items"]
    return pods


def _image() -> str:
    (stateful,) = [one for one in manifests() if one["kind"] == "StatefulSet"]
    return str(stateful["spec"]["template"]["spec"]["containers"][0]["image"])


def _apply(layout: Layout) -> None:
    """Apply what `kubectl kustomize` makes, with registry and digests, a certificate and a volume."""
    made = control_plane.kubectl(layout, "kustomize", str(MANIFESTS))
    shipped = understood(objects(made.stdout), layout.minor)
    for one in shipped:
        if one["kind"] == "ConfigMap":
            one["data"]["settings.yaml"] = _settings(layout, one["data"]["settings.yaml"])
    namespaces = [one for one in shipped if one["kind"] == "Namespace"]
    pki = layout.state / "pki"
    secret = (
        "create",
        "secret",
        "tls",
        "pratique-tls",
        f"--cert={pki / 'engine.crt'}",
        f"--key={pki / 'engine.key'}",
    )
    trouble = made.stderr or control_plane.apply(layout, [*namespaces, _volume(layout)])
    control_plane.kubectl(layout, "-n", "pratique", *secret)
    if trouble := trouble or control_plane.apply(layout, shipped):
        raise ClusterError(trouble)


def _settings(layout: Layout, text: str) -> str:
    """Return the settings with the registry and the digests of the images that the cluster has."""
    document = yaml.safe_load(text)
    known = json.loads(layout.settings())
    document["sandbox"]["kubernetes"] |= {name: known[name] for name in ("registry", "images")}
    document["sandbox"]["pool"] = 1
    # decided by script, without a record of what was displayed
    document["policy"] = {"require_full_review": False, "base": "strict"}
    return yaml.safe_dump(document)


def _volume(layout: Layout) -> Object:
    """Return a folder of the node as the volume that the engine claims."""
    folder = layout.state / "volumes" / "engine"
    folder.mkdir(parents=True, exist_ok=True)
    here = {"key": "kubernetes.io/hostname", "operator": "In", "values": ["localhost"]}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "engine"},
        "spec": {
            "capacity": {"storage": "20Gi"},
            "accessModes": ["ReadWriteOnce"],
            "local": {"path": str(folder)},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [here]}]}},
        },
    }


async def _used(deployed: _Deployed, report: _Report) -> None:
    seconds = await deployed.until("the engine is ready", _START_SECONDS, deployed.is_ready)
    report.say(True, "the Pod is ready", f"{seconds:.0f} s after it was applied")
    _check_rights(deployed.layout, report)
    with network.engine_service(deployed.layout):
        token = deployed.token("bot", "submit")
        agent, reviewer = deployed.client(token), deployed.client(deployed.token("ann", "review"))
        async with agent, reviewer:
            await _look(deployed.layout, agent, reviewer, report)
            id = (await _approved(agent, reviewer, _LONG)).submission.id
            while (await agent.case(id)).status is not Status.RUNNING:
                await asyncio.sleep(0.2)
            await _replaced(deployed, lambda: _answers(deployed.client(token), id), report)
            result = (await agent.case(id)).result
            ended = result is not None and (result.exit_code, result.kill_reason) == (0, KillReason.NONE)
            report.say(ended, "the run that went on has ended by itself", result and result.evidence)
    doctor = deployed.pratique("doctor")
    report.say(
        not doctor.returncode,
        "pratique doctor in the Pod finds nothing wrong",
        doctor.stdout * bool(doctor.returncode),
    )
    verified = deployed.pratique("audit", "verify")
    report.say(not verified.returncode, "the history is intact", verified.stdout.strip().splitlines()[-1:])


def _check_rights(layout: Layout, report: _Report) -> None:
    for verb, kind, namespace in _FORBIDDEN:
        asked = control_plane.kubectl(
            layout, "-n", namespace, "auth", "can-i", verb, kind, f"--as={_ACCOUNT}"
        )
        report.say(asked.stdout.strip() == "no", f"the engine may not {verb} {kind} in {namespace}")


async def _look(layout: Layout, agent: Client, reviewer: Client, report: _Report) -> None:
    """Run code that looks around itself."""
    began = time.monotonic()
    case = await _approved(agent, reviewer, _LOOK)
    case = await agent.case(case.submission.id, within=_RUN_SECONDS)
    output = b"".join([chunk.data async for chunk in agent.output(case.submission.id)]).decode()
    report.say(
        "gVisor" in output,
        "code that came through the Service ran in gVisor",
        f"{time.monotonic() - began:.1f} s",
    )
    report.say("eth0" not in output, "it has no network")
    pods = _sandboxes(layout)
    classes = {pod["spec"].get("runtimeClassName") for pod in pods}
    report.say(
        classes <= {"gvisor"},
        "every Pod of a sandbox has RuntimeClass gvisor",
        f"{len(pods)} Pods",
    )


async def _approved(agent: Client, reviewer: Client, code: str) -> Case:
    case = await agent.submit(Draft(code=Untrusted(code), language=Language.SHELL))
    if case.status is not Status.PENDING:
        return case
    return await reviewer.decide(
        case.submission.id, DecisionOutcome.APPROVED, case.submission.digest, "to see it run"
    )


async def _replaced(deployed: _Deployed, serves: Callable[[], Awaitable[bool]], report: _Report) -> None:
    """Delete the Pod, and wait for the next one."""
    uid = deployed.uid
    deployed.kubectl("delete", "pod", _POD, "--wait=false")
    began = time.monotonic()
    while (served := await serves()) and time.monotonic() - began < _CLOSED_SECONDS:
        await asyncio.sleep(0.2)
    report.say(not served and deployed.uid == uid, "nobody new comes to a Pod that is drained")
    await deployed.until("the Pod has gone", _DRAIN_SECONDS, lambda: deployed.uid != uid)
    report.say(True, "the Pod has gone", f"{time.monotonic() - began:.0f} s after it was deleted")
    seconds = await deployed.until("the next Pod is ready", _START_SECONDS, deployed.is_ready)
    report.say(True, "the next Pod is ready", f"{seconds:.0f} s later")


async def _answers(client: Client, id: str) -> bool:
    """Return whether a new connection is answered: one that stays open is the Pod's until it ends."""
    async with client:
        try:
            await client.case(id)
        except Problem:
            return False
    return True

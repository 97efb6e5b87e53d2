"""An engine that was deployed on a cluster for tests: its Pods, and what was seen of them."""

from __future__ import annotations

import asyncio
import json
import ssl
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from engine.client.client import Client
from engine.common.text import Untrusted
from engine.models import Case, DecisionOutcome, Draft, Language, Status
from tests.cluster import control_plane
from tests.cluster.daemons import ClusterError
from tests.cluster.layout import NAMESPACE, Layout

START_SECONDS, _GONE_SECONDS = 240.0, 60.0
ADDRESS = "https://pratique.pratique.svc"


@dataclass
class Report:
    """What was seen."""

    wrong: int = 0
    began: float = field(default_factory=time.monotonic)

    def say(self, holds: bool, what: str, detail: object = "") -> None:
        """Print a row, and count it where it does not hold."""
        self.wrong += not holds
        print(f"{time.monotonic() - self.began:6.1f} s  {'ok   ' if holds else 'WRONG'}  {what}  {detail}")


@dataclass(frozen=True)
class Deployed:
    """A Pod of the engine, and the command line in it."""

    layout: Layout
    name: str = "engine-0"

    def kubectl(self, *words: str) -> subprocess.CompletedProcess[str]:
        return control_plane.kubectl(self.layout, "-n", "pratique", *words)

    def pratique(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run the command line in the Pod."""
        return self.kubectl("exec", self.name, "--", "pratique", *words)

    def pod(self) -> dict[str, Any]:
        """Return the Pod; empty where there is none."""
        found: dict[str, Any] = json.loads(self.kubectl("get", "pod", self.name, "-o", "json").stdout or "{}")
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
            ("describe", "pod", self.name),
            ("logs", self.name, "--tail=40"),
            ("logs", self.name, "--previous", "--tail=20"),
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
        return Client(ADDRESS, token=token, verify=trusted)

    def is_well(self, report: Report) -> None:
        """Say what the doctor and the verification of the history find."""
        doctor, verified = self.pratique("doctor"), self.pratique("audit", "verify")
        report.say(
            not doctor.returncode,
            f"pratique doctor in {self.name} finds nothing wrong",
            doctor.stdout * bool(doctor.returncode),
        )
        last = (verified.stdout + verified.stderr).strip().splitlines()[-1:]
        report.say(not verified.returncode, "the history is intact", last)

    def remove(self) -> None:
        """Take all engines away."""
        self.kubectl("delete", "statefulset", "engine", "--cascade=foreground", "--timeout=120s")

    async def leaves_nothing(self, report: Report) -> None:
        """Wait until the sandboxes of engines that have gone are gone, too. Raises ClusterError."""
        seconds = await self.until("no sandbox is left", _GONE_SECONDS, lambda: not sandboxes(self.layout))
        report.say(True, "no sandbox is left", f"{seconds:.0f} s after the engine has gone")


def sandboxes(layout: Layout) -> list[dict[str, Any]]:
    """Return the Pods of all sandboxes."""
    listed = control_plane.kubectl(layout, "-n", NAMESPACE, "get", "pods", "-o", "json").stdout
    pods: list[dict[str, Any]] = json.loads(listed)["items"]
    return pods


def draft(code: str) -> Draft:
    """Return the draft of a script."""
    return Draft(code=Untrusted(code), language=Language.SHELL)


async def approved(agent: Client, reviewer: Client, code: str) -> Case:
    """Submit a script, and approve it."""
    case = await agent.submit(draft(code))
    if case.status is not Status.PENDING:
        return case
    return await reviewer.decide(
        case.submission.id, DecisionOutcome.APPROVED, case.submission.digest, "to see it run"
    )

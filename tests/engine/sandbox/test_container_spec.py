"""The specification of a container, and the checks of a ready one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.models import Language, Limits
from engine.sandbox.api.driver import SandboxSpec
from engine.sandbox.drivers.docker import container_spec

HOST = container_spec.host_config("runsc", Language.PYTHON, Limits(), 2.0)


def test_a_sandbox_has_no_access_to_the_host() -> None:
    """No network, no writable root, no capability but to change users, no bind mount, no log, no swap."""
    assert ["CAP_SETGID", "CAP_SETUID"] == HOST["CapAdd"]
    assert ("none", True, ["ALL"], ["no-new-privileges"], "none") == (
        HOST["NetworkMode"], HOST["ReadonlyRootfs"], HOST["CapDrop"], HOST["SecurityOpt"],
        HOST["LogConfig"]["Type"],
    )  # fmt: skip
    assert HOST["Memory"] == HOST["MemorySwap"]
    assert not {"Binds", "Mounts", "Devices", "Privileged", "ExtraHosts", "Links"} & HOST.keys()


def test_the_host_task_limit_is_above_the_guest_limit() -> None:
    """The task limit of the host is a backstop: at least four times the guest's own limit."""
    nproc = next(limit["Hard"] for limit in HOST["Ulimits"] if limit["Name"] == "nproc")
    assert HOST["PidsLimit"] >= 4 * nproc


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("Runtime", {"HostConfig": {"Runtime": "runc"}}),
        ("NetworkMode", {"HostConfig": {"NetworkMode": "bridge"}}),
        ("Memory", {"HostConfig": {"Memory": 0}}),
        ("Binds", {"HostConfig": {"Binds": ["/:/host"]}}),
        ("Binds", {"HostConfig": {"Privileged": True}}),
        ("Image", {"Image": "sha256:other"}),
        ("State", {"State": {"Running": False}}),
    ],
)
def test_drift_from_the_specification_is_named(name: str, change: dict[str, object]) -> None:
    """A ready sandbox that differs from its specification is detected before it gets code."""
    seen: dict[str, object] = {"HostConfig": dict(HOST), "Image": "sha256:it", "State": {"Running": True}}
    assert () == container_spec.spec_drift(seen, "sha256:it", HOST)
    for key, value in change.items():
        seen[key] = HOST | value if isinstance(value, dict) and key == "HostConfig" else value
    assert (name,) == container_spec.spec_drift(seen, "sha256:it", HOST)


def test_what_has_packages_starts_its_interpreter_after_the_order() -> None:
    """A run with packages, and a session in which some were installed; nothing else has to wait."""
    plain = SandboxSpec("sha256:0", Language.PYTHON, Limits())
    layer = (("volume", "/usr/local/lib/python3.13/dist-packages"),)
    specs = (
        plain,
        replace(plain, layers=layer),
        replace(plain, layers=layer, session=True),
        replace(plain, layers=layer, session=True, installed=True),
    )
    assert [False, True, False, True] == [spec.late for spec in specs]

"""What the status of a Pod means."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from engine.sandbox.api.driver import EndState
from engine.sandbox.api.errors import ImageMissing, SandboxUnavailable
from engine.sandbox.drivers.kubernetes.pod_status import (
    end_state,
    has_ended,
    hold_up,
    is_running,
    is_unplaced,
    start_failure,
)


def pod(phase: str, state: dict[str, Any] | None = None, **status: Any) -> dict[str, Any]:
    """Return a Pod with a phase and the state of its container."""
    rows = [{"name": "sandbox", "state": state}] if state is not None else []
    return {"status": {"phase": phase, "containerStatuses": rows, **status}}


def terminated(reason: str, code: int) -> dict[str, Any]:
    """Return the state of a container that has ended."""
    return {"terminated": {"reason": reason, "exitCode": code}}


def test_a_pod_runs_once_its_container_does() -> None:
    """The phase alone is not enough: it stays Running while the container ends."""
    assert is_running(pod("Running", {"running": {}}))
    assert not is_running(pod("Running", terminated("Error", 1)))
    assert not is_running(pod("Pending", {"waiting": {"reason": "ContainerCreating"}}))
    assert has_ended(pod("Running", terminated("Error", 1)))
    assert has_ended(pod("Failed", reason="Evicted"))


@pytest.mark.parametrize("reason", ["ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull"])
def test_an_image_that_cannot_be_pulled_is_said_at_once(reason: str) -> None:
    """The node's own words are in the message."""
    failure = start_failure(pod("Pending", {"waiting": {"reason": reason, "message": "no such\nhost"}}))
    assert isinstance(failure, ImageMissing)
    assert f"a node cannot get the image: {reason}: no such host" == str(failure)


def test_what_still_starts_is_no_failure() -> None:
    """A Pod without a node, or whose container is being created, may still start."""
    assert start_failure(pod("Pending")) is None
    assert start_failure(pod("Pending", {"waiting": {"reason": "ContainerCreating"}})) is None
    waits = [{"type": "PodScheduled", "status": "False", "message": "0/3 nodes: Insufficient memory."}]
    assert "no node takes it: 0/3 nodes: Insufficient memory." == hold_up(pod("Pending", conditions=waits))
    assert is_unplaced(pod("Pending", conditions=waits))
    assert not is_unplaced(pod("Pending", conditions=[{"type": "PodScheduled", "status": "True"}]))
    assert not is_unplaced(pod("Pending", {"waiting": {"reason": "ContainerCreating"}}))
    ended = start_failure(pod("Failed", terminated("Error", 126)))
    assert isinstance(ended, SandboxUnavailable)


@pytest.mark.parametrize(
    ("ended", "state"),
    [
        (
            pod("Failed", terminated("OOMKilled", 128)),
            EndState(128, True, reported="OOMKilled, exit code 128"),
        ),
        (pod("Succeeded", terminated("Completed", 0)), EndState(0, reported="Completed, exit code 0")),
        (
            pod("Failed", reason="Evicted", message="low on memory"),
            EndState(reported="Evicted: low on memory"),
        ),
        (
            pod("Failed", terminated("Error", 143), reason="DeadlineExceeded"),
            EndState(143, reported="DeadlineExceeded: Error, exit code 143"),
        ),
        ({}, EndState(reported="no reason is given")),
    ],
)
def test_the_end_is_told_by_the_clusters_own_evidence(ended: dict[str, Any], state: EndState) -> None:
    """Out of memory is the reason, not the exit code; what the Pod and its container say is kept."""
    assert state == end_state(ended)


TEXT = some.text("ab/\0\x1b\u202eé", max_size=8)
json_like = some.recursive(
    some.none() | some.booleans() | some.integers() | TEXT,
    lambda inner: some.lists(inner, max_size=2) | some.dictionaries(TEXT, inner, max_size=2),
    max_leaves=6,
)
FIELDS = some.sampled_from(["phase", "containerStatuses", "conditions", "reason", "message", "state"])


@given(some.dictionaries(FIELDS, json_like))
def test_any_status_is_read(status: dict[str, Any]) -> None:
    """A strange status is no error, and its text has no control characters."""
    strange = {"status": status}
    assert not (is_running(strange) and has_ended(strange))
    start_failure(strange)
    assert (hold_up(strange) + end_state(strange).reported).isprintable()

"""What the status of a Pod means: it starts, it cannot start, it has ended and why. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.sandbox.api.driver import EndState
from engine.sandbox.api.errors import ImageMissing, SandboxUnavailable

_NO_IMAGE = {
    "ErrImagePull",
    "ImagePullBackOff",
    "ErrImageNeverPull",
    "InvalidImageName",
    "RegistryUnavailable",
}
_NO_CONTAINER = {
    "CreateContainerConfigError",
    "CreateContainerError",
    "RunContainerError",
    "CrashLoopBackOff",
}
_OUT_OF_MEMORY = "OOMKilled"
_MOST_TEXT = 300


def is_running(pod: Mapping[str, Any]) -> bool:
    """Return whether its one container runs."""
    return _status(pod).get("phase") == "Running" and "running" in _container_state(pod)


def has_ended(pod: Mapping[str, Any]) -> bool:
    """Return whether nothing of it runs any more."""
    return _text(_status(pod).get("phase")) in {"Succeeded", "Failed"} or "terminated" in _container_state(
        pod
    )


def start_failure(pod: Mapping[str, Any]) -> SandboxUnavailable | None:
    """Return why it will not start; None while it may."""
    waiting = _mapping(_container_state(pod).get("waiting"))
    reason, message = _text(waiting.get("reason")), _text(waiting.get("message"))
    if reason in _NO_IMAGE:
        return ImageMissing(f"a node cannot get the image: {reason}: {message}", "kubectl get events")
    if reason in _NO_CONTAINER:
        return SandboxUnavailable(f"the sandbox cannot be created: {reason}: {message}", "kubectl get events")
    if has_ended(pod):
        return SandboxUnavailable(f"the sandbox ended as it started: {ending(pod)}", "kubectl get events")
    return None


def is_unplaced(pod: Mapping[str, Any]) -> bool:
    """Return whether the scheduler found no node for it."""
    return bool(_refused_places(pod))


def hold_up(pod: Mapping[str, Any]) -> str:
    """Return, in words, what a Pod that does not start in time is waiting for."""
    for condition in _refused_places(pod):
        return f"no node takes it: {_text(condition.get('message'))}"
    waiting = _mapping(_container_state(pod).get("waiting"))
    return _text(waiting.get("message")) or _text(waiting.get("reason")) or "the node has not started it"


def end_state(pod: Mapping[str, Any]) -> EndState:
    """Return how a Pod that has ended did so, by the cluster's own evidence."""
    terminated = _mapping(_container_state(pod).get("terminated"))
    code = terminated.get("exitCode")
    return EndState(
        exit_code=code if isinstance(code, int) else None,
        runtime_oom=terminated.get("reason") == _OUT_OF_MEMORY,
        reported=ending(pod),
    )


def ending(pod: Mapping[str, Any]) -> str:
    """Return how it ended, in words: the Pod's own reason, then its container's."""
    status, terminated = _status(pod), _mapping(_container_state(pod).get("terminated"))
    said = [_text(status.get("reason")), _text(status.get("message")), _text(terminated.get("reason"))]
    words = ": ".join(word for word in said if word)
    code = terminated.get("exitCode")
    return f"{words or 'no reason is given'}{f', exit code {code}' if isinstance(code, int) else ''}"


def _refused_places(pod: Mapping[str, Any]) -> list[dict[str, Any]]:
    scheduled = {"type": "PodScheduled", "status": "False"}
    return [row for row in _rows(_status(pod).get("conditions")) if scheduled.items() <= row.items()]


def _status(pod: Mapping[str, Any]) -> dict[str, Any]:
    return _mapping(pod.get("status"))


def _container_state(pod: Mapping[str, Any]) -> dict[str, Any]:
    rows = _rows(_status(pod).get("containerStatuses"))
    return _mapping(rows[0].get("state")) if rows else {}


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _rows(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    words = " ".join(value.split()) if isinstance(value, str) else ""
    return "".join(letter for letter in words if letter.isprintable())[:_MOST_TEXT]

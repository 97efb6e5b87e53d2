"""What the API server's refusals mean to a person: the message, and what to type next. Pure."""

from __future__ import annotations

import json
from typing import Any

from engine.sandbox.api.errors import SandboxUnavailable

DOCTOR = "pratique doctor"
_MOST_TEXT = 400


class ClusterUnreachable(SandboxUnavailable):
    """The API server did not answer, or not in time."""

    def __init__(self, message: str, *, passing: bool = False) -> None:
        super().__init__(f"Kubernetes did not answer: {message}", "kubectl get --raw /readyz")
        self.passing = passing
        """Whether the same call may succeed a moment later: the connection was refused or cut."""


class ClusterRefusal(SandboxUnavailable):
    """The API server answered with an error."""

    def __init__(self, status: int, reason: str, message: str) -> None:
        sentence, hint = _explained(status, message)
        super().__init__(sentence, hint)
        self.status = status
        self.reason = reason

    @property
    def not_found(self) -> bool:
        """Whether what was asked for does not exist."""
        return self.status == 404

    @property
    def passing(self) -> bool:
        """Whether the same call may succeed a moment later."""
        return self.status in {429, 500, 502, 503, 504}

    @property
    def forbidden(self) -> bool:
        """Whether the engine has no right to it, by the roles that the server knows so far."""
        return self.status == 403 and self.hint == _GRANT

    @property
    def over_quota(self) -> bool:
        """Whether it would exceed the namespace's quota."""
        return self.hint == _WAIT_FOR_QUOTA


def refusal(status: int, body: bytes) -> ClusterRefusal:
    """Return the error for an answer: a Status object, or whatever a proxy before it says."""
    try:
        found: Any = json.loads(body)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        return ClusterRefusal(status, "", _one_line(body.decode("utf-8", "replace")))
    return ClusterRefusal(status, _one_line(found.get("reason", "")), _one_line(found.get("message", "")))


def _one_line(text: object) -> str:
    words = " ".join(str(text or "").split())
    return "".join(letter for letter in words if letter.isprintable())[:_MOST_TEXT]


_QUOTA = "exceeded quota"
_WAIT_FOR_QUOTA = "wait for a run to end, or raise the quota: kubectl describe resourcequota"
_POD_SECURITY = "violates PodSecurity"
_NO_CLASS = "RuntimeClass"
_GRANT = "kubectl apply -k deploy/kubernetes   (it grants the engine's role)"


def _explained(status: int, message: str) -> tuple[str, str]:
    """Return a sentence and a hint for a refusal."""
    known = (
        (status == 401, "Kubernetes does not accept the engine's token or certificate",
         f"renew the token in the kubeconfig, then: {DOCTOR}"),
        (_QUOTA in message, f"the namespace's quota is used up: {message}",
         _WAIT_FOR_QUOTA),
        (_POD_SECURITY in message, f"the namespace's Pod security refuses the sandbox: {message}",
         "kubectl label namespace NAME pod-security.kubernetes.io/enforce=baseline --overwrite"),
        (status == 403 and _NO_CLASS in message, f"the cluster has no such RuntimeClass: {message}",
         "kubectl get runtimeclass   (then set sandbox.kubernetes.runtime_class)"),
        (status == 403, f"Kubernetes forbids it to the engine: {message}", _GRANT),
        (status == 409, f"Kubernetes has this object already, or it changed meanwhile: {message}", DOCTOR),
        (status == 429, f"Kubernetes asks to call less often: {message}",
         "wait a moment, or lower sandbox.concurrent"),
        (status == 404, f"Kubernetes does not have it: {message}", DOCTOR),
    )  # fmt: skip
    for holds, sentence, hint in known:
        if holds:
            return sentence, hint
    return f"Kubernetes answered {status}: {message}", DOCTOR

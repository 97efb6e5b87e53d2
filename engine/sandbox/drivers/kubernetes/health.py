"""Rows of Health about the cluster, the engine's rights in it, and images."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from engine.models import Check
from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.drivers.kubernetes.api_client import ApiClient
from engine.sandbox.drivers.kubernetes.image_catalog import ImageCatalog
from engine.sandbox.isolation.health import row

_SECONDS = 2.5
RIGHTS = (
    *(("", "pods", "", verb) for verb in ("create", "get", "list", "watch", "delete", "deletecollection")),
    *(("", "pods", part, verb) for part in ("attach", "exec") for verb in ("get", "create")),
    *(("", "configmaps", "", verb) for verb in ("create", "get", "list", "delete")),
    *(("coordination.k8s.io", "leases", "", verb) for verb in ("create", "get", "list", "patch", "delete")),
)
"""What the engine must be allowed in its namespace: API group, kind, part, verb. It asks for no more."""
_GRANT = "kubectl apply -k deploy/kubernetes   (it grants the engine's role)"


async def cluster_checks(client: ApiClient, images: ImageCatalog, names: Sequence[str]) -> tuple[Check, ...]:
    """Return whether the API server answers, and which images are named."""
    try:
        version = await client.call("GET", "/version", deadline=_SECONDS, patience=0)
    except SandboxUnavailable as error:
        return (row("kubernetes", False, str(error), error.hint),)
    detail = f"Kubernetes {str(version.get('gitVersion', '?'))[:40]}, namespace {client.namespace}"
    return (row("kubernetes", True, detail, ""), *(_image(images, name) for name in names))


def _image(images: ImageCatalog, image: str) -> Check:
    name = f"image {image.rpartition('/')[2]}"
    try:
        return row(name, True, images.reference(images.digest(image)), "")
    except SandboxUnavailable as error:
        return row(name, False, str(error), error.hint)


async def rights_check(client: ApiClient) -> Check:
    """Return whether the engine may do what it must, as the API server says itself."""
    try:
        allowed = await asyncio.gather(*(_allowed(client, right) for right in RIGHTS))
    except SandboxUnavailable as error:
        return row("rights", False, str(error), error.hint)
    missing = [_named(right) for right, may in zip(RIGHTS, allowed, strict=True) if not may]
    detail = f"missing: {', '.join(missing)}" if missing else f"all {len(RIGHTS)} that a sandbox takes"
    return row("rights", not missing, detail, _GRANT)


async def _allowed(client: ApiClient, right: tuple[str, str, str, str]) -> bool:
    group, kind, part, verb = right
    asked = {
        "namespace": client.namespace,
        "group": group,
        "resource": kind,
        "subresource": part,
        "verb": verb,
    }
    body = {"kind": "SelfSubjectAccessReview", "spec": {"resourceAttributes": asked}}
    path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    answer = await client.call("POST", path, {"apiVersion": "authorization.k8s.io/v1", **body})
    return bool((answer.get("status") or {}).get("allowed"))


def _named(right: tuple[str, str, str, str]) -> str:
    _, kind, part, verb = right
    return f"{verb} {kind}{f'/{part}' if part else ''}"

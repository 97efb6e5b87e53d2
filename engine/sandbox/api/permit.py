"""The permission to start code: asked for with the exact sandbox and image, given by the caller."""

from __future__ import annotations

from dataclasses import dataclass

from engine.sandbox.api.errors import SandboxUnavailable


@dataclass(frozen=True, slots=True)
class StartRequest:
    """What a backend is about to use for a run."""

    run: str
    sandbox: str
    image_digest: str
    unobserved: str = ""
    """Why the effects of the code will not be observed; empty: they will."""


@dataclass(frozen=True, slots=True)
class StartPermit:
    """The caller's permission to start the code of one run, in this sandbox only."""

    request: StartRequest


def permit_image(request: StartRequest, image_digest: str) -> StartPermit:
    """Return a permit for a sandbox of this very image. Raises SandboxUnavailable for any other."""
    if not image_digest or request.image_digest != image_digest:
        raise SandboxUnavailable(
            f"the sandbox has image {request.image_digest or 'unknown'}, not {image_digest}",
            "pratique doctor",
        )
    return StartPermit(request)

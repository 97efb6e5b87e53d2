"""Rows of Health about images: which Docker has, by digest, how old each is."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from docker.errors import APIError

from engine.common.text import Untrusted
from engine.models import Check
from engine.sandbox.drivers.docker.docker_client import DockerClient, DockerUnreachable

KEPT_SECONDS = 30.0
"""How long an answer is good for: Health is asked for every few seconds, images change seldom."""
_ASK_SECONDS = 5.0


class ImageChecks:
    """Asks Docker about images, and remembers for a moment what it said."""

    def __init__(self, client: DockerClient) -> None:
        self._client = client
        self._known: tuple[Check, ...] = ()
        self._until = 0.0

    async def checks(self, images: Iterable[str]) -> tuple[Check, ...]:
        """Return a row for each image; none where Docker does not answer, which has a row of its own."""
        if time.monotonic() > self._until:
            self._known = tuple([row for image in images if (row := await self._row(image))])
            self._until = time.monotonic() + KEPT_SECONDS
        return self._known

    async def _row(self, image: str) -> Check | None:
        name = image.rpartition("/")[2].partition(":")[0]
        try:
            found: dict[str, Any] = await self._client.call("inspect_image", image, deadline=_ASK_SECONDS)
        except DockerUnreachable:
            return None
        except APIError:
            hint = f"pratique image build {name}"
            return Check(
                name=f"image {name}", ok=False, detail=Untrusted("Docker has no such image"), hint=hint
            )
        return Check(name=f"image {name}", ok=True, detail=Untrusted(described(found, datetime.now(UTC))))


def described(found: dict[str, Any], now: datetime) -> str:
    """Return digest, age and size of an image, as Docker describes it."""
    digest = str(found.get("Id", "")).removeprefix("sha256:")[:12]
    made = str(found.get("Created", ""))[:19]
    size = int(found.get("Size", 0)) >> 20
    try:
        age = now - datetime.fromisoformat(made).replace(tzinfo=UTC)
    except ValueError:
        return f"{digest}, {size} MiB"
    return f"{digest}, built {_age(age.total_seconds())} ago, {size} MiB"


def _age(seconds: float) -> str:
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            count = int(seconds // length)
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return "moments"

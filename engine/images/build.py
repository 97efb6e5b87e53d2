"""Build and list images."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

import requests
from docker import DockerClient
from docker.errors import DockerException, ImageNotFound
from docker.models.images import Image

from engine.images import base
from engine.images.spec import (
    BASE_LABEL,
    INPUTS,
    BuiltImage,
    ImageError,
    ImageSpec,
    ListedImage,
    Progress,
    context,
    inputs_hash,
    reference,
    shipped,
)

Watch = Callable[[Progress], None]
_STEP = re.compile(r"Step (\d+)/(\d+) : (.*)")


def list_images(docker: DockerClient) -> tuple[ListedImage, ...]:
    """Return every shipped image with its state in Docker."""
    return tuple(_listed(spec, _found(docker, spec)) for spec in shipped())


def build(docker: DockerClient, spec: ImageSpec, watch: Watch, *, fresh: bool = False) -> BuiltImage:
    """Build an image unless it is up to date; `fresh` builds it anyway, without caches.

    Raises ImageError.
    """
    began = time.monotonic()
    try:
        image = _found(docker, spec)
        current = image is not None and _listed(spec, image).current
        if not current or fresh:
            _build(docker, spec, watch, fresh=fresh)
            image = docker.images.get(reference(spec.name))
    except (DockerException, requests.RequestException) as error:
        raise ImageError(
            f"image {spec.name}: Docker failed: {_one_line(error)}", hint="Type: pratique doctor"
        ) from None
    return BuiltImage(
        name=spec.name,
        reference=reference(spec.name),
        digest=str(image.id) if image else "",
        built=fresh or not current,
        seconds=time.monotonic() - began,
    )


def ensure_base(docker: DockerClient, watch: Watch, *, fresh: bool = False) -> str:
    """Return the base image by digest; pull or create it if missing or `fresh`. Raises ImageError."""
    if (found := base.base_digest(docker)) and not fresh:
        return found
    watch(Progress(image="base", step=0, steps=2, line="pulling from a container registry"))
    if not base.pull(docker):
        watch(
            Progress(image="base", step=1, steps=2, line="no registry responds: creating it with mmdebstrap")
        )
        base.bootstrap(docker)
    watch(Progress(image="base", step=2, steps=2, line="ready"))
    made = base.base_digest(docker)
    if made is None:
        raise ImageError("Docker no longer has the base image", hint="Type: pratique image build")
    return made


def _build(docker: DockerClient, spec: ImageSpec, watch: Watch, *, fresh: bool) -> None:
    base_image = ensure_base(docker, watch)
    answers = docker.api.build(
        fileobj=context(spec),
        custom_context=True,
        tag=reference(spec.name),
        buildargs={"BASE": base_image},
        labels={INPUTS: inputs_hash(spec), BASE_LABEL: base_image},
        nocache=fresh,
        rm=True,
        forcerm=True,
        decode=True,
    )
    step, steps = 0, 1
    for answer in answers:
        line = _line(spec, answer)
        if found := _STEP.match(line):
            step, steps, line = int(found[1]), int(found[2]), found[3]
        if line:
            watch(Progress(image=spec.name, step=step, steps=steps, line=line))


def _line(spec: ImageSpec, answer: dict[str, Any]) -> str:
    if "error" in answer:
        reason = f"image {spec.name}: {_one_line(answer['error'])}"
        raise ImageError(reason, hint="Type: pratique image build")
    return str(answer.get("stream", "")).strip()


def _one_line(text: object) -> str:
    return " ".join(str(text).split())


def _found(docker: DockerClient, spec: ImageSpec) -> Image | None:
    try:
        return docker.images.get(reference(spec.name))
    except ImageNotFound:
        return None


def _listed(spec: ImageSpec, image: Image | None) -> ListedImage:
    if image is None:
        return ListedImage(name=spec.name, reference=reference(spec.name))
    return ListedImage(
        name=spec.name,
        reference=reference(spec.name),
        digest=str(image.id),
        created_at=datetime.fromisoformat(image.attrs["Created"]),
        bytes=int(image.attrs["Size"]),
        base=image.labels.get(BASE_LABEL, ""),
        current=image.labels.get(INPUTS) == inputs_hash(spec),
    )

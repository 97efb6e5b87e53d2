"""Sandbox images: what ships, how each is built from its folder, and which of them Docker has."""

from __future__ import annotations

from engine.images.base import BASE, bootstrap, pinned, pull
from engine.images.build import Watch, build, listed, make_base
from engine.images.spec import (
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

__all__ = [
    "BASE",
    "BuiltImage",
    "ImageError",
    "ImageSpec",
    "ListedImage",
    "Progress",
    "Watch",
    "bootstrap",
    "build",
    "context",
    "inputs_hash",
    "listed",
    "make_base",
    "pinned",
    "pull",
    "reference",
    "shipped",
]

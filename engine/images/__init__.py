"""Sandbox images: which are shipped, how they are built, and which of them Docker has."""

from __future__ import annotations

from engine.images.base import BASE, base_digest, bootstrap, pull
from engine.images.build import Watch, build, ensure_base, list_images
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
    "base_digest",
    "bootstrap",
    "build",
    "context",
    "ensure_base",
    "inputs_hash",
    "list_images",
    "pull",
    "reference",
    "shipped",
]

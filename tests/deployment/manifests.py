"""The manifests and the chart that ship, as objects."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import yaml

DEPLOY = Path(__file__).parents[2] / "deploy"
MANIFESTS = DEPLOY / "kubernetes"
CHART = DEPLOY / "helm" / "pratique"
_FIELD = re.compile(r"\{\{ \.(Values|Release)\.([A-Za-z.]+)( \| quote)? \}\}")

Object = dict[str, Any]


def manifests() -> list[Object]:
    """Return what `kubectl apply -k deploy/kubernetes` applies."""
    kustomization = yaml.safe_load((MANIFESTS / "kustomization.yaml").read_text())
    return [one for name in kustomization["resources"] for one in objects((MANIFESTS / name).read_text())]


def engine_image() -> str:
    """Return the name of the engine's image in the manifests."""
    (stateful,) = [one for one in manifests() if one["kind"] == "StatefulSet"]
    return str(stateful["spec"]["template"]["spec"]["containers"][0]["image"])


def chart(**values: str) -> list[Object]:
    """Return what the chart makes with its own values, or with others by their path.

    The chart uses fields and `quote` alone, which is all that is understood here.
    """
    known = yaml.safe_load((CHART / "values.yaml").read_text())

    def field(found: re.Match[str]) -> str:
        value = _value(known, found[2]) if found[1] == "Values" else "pratique"
        return json.dumps(values.get(found[2], value)) if found[3] else str(values.get(found[2], value))

    texts = [_FIELD.sub(field, path.read_text()) for path in sorted(CHART.glob("templates/*.yaml"))]
    return [one for text in texts for one in objects(text)]


def objects(text: str) -> list[Object]:
    """Return the objects of a file."""
    return [one for one in yaml.safe_load_all(text) if one]


def understood(objects: list[Object], minor: int) -> list[Object]:
    """Return objects in the versions that an old server knows."""
    if minor < 21:
        for one in objects:
            if one["kind"] == "PodDisruptionBudget":
                one["apiVersion"] = "policy/v1beta1"
    return objects


def _value(values: Any, path: str) -> Any:
    for part in path.split("."):
        values = values[part]
    return values

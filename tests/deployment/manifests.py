"""The manifests and the chart that ship, as objects."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import yaml

DEPLOY = Path(__file__).parents[2] / "deploy"
MANIFESTS = DEPLOY / "kubernetes"
SEVERAL = DEPLOY / "kubernetes-several"
CHART = DEPLOY / "helm" / "pratique"
_FIELD = re.compile(r"\{\{ \.(Values|Release)\.([A-Za-z.]+)( \| quote)? \}\}")
_CHOICE = re.compile(
    r"\{\{- if \.Values\.([A-Za-z.]+) \}\}\n(.*?)(?:\{\{- else \}\}\n(.*?))?\{\{- end \}\}\n", re.DOTALL
)
_NAMES = ("name", "mountPath")
"""What tells the entries of a list apart, as Kubernetes merges them."""

Object = dict[str, Any]


def manifests() -> list[Object]:
    """Return what `kubectl apply -k deploy/kubernetes` applies."""
    kustomization = yaml.safe_load((MANIFESTS / "kustomization.yaml").read_text())
    return [one for name in kustomization["resources"] for one in objects((MANIFESTS / name).read_text())]


def several_manifests() -> list[Object]:
    """Return what `kubectl apply -k deploy/kubernetes-several` applies."""
    made = {(one["kind"], one["metadata"]["name"]): one for one in manifests()}
    for name in ("service.yaml", "engines.yaml"):
        for patch in objects((SEVERAL / name).read_text()):
            key = patch["kind"], patch["metadata"]["name"]
            made[key] = merged(made[key], patch)
    return list(made.values())


def merged(below: Any, above: Any) -> Any:
    """Return an object with a patch in it, by the rules of a strategic merge that the patches here need."""
    if isinstance(below, dict) and isinstance(above, dict):
        return below | {key: merged(below.get(key), value) for key, value in above.items()}
    name = next((name for name in _NAMES if _all_have(name, below) and _all_have(name, above)), None)
    if name is None:
        return above
    entries = {one[name]: one for one in below}
    return list((entries | {one[name]: merged(entries.get(one[name]), one) for one in above}).values())


def _all_have(name: str, entries: Any) -> bool:
    return isinstance(entries, list) and all(isinstance(one, dict) and name in one for one in entries)


def database_url() -> str:
    """Return the address that the manifests of several engines name."""
    text = (SEVERAL / "engines.yaml").read_text()
    return next(line.split()[-1] for line in text.splitlines() if "value: postgresql://" in line)


def engine_image() -> str:
    """Return the name of the engine's image in the manifests."""
    (stateful,) = [one for one in manifests() if one["kind"] == "StatefulSet"]
    return str(stateful["spec"]["template"]["spec"]["containers"][0]["image"])


def chart(**values: str) -> list[Object]:
    """Return what the chart makes with its own values, or with others by their path.

    The chart uses fields, `quote` and choices by one value alone, which is all that is understood here.
    """
    known = yaml.safe_load((CHART / "values.yaml").read_text())

    def choice(found: re.Match[str]) -> str:
        return found[2] if values.get(found[1], _value(known, found[1])) else found[3] or ""

    def field(found: re.Match[str]) -> str:
        value = _value(known, found[2]) if found[1] == "Values" else "pratique"
        return json.dumps(values.get(found[2], value)) if found[3] else str(values.get(found[2], value))

    templates = [_CHOICE.sub(choice, path.read_text()) for path in sorted(CHART.glob("templates/*.yaml"))]
    texts = [_FIELD.sub(field, template) for template in templates]
    return [one for text in texts for one in objects(text)]


def helm(**values: str) -> list[Object]:
    """Return what the real Helm makes of the chart. Raises CalledProcessError."""
    literals = [word for path, value in values.items() for word in ("--set-literal", f"{path}={value}")]
    command = ["helm", "template", "pratique", str(CHART), "--namespace", "pratique", *literals]
    return objects(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


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

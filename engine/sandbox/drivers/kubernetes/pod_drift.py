"""The check that a Pod still is what was asked for. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

_UNITS = {"m": Fraction(1, 1000), "": Fraction(1)}
_UNITS |= {name: Fraction(1000**power) for power, name in enumerate("kMGTP", 1)}
_UNITS |= {f"{name}i": Fraction(1024**power) for power, name in enumerate("KMGTP", 1)}


def quantity(text: object) -> Fraction | None:
    """Return an amount as the API server writes it in its shortest form: `1024Mi` comes back as `1Gi`."""
    if not isinstance(text, str):
        return None
    number = text.rstrip("mkKMGTPi")
    unit = _UNITS.get(text[len(number) :])
    return int(number) * unit if number.isdecimal() and unit is not None else None


def drift(seen: Mapping[str, Any], made: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of what differs between a Pod that the API server describes and its manifest.

    Whatever an admission webhook or a person added counts: containers, volumes, rights, another image.
    """
    has, wanted = seen.get("spec") or {}, made["spec"]
    wrong = [
        name
        for name in ("runtimeClassName", "restartPolicy", "automountServiceAccountToken")
        if has.get(name) != wanted[name]
    ]
    wrong += [
        name for name in ("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace") if has.get(name)
    ]
    wrong += [name for name in ("initContainers", "ephemeralContainers") if has.get(name)]
    if {one.get("name") for one in has.get("volumes") or []} != {one["name"] for one in wanted["volumes"]}:
        wrong.append("volumes")
    containers = has.get("containers") or []
    if len(containers) != 1:
        return (*wrong, "containers")
    return (*wrong, *_container_drift(containers[0], wanted["containers"][0]), *_state_drift(seen, wanted))


def _container_drift(has: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    same = ("image", "command", "args", "stdin", "stdinOnce")
    wrong = [name for name in same if has.get(name) != wanted[name]]
    rights = has.get("securityContext") or {}
    wrong += [
        f"securityContext.{name}"
        for name, value in wanted["securityContext"].items()
        if rights.get(name) != value
    ]
    limits, granted = (has.get("resources") or {}).get("limits") or {}, wanted["resources"]["limits"]
    wrong += [name for name in ("cpu", "memory") if quantity(limits.get(name)) != quantity(granted[name])]
    mounts = [(one.get("name"), one.get("mountPath")) for one in has.get("volumeMounts") or []]
    if mounts != [(one["name"], one["mountPath"]) for one in wanted["volumeMounts"]]:
        wrong.append("volumeMounts")
    if has.get("env", []) != wanted["env"] or has.get("envFrom"):
        wrong.append("env")
    return wrong


def _state_drift(seen: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """Return what differs in the status: whether it runs, and the image's digest if the node tells it."""
    status = seen.get("status") or {}
    wrong = (
        []
        if status.get("phase") == "Running" and not seen["metadata"].get("deletionTimestamp")
        else ["phase"]
    )
    digest = str(wanted["containers"][0]["image"]).partition("@")[2]
    for one in status.get("containerStatuses") or []:
        _, at, runs = str(one.get("imageID", "")).partition("@")
        if one.get("restartCount") or (at and runs != digest):
            wrong.append("container")
    return wrong

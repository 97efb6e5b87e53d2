"""Sandbox policies of OpenShell (version 1): hosts that programs may reach, files, and the process."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from engine.common.file_faults import Fault, PolicyError
from engine.common.hosts import matches_any
from engine.common.strict_yaml import Document, Path_
from engine.policy.imports.imported import ImportedEntry, covered, left_out, taken
from engine.policy.imports.patterns import host_fault, is_text

PORTS = (80, 443)
HOSTS_RULE = "openshell-hosts"
_NARROWER = ("access", "rules", "deny_rules", "path", "allowed_ips", "protocol", "enforcement")
_FILES = "a sandbox has its image, a workspace and the files that are granted; nothing of the host"
_COVERED = {
    "filesystem_policy": _FILES,
    "filesystem": _FILES,
    "landlock": "gVisor's kernel stands between the code and the host, with no mode that goes on without it",
    "process": "code runs as the user 1000 without capabilities; it cannot be told otherwise",
    "version": "version 1 is read",
}


def read_sandbox_policy(document: Document) -> tuple[ImportedEntry, ...]:
    """Return what becomes of each part of the policy.

    Raises:
        PolicyError: it is no policy of version 1.
    """
    policy = document.value
    if not isinstance(policy, dict) or policy.get("version") != 1 or policy.get("version") is True:
        raise PolicyError(Fault(document.place(("version",)), "no policy of OpenShell: `version: 1` is read"))
    networks = policy.get("network_policies") or {}
    if not isinstance(networks, dict):
        raise PolicyError(Fault(document.place(("network_policies",)), "`network_policies` holds keys"))
    hosts: dict[str, None] = {}
    entries = list(_networks(document, networks, hosts))
    entries += _parts(document, policy)
    line = document.place(("network_policies",)).line
    return tuple(sorted([_allowlist(line, list(hosts)), *entries], key=lambda entry: entry.line))


def _allowlist(line: int, hosts: list[str]) -> ImportedEntry:
    """Return the rule that refuses what OpenShell's policy does not name."""
    reason = "imported from OpenShell: the host is not on the list"
    rule: dict[str, Any] = {"id": HOSTS_RULE, "refuse": True, "reason": reason}
    rule["when"] = {"domains_outside": hosts} if hosts else {"requests": "domains"}
    rule["match"] = [{"domains": _elsewhere(hosts)}]
    if hosts:
        rule["not_match"] = [{"domains": hosts[0].replace("*.", "www.")}]
    why = "code that requests another host is refused; those on the list are granted by a person, each time"
    return taken(line, f"network_policies: {len(hosts)} hosts", why, rule)


def _elsewhere(hosts: list[str]) -> str:
    names = (f"not-on-the-list-{number}.example" for number in itertools.count())
    return next(name for name in names if not matches_any(hosts, name))


def _networks(
    document: Document, networks: dict[str, Any], hosts: dict[str, None]
) -> Iterator[ImportedEntry]:
    for name, network in networks.items():
        path: Path_ = ("network_policies", name)
        if not isinstance(network, dict):
            raise PolicyError(Fault(document.place(path), f"`{name}` holds `endpoints` and `binaries`"))
        endpoints = network.get("endpoints") or []
        if not isinstance(endpoints, list):
            raise PolicyError(Fault(document.place((*path, "endpoints")), "`endpoints` is a list"))
        for number, endpoint in enumerate(endpoints):
            yield from _endpoint(document, (*path, "endpoints", number), endpoint, hosts)
        if network.get("binaries"):
            yield left_out(
                document.place((*path, "binaries")).line,
                f"{name}: binaries",
                "a grant is for all of a submission, not for one of its programs",
            )


def _endpoint(
    document: Document, path: Path_, endpoint: Any, hosts: dict[str, None]
) -> Iterator[ImportedEntry]:
    line = document.place(path).line
    if not isinstance(endpoint, dict):
        yield left_out(line, f"{path[1]}: {endpoint}", "it is no endpoint")
        return
    text = f"{path[1]}: {endpoint.get('host')}"
    host = endpoint["host"] if is_text(endpoint.get("host")) else ""
    plain = host.lower().replace("**.", "*.")
    if fault := host_fault(plain) if plain else "it names no host":
        yield left_out(line, text, f"{fault}; requests for it are refused")
        return
    hosts[plain] = None
    yield covered(line, text, _kept(host, plain))
    yield from _narrower(document, path, text, endpoint)


def _kept(host: str, plain: str) -> str:
    widened = plain.startswith("*.") and not host.startswith("**.")
    return f"on the list of {HOSTS_RULE}" + (", and so are names further below it" if widened else "")


def _narrower(
    document: Document, path: Path_, text: str, endpoint: dict[str, Any]
) -> Iterator[ImportedEntry]:
    ports = [endpoint.get("port"), *_list(endpoint.get("ports"))]
    if other := [port for port in ports if port is not None and port not in PORTS]:
        reason = "ports are a setting, `sandbox.network.ports` (80 and 443): others stay closed"
        yield left_out(document.place((*path, "port")).line, f"{text}: port {other[0]}", reason)
    for key in endpoint:
        if key in _NARROWER:
            reason = "a grant is for a host, not for methods or paths: the reviewer sees the code"
            yield left_out(document.place((*path, key)).line, f"{text}: {key}", reason)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _parts(document: Document, policy: dict[str, Any]) -> Iterator[ImportedEntry]:
    for key in policy:
        line = document.place((key,)).line
        if key in _COVERED:
            yield covered(line, key, _COVERED[key])
        elif key != "network_policies":
            yield left_out(line, key, "Pratique has no such part")

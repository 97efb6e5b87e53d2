"""How the API server is reached: kubeconfig files, good and hostile, and the service account of a Pod."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from engine.sandbox import SandboxUnavailable
from engine.sandbox.drivers.kubernetes import cluster_access as access
from engine.sandbox.drivers.kubernetes.cluster_access import cluster_access, of_kubeconfig, parse_kubeconfig


def document(cluster: dict[str, Any] | None = None, user: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a kubeconfig with two contexts."""
    server = {"server": "https://cluster.example.org:6443/", "certificate-authority-data": "Y2E="}
    return {
        "current-context": "here",
        "contexts": [
            {"name": "there", "context": {"cluster": "b", "user": "u"}},
            {"name": "here", "context": {"cluster": "a", "user": "u"}},
        ],
        "clusters": [
            {"name": "a", "cluster": server | (cluster or {})},
            {"name": "b", "cluster": {"server": "https://other.example.org"}},
        ],
        "users": [{"name": "u", "user": {"token": "secret"} if user is None else user}],
    }


def test_the_current_context_is_read_or_the_one_that_is_named(tmp_path: Path) -> None:
    """Server, authority and token come from the context's cluster and user."""
    here, there = (parse_kubeconfig(document(), name, tmp_path) for name in ("", "there"))
    assert ("https://cluster.example.org:6443", b"ca") == (here.server, here.authority)
    assert {"Authorization": "Bearer secret"} == here.headers()
    assert ("https://other.example.org", b"") == (there.server, there.authority)


def test_files_lie_beside_the_kubeconfig_and_tokens_are_read_for_each_call(tmp_path: Path) -> None:
    """A renewed token is used by the next call."""
    (tmp_path / "token").write_text("one\n")
    (tmp_path / "ca.pem").write_text("from a file")
    cluster = {"certificate-authority-data": None, "certificate-authority": "ca.pem"}
    (tmp_path / "config").write_text(yaml.safe_dump(document(cluster, {"tokenFile": "token"})))
    found = of_kubeconfig(tmp_path / "config", "")
    assert b"from a file" == found.authority
    assert {"Authorization": "Bearer one"} == found.headers()
    (tmp_path / "token").write_text("two")
    assert {"Authorization": "Bearer two"} == found.headers()


@pytest.mark.parametrize(
    ("cluster", "user", "why"),
    [
        ({"server": "http://cluster"}, None, "https"),
        ({"server": "https://"}, None, "https"),
        ({"server": "https://user@cluster"}, None, "https"),
        ({"server": "https://cluster:port"}, None, "https"),
        ({"server": 7}, None, "https"),
        ({"insecure-skip-tls-verify": True}, None, "refused"),
        ({"certificate-authority-data": "%%%"}, None, "base64"),
        ({}, {}, "neither"),
        ({}, {"exec": {"command": "rm"}}, "login programs"),
        ({}, {"auth-provider": {"name": "oidc"}, "token": "t"}, "login programs"),
        ({}, {"token": "one\r\nX-Other: two"}, "one line"),
    ],
)
def test_what_is_unsafe_or_missing_is_refused(
    cluster: dict[str, Any], user: dict[str, Any] | None, why: str, tmp_path: Path
) -> None:
    """No connection without TLS and its verification, no programs, no header in a token."""
    with pytest.raises(ValueError, match=why):
        parse_kubeconfig(document(cluster, user), "", tmp_path)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """The error names the file, and what to set."""
    with pytest.raises(SandboxUnavailable, match="nothing-here") as caught:
        of_kubeconfig(tmp_path / "nothing-here", "")
    assert "sandbox.kubernetes.kubeconfig" in caught.value.hint
    (tmp_path / "config").write_text("a: [")
    with pytest.raises(SandboxUnavailable, match="not YAML"):
        of_kubeconfig(tmp_path / "config", "")


def test_a_pod_uses_its_service_account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a kubeconfig the files of the account are used, where they are; else a sentence says so."""
    monkeypatch.setattr(access, "ACCOUNT", tmp_path)
    environment = {"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "6443"}
    with pytest.raises(SandboxUnavailable, match="no kubeconfig"):
        cluster_access(None, "", environment)
    (tmp_path / "token").write_text("mounted")
    (tmp_path / "ca.crt").write_text("ca")
    found = cluster_access(None, "", environment)
    assert ("https://[fd00::1]:6443", {"Authorization": "Bearer mounted"}) == (found.server, found.headers())


def test_an_authority_that_is_none_is_refused() -> None:
    """A certificate that cannot be read is an error for people."""
    with pytest.raises(SandboxUnavailable, match="not valid"):
        access.ClusterAccess("https://cluster", b"not a certificate").context()


TEXT = some.text("ab/\0\x1b\u202eé", max_size=8)
json_like = some.recursive(
    some.none() | some.booleans() | some.integers() | TEXT,
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
KEYS = some.sampled_from(["current-context", "contexts", "clusters", "users"])
PARTS = some.sampled_from(["server", "certificate-authority-data", "certificate-authority", "token", "exec"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(
    parts=some.dictionaries(KEYS, json_like), cluster=some.dictionaries(PARTS, json_like), anything=json_like
)
def test_any_document_is_read_or_refused(
    parts: dict[str, Any], cluster: dict[str, Any], anything: Any, tmp_path: Path
) -> None:
    """No document raises anything else."""
    for strange in (document() | parts, document(cluster), document(None, cluster), anything):
        try:
            found = parse_kubeconfig(strange, "", tmp_path)
        except (ValueError, SandboxUnavailable):
            continue
        assert found.server.startswith("https://")


def test_what_is_inline_may_be_binary(tmp_path: Path) -> None:
    """A client certificate and its key are decoded."""
    encoded = base64.b64encode(b"\0pem").decode()
    user = {"client-certificate-data": encoded, "client-key-data": encoded}
    found = parse_kubeconfig(document(None, user), "", tmp_path)
    assert (b"\0pem", b"\0pem", {}) == (found.certificate, found.key, found.headers())

"""Where Docker is: the environment, or Docker's own contexts, and never one that does not say who answers."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from engine.sandbox.drivers.docker.docker_client import DockerClient, DockerUnreachable
from engine.sandbox.drivers.docker.endpoint import Endpoint, EndpointError, endpoint, ssh_command


def context(folder: Path, name: str, host: str, **more: Any) -> dict[str, str]:
    """Write one of Docker's contexts, choose it, and return the environment that leads there."""
    key = hashlib.sha256(name.encode()).hexdigest()
    meta = folder / "contexts" / "meta" / key
    meta.mkdir(parents=True)
    docker = {"Host": host, "SkipTLSVerify": False} | more
    (meta / "meta.json").write_text(json.dumps({"Name": name, "Endpoints": {"docker": docker}}))
    (folder / "config.json").write_text(json.dumps({"currentContext": name}))
    return {"DOCKER_CONFIG": str(folder)}


def test_the_environment_comes_before_what_docker_chose(tmp_path: Path) -> None:
    """DOCKER_HOST, DOCKER_CONTEXT, `docker context use`, the usual socket: in this order."""
    chosen = context(tmp_path, "far", "ssh://ada@far.example.org:2222")
    assert Endpoint("ssh://ada@far.example.org:2222", "far") == endpoint(chosen)
    assert Endpoint("tcp://near:1") == endpoint(
        chosen | {"DOCKER_HOST": "tcp://near:1", "DOCKER_CONTEXT": "far"}
    )
    assert Endpoint() == endpoint(chosen | {"DOCKER_CONTEXT": "default"})
    assert Endpoint() == endpoint({"DOCKER_CONFIG": str(tmp_path / "none")})


def test_certificates_of_a_context_are_used(tmp_path: Path) -> None:
    """A context with an authority is spoken to over TLS, and who answers is verified."""
    chosen = context(tmp_path, "safe", "tcp://safe.example.org:2376")
    tls = tmp_path / "contexts" / "tls" / hashlib.sha256(b"safe").hexdigest() / "docker"
    tls.mkdir(parents=True)
    for name in ("ca.pem", "cert.pem", "key.pem"):
        (tls / name).write_text("")
    options = endpoint(chosen).options()
    assert "https://safe.example.org:2376" == options["base_url"]
    assert (True, str(tls / "ca.pem")) == (options["tls"].verify, options["tls"].ca_cert)


@pytest.mark.parametrize(
    ("host", "more", "why"),
    [
        ("tcp://far.example.org:2376", {"SkipTLSVerify": True}, "skips TLS verification"),
        ("npipe:////./pipe/docker", {}, "unsupported address"),
        ("", {}, "unsupported address"),
    ],
)
async def test_a_context_that_cannot_be_used_says_what_to_type(
    host: str, more: dict[str, Any], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody falls back to another Docker than the one that was chosen."""
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.setenv("DOCKER_CONFIG", context(tmp_path, "odd", host, **more)["DOCKER_CONFIG"])
    with pytest.raises(DockerUnreachable, match=f"{why}.*docker context use default"):
        await DockerClient(5.0).connect()


def test_a_context_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """Neither a missing context nor a broken file leads to the local Docker."""
    with pytest.raises(EndpointError, match="no context 'gone'"):
        endpoint({"DOCKER_CONFIG": str(tmp_path), "DOCKER_CONTEXT": "gone"})
    for text in ("{", "[]"):
        (tmp_path / "config.json").write_text(text)
        with pytest.raises(EndpointError, match="cannot be read"):
            endpoint({"DOCKER_CONFIG": str(tmp_path)})


def test_ssh_asks_nothing_and_keeps_the_checks_of_its_user() -> None:
    """User, port and socket of the address are arguments; nothing is said about host keys."""
    command = ssh_command("ssh://ada@far.example.org:2222/run/docker.sock", 20)
    assert [
        "--",
        "far.example.org",
        "docker",
        "--host",
        "unix:///run/docker.sock",
        "system",
        "dial-stdio",
    ] == command[-7:]
    assert {"BatchMode=yes", "ada", "2222"} <= set(command)
    assert not any("HostKey" in word or "KnownHosts" in word for word in command)


@pytest.mark.parametrize(
    "host",
    [
        "ssh://",
        "ssh://-oProxyCommand=touch",
        "ssh://-l@far",
        "ssh://ada:secret@far",
        "ssh://far:x",
        "ssh://far/a;b",
        "ssh://far/$(x)",
        "ssh://far?x",
        "ssh://fa r",
    ],
)
def test_an_address_that_is_more_than_one_is_refused(host: str) -> None:
    """Options, commands, passwords and questions in an address never reach a shell."""
    with pytest.raises(EndpointError):
        ssh_command(host, 20)

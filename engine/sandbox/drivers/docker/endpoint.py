"""The endpoint of Docker: `DOCKER_HOST` or a Docker context. Reads files, connects to nothing."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from docker.tls import TLSConfig
from docker.utils import kwargs_from_env

HINT = "docker context use default"


class EndpointError(Exception):
    """The configured Docker endpoint cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address of a Docker engine."""

    host: str = ""
    """Its URL; empty: the default socket of this host."""
    context: str = ""
    """The Docker context that it comes from; empty: the environment."""
    certificates: Path | None = None
    """The folder of a context with `ca.pem`, and `cert.pem` and `key.pem` for a client certificate."""

    @property
    def ssh(self) -> bool:
        """Whether it is reached over SSH."""
        return self.host.startswith("ssh://")

    @property
    def local(self) -> bool:
        """Whether it is a socket of this host."""
        return not self.host or self.host.startswith("unix://")

    def options(self) -> dict[str, Any]:
        """Return the arguments of Docker's client, unless it is reached over SSH."""
        if not self.context:
            return dict(kwargs_from_env())
        if self.certificates is None:
            return {"base_url": self.host}
        pair = (str(self.certificates / "cert.pem"), str(self.certificates / "key.pem"))
        client_cert = pair if all(Path(file).is_file() for file in pair) else None
        tls = TLSConfig(client_cert=client_cert, ca_cert=str(self.certificates / "ca.pem"), verify=True)
        return {"base_url": self.host.replace("tcp://", "https://", 1), "tls": tls}


def endpoint(environment: Mapping[str, str] = os.environ) -> Endpoint:
    """Return the endpoint: `DOCKER_HOST`, else `DOCKER_CONTEXT`, else the current context.

    Raises EndpointError.
    """
    if host := environment.get("DOCKER_HOST", ""):
        return Endpoint(host)
    folder = Path(environment.get("DOCKER_CONFIG") or Path.home() / ".docker")
    name = environment.get("DOCKER_CONTEXT") or _current_context(folder / "config.json")
    return _of_context(folder / "contexts", name) if name not in {"", "default"} else Endpoint()


def _current_context(config: Path) -> str:
    """Return the context selected by `docker context use`; empty if none is."""
    if not config.is_file():
        return ""
    current = _json(config).get("currentContext", "")
    return current if isinstance(current, str) else ""


def _of_context(contexts: Path, name: str) -> Endpoint:
    key = hashlib.sha256(name.encode()).hexdigest()
    meta = contexts / "meta" / key / "meta.json"
    if not meta.is_file():
        raise EndpointError(f"Docker has no context {name!a}")
    try:
        docker = _json(meta)["Endpoints"]["docker"]
        host, unverified = str(docker["Host"]), bool(docker.get("SkipTLSVerify"))
    except (KeyError, TypeError, AttributeError):
        raise EndpointError(f"Docker's context {name!a} has no Docker endpoint") from None
    if urlsplit(host).scheme not in {"unix", "tcp", "ssh"}:
        raise EndpointError(f"Docker's context {name!a} has the unsupported address {host!a}")
    if unverified:
        raise EndpointError(f"Docker's context {name!a} skips TLS verification and is refused")
    tls = contexts / "tls" / key / "docker"
    return Endpoint(host, name, tls if (tls / "ca.pem").is_file() else None)


def _json(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise EndpointError(f"{file} cannot be read: {error}") from None
    if not isinstance(found, dict):
        raise EndpointError(f"{file} cannot be read: it is not a JSON object")
    return found


def ssh_command(host: str, seconds: float) -> list[str]:
    """Return the command that connects standard input and output to the Docker at `ssh://USER@HOST:PORT`.

    It never prompts, and checks the host key as configured by the user: an unknown key is refused.
    Raises EndpointError.
    """
    try:
        url = urlsplit(host)
        user, name, port = _parts(url)
    except ValueError:
        raise EndpointError(f"{host!a} is not a URL of the form ssh://USER@HOST:PORT") from None
    options = ["-T", "-o", "BatchMode=yes", "-o", f"ConnectTimeout={max(1, int(seconds))}"]
    options += ["-o", "ControlMaster=auto", "-o", "ControlPersist=no", "-o", "ServerAliveInterval=10"]
    options += [*(["-l", user] if user else []), *(["-p", str(port)] if port else [])]
    socket = ["--host", f"unix://{url.path}"] if url.path.strip("/") else []
    return ["ssh", *options, "--", name, "docker", *socket, "system", "dial-stdio"]


def _parts(url: SplitResult) -> tuple[str, str, int | None]:
    """Return user, host and port. Raises ValueError: one is missing or unsafe, or there is a password."""
    name, user = url.hostname or "", url.username or ""
    unsafe = any(part.startswith("-") or not part.isprintable() or " " in part for part in (name, user))
    plain = all(letter.isalnum() or letter in "/._-" for letter in url.path)
    if not name or unsafe or url.password is not None or url.query or url.fragment or not plain:
        raise ValueError(name)
    return user, name, url.port

"""Where Docker is: `DOCKER_HOST`, or Docker's own context of that name. Reads files, connects to nothing."""

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
    """What names Docker's place cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where Docker is."""

    host: str = ""
    """Its address; empty: the usual socket of this machine."""
    context: str = ""
    """Docker's context that says so; empty: the environment does."""
    certificates: Path | None = None
    """The folder with `ca.pem`, and `cert.pem` and `key.pem` where the client shows one, of a context."""

    @property
    def ssh(self) -> bool:
        """Whether it is reached through `ssh`."""
        return self.host.startswith("ssh://")

    @property
    def local(self) -> bool:
        """Whether it is a socket of this machine."""
        return not self.host or self.host.startswith("unix://")

    def options(self) -> dict[str, Any]:
        """Return what Docker's client is made with, unless it is reached through `ssh`."""
        if not self.context:
            return dict(kwargs_from_env())
        if self.certificates is None:
            return {"base_url": self.host}
        pair = (str(self.certificates / "cert.pem"), str(self.certificates / "key.pem"))
        shown = pair if all(Path(file).is_file() for file in pair) else None
        tls = TLSConfig(client_cert=shown, ca_cert=str(self.certificates / "ca.pem"), verify=True)
        return {"base_url": self.host.replace("tcp://", "https://", 1), "tls": tls}


def endpoint(environment: Mapping[str, str] = os.environ) -> Endpoint:
    """Return where Docker is. `DOCKER_HOST` is stronger than `DOCKER_CONTEXT`, that than Docker's own choice.

    Raises EndpointError.
    """
    if host := environment.get("DOCKER_HOST", ""):
        return Endpoint(host)
    folder = Path(environment.get("DOCKER_CONFIG") or Path.home() / ".docker")
    name = environment.get("DOCKER_CONTEXT") or _current(folder / "config.json")
    return _of_context(folder / "contexts", name) if name not in {"", "default"} else Endpoint()


def _current(config: Path) -> str:
    """Return the name of the context that `docker context use` chose; empty where none is."""
    if not config.is_file():
        return ""
    chosen = _json(config).get("currentContext", "")
    return chosen if isinstance(chosen, str) else ""


def _of_context(contexts: Path, name: str) -> Endpoint:
    key = hashlib.sha256(name.encode()).hexdigest()
    meta = contexts / "meta" / key / "meta.json"
    if not meta.is_file():
        raise EndpointError(f"Docker has no context {name!a}")
    try:
        docker = _json(meta)["Endpoints"]["docker"]
        host, unverified = str(docker["Host"]), bool(docker.get("SkipTLSVerify"))
    except (KeyError, TypeError, AttributeError):
        raise EndpointError(f"Docker's context {name!a} names no Docker") from None
    if urlsplit(host).scheme not in {"unix", "tcp", "ssh"}:
        raise EndpointError(f"Docker's context {name!a} is at {host!a}, which cannot be reached from here")
    if unverified:
        raise EndpointError(f"Docker's context {name!a} does not verify who answers, and is not used")
    tls = contexts / "tls" / key / "docker"
    return Endpoint(host, name, tls if (tls / "ca.pem").is_file() else None)


def _json(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise EndpointError(f"{file} cannot be read: {error}") from None
    if not isinstance(found, dict):
        raise EndpointError(f"{file} cannot be read: it is no JSON object")
    return found


def ssh_command(host: str, seconds: float) -> list[str]:
    """Return the command that connects standard input and output to the Docker at `ssh://USER@HOST:PORT`.

    It asks nothing, and checks the host's key as the user's own configuration says: one that is not known is
    refused. Raises EndpointError.
    """
    try:
        url = urlsplit(host)
        user, name, port = _parts(url)
    except ValueError:
        raise EndpointError(f"{host!a} is no address of the form ssh://USER@HOST:PORT") from None
    options = ["-T", "-o", "BatchMode=yes", "-o", f"ConnectTimeout={max(1, int(seconds))}"]
    options += ["-o", "ControlMaster=auto", "-o", "ControlPersist=no", "-o", "ServerAliveInterval=10"]
    options += [*(["-l", user] if user else []), *(["-p", str(port)] if port else [])]
    socket = ["--host", f"unix://{url.path}"] if url.path.strip("/") else []
    return ["ssh", *options, "--", name, "docker", *socket, "system", "dial-stdio"]


def _parts(url: SplitResult) -> tuple[str, str, int | None]:
    """Return user, host and port. Raises ValueError: one is missing, is an option, or holds a password."""
    name, user = url.hostname or "", url.username or ""
    odd = any(part.startswith("-") or not part.isprintable() or " " in part for part in (name, user))
    plain = all(letter.isalnum() or letter in "/._-" for letter in url.path)
    if not name or odd or url.password is not None or url.query or url.fragment or not plain:
        raise ValueError(name)
    return user, name, url.port

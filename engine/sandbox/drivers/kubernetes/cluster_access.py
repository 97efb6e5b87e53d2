"""How the API server is reached: by a kubeconfig file, or by the service account of the engine's own Pod."""

from __future__ import annotations

import base64
import binascii
import os
import ssl
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from engine.sandbox.api.errors import SandboxUnavailable

ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
"""Where a Pod finds its service account."""
_MOST_BYTES = 4 << 20
_HINT = "set sandbox.kubernetes.kubeconfig in the settings, then: pratique doctor"


@dataclass(frozen=True, slots=True)
class ClusterAccess:
    """An API server, and who the engine is to it."""

    server: str
    authority: bytes = b""
    """The certificates that it is verified with, as PEM; empty: those of this machine."""
    certificate: bytes = b""
    """The engine's own certificate, as PEM; empty: it has a token."""
    key: bytes = b""
    token: str = ""
    token_file: Path | None = None
    """A file that is read for every call, as its token is renewed."""

    def headers(self) -> dict[str, str]:
        """Return the headers that say who calls. Raises SandboxUnavailable: the token cannot be read."""
        token = self.token
        if self.token_file is not None:
            token = _read(self.token_file).decode("ascii", "replace").strip()
        return {"Authorization": f"Bearer {token}"} if token else {}

    def context(self) -> ssl.SSLContext:
        """Return the TLS context. Raises SandboxUnavailable: a certificate or key is not valid."""
        try:
            context = ssl.create_default_context(cadata=self.authority.decode() if self.authority else None)
            if self.certificate:
                _load_certificate(context, self.certificate, self.key)
        except (ssl.SSLError, ValueError) as error:
            raise _refused(f"a certificate for {self.server} is not valid: {error}") from None
        return context


def _load_certificate(context: ssl.SSLContext, certificate: bytes, key: bytes) -> None:
    """Load a certificate and its key, which the library takes from a file only."""
    with tempfile.NamedTemporaryFile(suffix=".pem") as file:
        file.write(certificate + b"\n" + key)
        file.flush()
        context.load_cert_chain(file.name)


def cluster_access(kubeconfig: Path | None, context: str, environment: Mapping[str, str]) -> ClusterAccess:
    """Return the access that is configured: a file, else the Pod's own service account.

    Raises SandboxUnavailable.
    """
    if kubeconfig is not None:
        return of_kubeconfig(kubeconfig.expanduser(), context)
    host = environment.get("KUBERNETES_SERVICE_HOST", "")
    if host and (ACCOUNT / "token").is_file():
        return _of_account(host, environment.get("KUBERNETES_SERVICE_PORT", "443"))
    named = environment.get("KUBECONFIG", "").partition(os.pathsep)[0]
    if named:
        return of_kubeconfig(Path(named).expanduser(), context)
    raise _refused("no kubeconfig is named, and the engine does not run in a Pod with a service account")


def _of_account(host: str, port: str) -> ClusterAccess:
    name = f"[{host}]" if ":" in host else host
    return ClusterAccess(f"https://{name}:{port}", _read(ACCOUNT / "ca.crt"), token_file=ACCOUNT / "token")


def of_kubeconfig(path: Path, context: str) -> ClusterAccess:
    """Read a kubeconfig file; `context` names one of its contexts, or is empty for its current one.

    Raises SandboxUnavailable.
    """
    try:
        document = yaml.safe_load(_read(path))
    except yaml.YAMLError:
        raise _refused(f"{path} is not YAML") from None
    try:
        return parse_kubeconfig(document, context, path.parent)
    except ValueError as error:
        raise _refused(f"{path}: {error}") from None


def parse_kubeconfig(document: Any, context: str, folder: Path) -> ClusterAccess:
    """Return the access of a context. Files that it names are read relative to `folder`.

    Raises ValueError: what is missing, or not supported; SandboxUnavailable: a file cannot be read.
    """
    if not isinstance(document, dict):
        raise ValueError("it is not a kubeconfig")  # noqa: TRY004  as all that is wrong with the file
    wanted = context or _text(document, "current-context")
    if not wanted:
        raise ValueError("it has no current context: name one in sandbox.kubernetes.context")
    chosen = _named(document, "contexts", wanted, "context")
    cluster = _named(document, "clusters", _text(chosen, "cluster"), "cluster")
    user = _named(document, "users", _text(chosen, "user"), "user")
    _check_cluster(cluster)
    _check_user(user)
    token_file = _text(user, "tokenFile")
    return ClusterAccess(
        server=_text(cluster, "server").rstrip("/"),
        authority=_content(cluster, "certificate-authority", folder),
        certificate=_content(user, "client-certificate", folder),
        key=_content(user, "client-key", folder),
        token=_text(user, "token"),
        token_file=folder / token_file if token_file else None,
    )


def _check_cluster(cluster: dict[str, Any]) -> None:
    try:
        url = urlsplit(_text(cluster, "server"))
        valid = url.scheme == "https" and bool(url.hostname) and (url.port or 443) > 0 and not url.username
    except ValueError:
        valid = False
    if not valid:
        raise ValueError("the server's address is not an https URL")
    if cluster.get("insecure-skip-tls-verify"):
        raise ValueError("insecure-skip-tls-verify is refused: name its certificate-authority")


def _check_user(user: dict[str, Any]) -> None:
    if "exec" in user or "auth-provider" in user:
        raise ValueError("login programs are not run: use the token of a service account, or a certificate")
    if not any(
        user.get(name) for name in ("token", "tokenFile", "client-certificate", "client-certificate-data")
    ):
        raise ValueError("the user has neither a token nor a certificate")
    if not _text(user, "token").isprintable():
        raise ValueError("the token is not one line of text")


def _named(document: dict[str, Any], kind: str, name: str, key: str) -> dict[str, Any]:
    entries = document.get(kind)
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and entry.get("name") == name and isinstance(entry.get(key), dict):
            found: dict[str, Any] = entry[key]
            return found
    raise ValueError(f"{kind} has no {name!a}")


def _text(entry: dict[str, Any], key: str) -> str:
    value = entry.get(key)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{key} is not text")
    return value or ""


def _content(entry: dict[str, Any], key: str, folder: Path) -> bytes:
    """Return what an entry holds as base64, or names as a file."""
    if inline := _text(entry, f"{key}-data"):
        try:
            return base64.b64decode(inline, validate=True)
        except (binascii.Error, ValueError):
            raise ValueError(f"{key}-data is not base64") from None
    named = _text(entry, key)
    return _read(folder / named) if named else b""


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES)
    except OSError as error:
        raise _refused(f"{path} cannot be read: {error.strerror}") from None
    except ValueError:
        raise _refused("a path in the kubeconfig is not valid") from None


def _refused(message: str) -> SandboxUnavailable:
    return SandboxUnavailable(message, _HINT)

"""A Docker that is spoken to over TLS: here the machine's own, behind a door with certificates."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from engine.models import KillReason
from engine.sandbox.api.network_spec import NetworkSpec
from engine.settings import SandboxSettings
from tests.engine.sandbox.outside import serving
from tests.sandboxes import Recorder, containers_of, job, sandbox_manager

DOCKER = "/var/run/docker.sock"
ENGINE = "test-tls"
HOST = "localhost"
ASK = "import urllib.request as u; print(u.urlopen('http://api.example.org:{port}/', timeout=20).read())"


def certificates(folder: Path) -> None:
    """Write `ca.pem`, `cert.pem` and `key.pem`: one certificate of its own making for both sides."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    for file in ("ca.pem", "cert.pem"):
        (folder / file).write_bytes(pem)
    plain = serialization.NoEncryption()
    secret = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    (folder / "key.pem").write_bytes(secret)


@contextlib.asynccontextmanager
async def door(folder: Path) -> AsyncIterator[int]:
    """Serve Docker over TLS to who has a certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    context.load_verify_locations(folder / "ca.pem")
    context.verify_mode = ssl.CERT_REQUIRED

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        docker = await asyncio.open_unix_connection(DOCKER)
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(carry(reader, docker[1]), carry(docker[0], writer))
        docker[1].close()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    async with server:
        yield server.sockets[0].getsockname()[1]


@pytest.mark.sandbox
async def test_runs_go_through_tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code, files, a megabyte of output and a granted network go through, and nothing is left."""
    certificates(tmp_path)
    async with asyncio.timeout(120), door(tmp_path) as port:
        monkeypatch.setenv("DOCKER_HOST", f"tcp://{HOST}:{port}")
        monkeypatch.setenv("DOCKER_TLS_VERIFY", "1")
        monkeypatch.setenv("DOCKER_CERT_PATH", str(tmp_path))
        for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
            monkeypatch.delenv(name, raising=False)
        manager = sandbox_manager(SandboxSettings(pool=0, grace_seconds=0.5), ENGINE)
        await manager.start()
        assert manager.proof is not None
        assert (True, "") == (manager.proof.isolated, manager.proof.version)
        watcher = Recorder()
        code = "print(open('a').read() + 'x' * 999_999)"
        result = await manager.run(job(code, files={"a": b"from a file"}), watcher)
        async with serving(answer=b"from outside") as server:
            granted = replace(job(ASK.format(port=server.port)), network=NetworkSpec(server.terms()))
            outside = Recorder()
            await manager.run(granted, outside)
        await manager.close()
    assert (KillReason.NONE, b"from a file" + b"x" * 999_999 + b"\n") == (result.kill_reason, watcher.stdout)
    assert b"from outside" in outside.stdout, outside.stderr
    monkeypatch.delenv("DOCKER_HOST")
    monkeypatch.delenv("DOCKER_TLS_VERIFY")
    assert [] == containers_of(ENGINE)

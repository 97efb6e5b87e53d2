"""A registry of npm packages of the tests' own, made on the spot."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import unquote

from engine.common.text import Untrusted
from engine.models import Package
from engine.settings import NetworkSettings, PackageSettings, SandboxSettings
from tests.engine.sandbox.index import HOST, packed

Made = dict[tuple[str, str], tuple[bytes, dict[str, Any]]]


def module(name: str, version: str, code: str, files: Mapping[str, str] | None = None, **more: Any) -> Made:
    """Return a package with one module, and more files in its archive."""
    manifest = {"name": name, "version": version, **more}
    return {
        (name, version): (
            packed("package", {"package.json": json.dumps(manifest), "index.js": code, **(files or {})}),
            manifest,
        )
    }


class Registry:
    """What the registry has, and what it was asked for."""

    def __init__(self, made: Made) -> None:
        self.made = made
        self.asked: list[str] = []
        self.port = 0

    def settings(self) -> SandboxSettings:
        """Return settings of a house whose registry this is."""
        network = NetworkSettings(addresses=("127.0.0.1",), names={HOST: "127.0.0.1"})
        packages = PackageSettings(npm_registry=f"http://{HOST}:{self.port}/", megabytes=256)
        return SandboxSettings(pool=0, grace_seconds=0.5, network=network, packages=packages)

    def locked(self, name: str, version: str, place: str = "") -> Package:
        """Return a package with the hash of its archive."""
        hashes = (_integrity(self.made[name, version][0]),)
        return Package(
            name=Untrusted(name), version=Untrusted(version), hashes=hashes, place=Untrusted(place)
        )

    def answer(self, path: str) -> bytes | None:
        """Return what is known of a package, or one of its archives."""
        self.asked.append(path)
        kind, _, rest = path.strip("/").partition("/")
        if kind == "files":
            name, _, version = rest.rpartition("/")
            return self.made[name, version.removesuffix(".tgz")][0]
        versions = {
            version: self._told(name, version) for name, version in self.made if name == path.strip("/")
        }
        latest = {"latest": max(versions, default="")}
        return (
            json.dumps({"name": path.strip("/"), "dist-tags": latest, "versions": versions}).encode()
            if versions
            else None
        )

    def _told(self, name: str, version: str) -> dict[str, Any]:
        archive, manifest = self.made[name, version]
        where = f"http://{HOST}:{self.port}/files/{name}/{version}.tgz"
        return manifest | {"dist": {"tarball": where, "integrity": _integrity(archive)}}


def _integrity(archive: bytes) -> str:
    return f"sha512-{base64.b64encode(hashlib.sha512(archive).digest()).decode()}"


@contextlib.asynccontextmanager
async def serving(*packages: Made) -> AsyncIterator[Registry]:
    """Serve packages on the loopback."""
    registry = Registry({key: one for made in packages for key, one in made.items()})

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            body = registry.answer(unquote(head.split(b" ")[1].decode()))
            status = b"404 Not Found" if body is None else b"200 OK"
            writer.write(b"HTTP/1.1 %b\r\nContent-Length: %d\r\n\r\n" % (status, len(body or b"")))
            writer.write(body or b"")
            await writer.drain()
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    registry.port = listening.sockets[0].getsockname()[1]
    async with listening:
        yield registry

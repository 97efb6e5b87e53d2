"""A registry of the tests' own: a simple index of wheels that are made on the spot."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import io
import tarfile
import zipfile
from collections.abc import AsyncIterator, Mapping

import docker
import docker.errors

from engine.common.text import Untrusted
from engine.models import Package
from engine.settings import NetworkSettings, PackageSettings, SandboxSettings

HOST = "registry.example.org"


def wheel(
    name: str, version: str, code: str, needs: str = "", more: Mapping[str, str] | None = None
) -> bytes:
    """Return a wheel with one module and more files, which may need another package."""
    info = f"{name}-{version}.dist-info"
    requires = f"Requires-Dist: {needs}\n" if needs else ""
    parts = {
        f"{name}.py": code,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        **(more or {}),
    }
    record = "".join(f"{part},,\n" for part in (*parts, f"{info}/RECORD"))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for part, content in (*parts.items(), (f"{info}/RECORD", record)):
            archive.writestr(part, content)
    return buffer.getvalue()


def source(name: str, version: str, code: str, needs: str, also: str = "") -> bytes:
    """Return a source archive with one module, which its own builder makes with another package.

    The builder also does what `also` says.
    """
    builder = (
        f"import {needs.partition('==')[0]}, zipfile\nCODE = {code!r}.replace('BUILT', 'built here')\n"
        f"{also}{_BUILDER.format(name=name, version=version)}"
    )
    project = f"[build-system]\nrequires = ['{needs}']\nbuild-backend = 'builder'\nbackend-path = ['.']\n"
    facts = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    return packed(f"{name}-{version}", {"PKG-INFO": facts, "pyproject.toml": project, "builder.py": builder})


_BUILDER = """
def build_wheel(folder, config_settings=None, metadata_directory=None):
    info, file = '{name}-{version}.dist-info', '{name}-{version}-py3-none-any.whl'
    parts = {{
        '{name}.py': CODE,
        info + '/METADATA': 'Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n',
        info + '/WHEEL': 'Wheel-Version: 1.0\\nGenerator: t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n',
    }}
    parts[info + '/RECORD'] = ''.join(part + ',,\\n' for part in (*parts, info + '/RECORD'))
    with zipfile.ZipFile(folder + '/' + file, 'w') as archive:
        for part, content in parts.items():
            archive.writestr(part, content)
    return file
"""


def packed(folder: str, files: dict[str, str]) -> bytes:
    """Return files below a folder as a tar, as both registries keep them."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(f"{folder}/{name}")
            entry.size = len(content.encode())
            archive.addfile(entry, io.BytesIO(content.encode()))
    return buffer.getvalue()


class Index:
    """What the registry has, and what it was asked for."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.asked: list[str] = []
        self.yanked: set[str] = set()
        """The files that the publisher withdrew."""
        self.links: dict[str, str] = {}
        """What the page of a package has besides its files, as HTML."""
        self.moved: dict[str, str] = {}
        """The addresses to which requests for files are sent."""
        self.port = 0

    def settings(self, **more: object) -> SandboxSettings:
        """Return settings of a house whose registry this is."""
        network = NetworkSettings(addresses=("127.0.0.1",), names={HOST: "127.0.0.1"})
        packages = PackageSettings(index=f"http://{HOST}:{self.port}/simple")
        given = {"pool": 0, "grace_seconds": 0.5, "network": network, "packages": packages}
        return SandboxSettings.model_validate(given | more)

    def locked(self, name: str, version: str, kind: str = "-py3-none-any.whl") -> Package:
        """Return a package with the hash of its wheel, or of another kind of file."""
        digest = hashlib.sha256(self.files[f"{name}-{version}{kind}"]).hexdigest()
        return Package(name=Untrusted(name), version=Untrusted(version), hashes=(f"sha256:{digest}",))

    def answer(self, path: str) -> bytes | None:
        """Return a page or a file."""
        self.asked.append(path)
        kind, _, name = path.strip("/").partition("/")
        if kind == "files":
            return self.files.get(name)
        links = [file for file in self.files if file.startswith(f"{name.replace('-', '_')}-")]
        page = "".join(
            f'<a href="/files/{file}#sha256={hashlib.sha256(self.files[file]).hexdigest()}"'
            f"{' data-yanked=broken' if file in self.yanked else ''}>{file}</a>\n"
            for file in links
        )
        page += self.links.get(name, "")
        return f"<!DOCTYPE html><html><body>{page}</body></html>".encode() if page else None


@contextlib.asynccontextmanager
async def serving(files: dict[str, bytes]) -> AsyncIterator[Index]:
    """Serve an index on the loopback."""
    index = Index(files)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split(b" ")[1].decode()
            body = index.answer(path)
            if address := index.moved.get(path.removeprefix("/files/")):
                writer.write(
                    f"HTTP/1.1 302 Found\r\nLocation: {address}\r\nContent-Length: 0\r\n\r\n".encode()
                )
                body = None
            status = b"200 OK" if body is not None else b"404 Not Found"
            page = body is not None and body.startswith(b"<!DOCTYPE")
            kind = b"text/html" if page else b"application/octet-stream"
            facts = (status, kind, len(body or b""))
            writer.write(b"HTTP/1.1 %b\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n" % facts)
            writer.write(body or b"")
            await writer.drain()
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    index.port = listening.sockets[0].getsockname()[1]
    async with listening:
        yield index


def volumes(engine: str) -> list[str]:
    """Return the volumes that an engine made."""
    with contextlib.closing(docker.APIClient(version="auto")) as client:
        listed = client.volumes(filters={"label": f"pratique.engine={engine}"})["Volumes"] or []
        return sorted(volume["Name"] for volume in listed)


async def forget(engine: str) -> None:
    """Remove the volumes of an engine that has closed, as soon as its last container lets go of them."""
    async with asyncio.timeout(60):
        while left := volumes(engine):
            with contextlib.closing(docker.APIClient(version="auto")) as client:
                for volume in left:
                    with contextlib.suppress(docker.errors.APIError):
                        client.remove_volume(volume)
            await asyncio.sleep(0.1)

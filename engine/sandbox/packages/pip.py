"""Python packages: pip, copied in as a zip, and one short program."""

from __future__ import annotations

import functools
import io
import json
import zipfile
from collections.abc import Collection, Sequence
from importlib.metadata import distribution
from typing import Any

from engine.common.text import Untrusted
from engine.models import InputFile, Language, Package
from engine.sandbox.api import package_lock as lock
from engine.sandbox.network.sandbox_network import TRUSTED
from engine.sandbox.packages.installer import LAYER, InstallRequest
from engine.sandbox.packages.registry import Registry, of_python
from engine.settings import SandboxSettings

_HEAD = """\
import os, shutil, site, sys
os.makedirs('tmp', exist_ok=True)
os.environ['TMPDIR'] = '/workspace/tmp'
sys.path.insert(0, '/workspace/pip.zip')
from pip._internal.cli.main import main
"""
_LOOK_UP = "code = main({arguments!r})\n"
_BUILD = """\
code = main({arguments!r})
if not code:
    shutil.copytree('site', {layer!r}, dirs_exist_ok=True)
    files = [os.path.join(top, name) for top, _, names in os.walk('site') for name in names]
    size = sum(map(os.path.getsize, files))
    print(site.getsitepackages()[0], size)
"""
_TAIL = "shutil.rmtree('/workspace', ignore_errors=True)\nsys.exit(code)\n"


class Pip:
    """Installs wheels by their hashes; what is built from source needs a grant of its own."""

    target = "/usr/local/lib/python3.13/dist-packages"
    """Where the Python of the images that ship looks first."""

    async def registry(self, settings: SandboxSettings) -> Registry:
        """Return the index of the settings, or else the one of pip on this machine."""
        return await of_python(settings.packages)

    def look_up(self, registry: Registry, packages: Sequence[Package]) -> InstallRequest:
        """Return the order to ask the index; nothing is built for that."""
        arguments = [*_common(registry), "--dry-run", "--ignore-installed", "--report", "-"]
        return InstallRequest(
            (_HEAD + _LOOK_UP.format(arguments=arguments) + _TAIL).encode(), _files(packages)
        )

    def build(
        self, registry: Registry, packages: Sequence[Package], builds: Collection[str]
    ) -> InstallRequest:
        """Return the order to install wheels, and to build what may be built."""
        arguments = [*_common(registry), "--require-hashes", "--target", "site"]
        if names := [lock.plain(one.name.text) for one in lock.built(packages, Language.PYTHON, builds)]:
            arguments += ["--no-binary", ",".join(names)]
        program = _HEAD + _BUILD.format(arguments=arguments, layer=LAYER) + _TAIL
        return InstallRequest(program.encode(), _files(packages))

    def found(self, report: bytes) -> tuple[Package, ...]:
        """Read pip's installation report."""
        try:
            items = json.loads(report)["install"]
            packages = tuple(sorted((_found(item) for item in items), key=lambda package: package.name))
        except (ValueError, KeyError, TypeError) as error:
            raise lock.PackageLockError(f"the registry's answer cannot be read: {error}") from None
        lock.check(packages, Language.PYTHON)
        return packages


@functools.cache
def pip() -> bytes:
    """Return pip as a zip that Python imports from."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in distribution("pip").files or ():
            if file.parts[0] == "pip" and file.suffix != ".pyc":
                archive.writestr(str(file), file.read_binary())
    return buffer.getvalue()


def requirements(packages: Sequence[Package]) -> str:
    """Return the lines that pip takes."""
    return "".join(sorted(_line(package) for package in packages))


def _line(package: Package) -> str:
    hashes = "".join(f" --hash={one}" for one in sorted(package.hashes))
    return f"{lock.plain(package.name.text)}=={package.version.text}{hashes}\n"


def _files(packages: Sequence[Package]) -> tuple[InputFile, ...]:
    wanted = requirements(packages).encode()
    return (
        InputFile(name=Untrusted("pip.zip"), content=pip()),
        InputFile(name=Untrusted("requirements.txt"), content=wanted),
    )


def _common(registry: Registry) -> list[str]:
    trusting = ["--trusted-host", registry.hosts[0]] if registry.plain else []
    return [
        "install", "--quiet", "--isolated", "--no-input", "--no-cache-dir", "--disable-pip-version-check",
        "--no-python-version-warning", "--only-binary", ":all:", "--retries", "1", "--timeout", "30",
        "--cert", TRUSTED, "--proxy", "http://127.0.0.1:3128", "--index-url", registry.index, *trusting,
        "--requirement", "requirements.txt",
    ]  # fmt: skip


def _found(item: dict[str, Any]) -> Package:
    about, archive = item["metadata"], item["download_info"]["archive_info"]
    return Package(
        name=Untrusted(lock.plain(about["name"])),
        version=Untrusted(about["version"]),
        hashes=(f"sha256:{archive['hashes']['sha256']}",),
    )

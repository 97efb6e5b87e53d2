"""Installs Python packages with pip, copied into the sandbox as a zip file."""

from __future__ import annotations

import functools
import io
import json
import zipfile
from collections.abc import Collection, Sequence
from importlib.metadata import distribution
from typing import Any

from engine.common.text import Untrusted, visible
from engine.models import InputFile, Language, Package
from engine.sandbox.api import package_lock as lock
from engine.sandbox.network.sandbox_network import TRUSTED
from engine.sandbox.packages.installer import LAYER, InstallRequest
from engine.sandbox.packages.registry import Registry, python_registry
from engine.settings import SandboxSettings

_HEAD = """\
import contextlib, json, os, shutil, site, sys
os.makedirs('tmp', exist_ok=True)
os.environ['TMPDIR'] = '/workspace/tmp'
sys.path.insert(0, '/workspace/pip.zip')
from pip._internal.cli.main import main
"""
_LOOK_UP = "code = main({arguments!r})\n"
_BUILD = """\
code = main({arguments!r})
with contextlib.suppress(FileNotFoundError), open('report.json') as report:
    for one in json.load(report)['install']:
        if one['is_yanked']:
            code = '{{name}} {{version}} was withdrawn by its publisher'.format(**one['metadata'])
if not code:
    hooks = [name for name in os.listdir('site') if name.lower().endswith('.pth')
             or name.partition('.')[0].lower() in ('sitecustomize', 'usercustomize')]
    for hook in hooks:
        path = os.path.join('site', hook)
        shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
    shutil.copytree('site', {layer!r}, dirs_exist_ok=True)
    files = [os.path.join(top, name) for top, _, names in os.walk('site') for name in names]
    size = sum(map(os.path.getsize, files))
    print(site.getsitepackages()[0], size, *sorted(map(ascii, hooks)))
"""
_TAIL = "shutil.rmtree('/workspace', ignore_errors=True)\nsys.exit(code)\n"


class Pip:
    """Installs wheels by their hashes; building from source needs a separate permission.

    What Python would run by itself at every start (`.pth` files, sitecustomize) is left out.
    """

    target = "/usr/local/lib/python3.13/dist-packages"
    """The site folder of the Python in the built-in images."""

    async def registry(self, settings: SandboxSettings) -> Registry:
        """Return the index in the settings, or the one that pip uses on this host."""
        return await python_registry(settings.packages)

    def look_up(self, registry: Registry, packages: Sequence[Package]) -> InstallRequest:
        """Return the request to ask the index; nothing is built for that."""
        arguments = [*_common(registry), "--dry-run", "--ignore-installed", "--report", "-"]
        return InstallRequest(
            (_HEAD + _LOOK_UP.format(arguments=arguments) + _TAIL).encode(), _files(packages)
        )

    def build(
        self, registry: Registry, packages: Sequence[Package], builds: Collection[str]
    ) -> InstallRequest:
        """Return the request to install wheels, and to build the permitted packages."""
        arguments = [*_common(registry), "--require-hashes", "--target", "site", "--report", "report.json"]
        if names := [lock.normalized(one.name.text) for one in lock.built(packages, Language.PYTHON, builds)]:
            arguments += ["--no-binary", ",".join(names)]
        program = _HEAD + _BUILD.format(arguments=arguments, layer=LAYER) + _TAIL
        return InstallRequest(program.encode(), _files(packages))

    def parse_found(self, report: bytes) -> tuple[Package, ...]:
        """Read pip's installation report. Raises PackageLockError."""
        try:
            items = json.loads(report)["install"]
            packages = tuple(sorted((_package(item) for item in items), key=lambda package: package.name))
        except lock.PackageLockError:
            raise
        except (ValueError, KeyError, TypeError) as error:
            raise lock.PackageLockError(f"the response of the registry cannot be read: {error}") from None
        lock.check(packages, Language.PYTHON)
        return packages


@functools.cache
def pip_zip() -> bytes:
    """Return pip as a zip file that Python can import."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in distribution("pip").files or ():
            if file.parts[0] == "pip" and file.suffix != ".pyc":
                archive.writestr(str(file), file.read_binary())
    return buffer.getvalue()


def requirements(packages: Sequence[Package]) -> str:
    """Return a requirements file."""
    return "".join(sorted(_line(package) for package in packages))


def _line(package: Package) -> str:
    hashes = "".join(f" --hash={one}" for one in sorted(package.hashes))
    return f"{lock.normalized(package.name.text)}=={package.version.text}{hashes}\n"


def _files(packages: Sequence[Package]) -> tuple[InputFile, ...]:
    content = requirements(packages).encode()
    return (
        InputFile(name=Untrusted("pip.zip"), content=pip_zip()),
        InputFile(name=Untrusted("requirements.txt"), content=content),
    )


def _common(registry: Registry) -> list[str]:
    trusting = ["--trusted-host", registry.hosts[0]] if registry.plain else []
    return [
        "install", "--quiet", "--isolated", "--no-input", "--no-cache-dir", "--disable-pip-version-check",
        "--no-python-version-warning", "--only-binary", ":all:", "--retries", "1", "--timeout", "30",
        "--cert", TRUSTED, "--proxy", "http://127.0.0.1:3128", "--index-url", registry.index, *trusting,
        "--requirement", "requirements.txt",
    ]  # fmt: skip


def _package(item: dict[str, Any]) -> Package:
    about, archive = item["metadata"], item["download_info"]["archive_info"]
    if item["is_yanked"]:
        named = visible(Untrusted(f"{about['name']} {about['version']}"))
        raise lock.PackageLockError(f"{named} was withdrawn by its publisher (PEP 592)")
    return Package(
        name=Untrusted(lock.normalized(about["name"])),
        version=Untrusted(about["version"]),
        hashes=(f"sha256:{archive['hashes']['sha256']}",),
    )

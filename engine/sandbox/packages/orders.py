"""What the sandbox that fetches packages is told: pip, handed in as a zip, and one short program."""

from __future__ import annotations

import functools
import io
import zipfile
from collections.abc import Sequence
from importlib.metadata import distribution

from engine.models import InputFile, Package
from engine.sandbox.network.connection import TRUSTED
from engine.sandbox.packages.lock import requirements
from engine.sandbox.packages.registry import Registry
from engine.text import Untrusted

LAYER = "/layer"
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


@functools.cache
def pip() -> bytes:
    """Return pip as a zip that Python imports from."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in distribution("pip").files or ():
            if file.parts[0] == "pip" and file.suffix != ".pyc":
                archive.writestr(str(file), file.read_binary())
    return buffer.getvalue()


def files(packages: Sequence[Package]) -> tuple[InputFile, ...]:
    """Return what lies in the workspace."""
    wanted = requirements(packages).encode()
    return (
        InputFile(name=Untrusted("pip.zip"), content=pip()),
        InputFile(name=Untrusted("requirements.txt"), content=wanted),
    )


def look_up(registry: Registry) -> bytes:
    """Return the program that finds exact versions and hashes, dependencies included."""
    arguments = [*_common(registry), "--dry-run", "--ignore-installed", "--report", "-"]
    return (_HEAD + _LOOK_UP.format(arguments=arguments) + _TAIL).encode()


def build(registry: Registry) -> bytes:
    """Return the program that installs what is locked, and nothing else."""
    arguments = [*_common(registry), "--require-hashes", "--target", "site"]
    return (_HEAD + _BUILD.format(arguments=arguments, layer=LAYER) + _TAIL).encode()


def _common(registry: Registry) -> list[str]:
    trusting = ["--trusted-host", registry.hosts[0]] if registry.plain else []
    return [
        "install", "--quiet", "--isolated", "--no-input", "--no-cache-dir", "--disable-pip-version-check",
        "--no-python-version-warning", "--only-binary", ":all:", "--retries", "1", "--timeout", "30",
        "--cert", TRUSTED, "--proxy", "http://127.0.0.1:3128", "--index-url", registry.index, *trusting,
        "--requirement", "requirements.txt",
    ]  # fmt: skip

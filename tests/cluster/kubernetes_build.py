"""Kubernetes from Debian's sources: the newest version that still has the servers."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from tests.cluster.archive import Archive, contains
from tests.cluster.daemons import ClusterError
from tests.cluster.go_build import GoBuild

PROGRAMS = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kubectl")
_SERVER = "/cmd/kubelet/kubelet.go"
_MARK = "+k8s:openapi-gen="
_GENERATED = Path("pkg/generated/openapi/zz_generated.openapi.go")
_OLDEST_WITH_MODULES = 24


def build(cache: Path, archive: Archive) -> None:
    """Build the programs into `bin`, unless they are there. Raises ClusterError."""
    if (cache / "bin" / "kubelet").exists():
        return
    package_version = _newest_with_servers(archive)
    version = re.sub(r".*really|[+-].*", "", package_version)
    source = cache / "source"
    if not source.exists():
        archive.unpack_source("kubernetes", package_version, source)
    minor = int(version.split(".")[1])
    go = _compiler(cache, archive, source, minor)
    folder = source if go.modules else _in_workspace(go, source)
    if not go.modules and not (source / _GENERATED).exists():
        _generate(go, folder)
    unfinished = cache / "unfinished"
    unfinished.mkdir(exist_ok=True)
    packages = [f"k8s.io/kubernetes/cmd/{name}" for name in PROGRAMS]
    go.build(packages, unfinished, folder, _version_flags(version, modules=go.modules))
    (cache / "bin").mkdir(exist_ok=True)
    for program in unfinished.iterdir():
        program.rename(cache / "bin" / program.name)
    (cache / "VERSION").write_text(f"{version}\n")
    shutil.rmtree(source)


def _newest_with_servers(archive: Archive) -> str:
    for version in archive.versions("kubernetes"):
        tarball = archive.download_source("kubernetes", version)
        if tarball is not None and contains(tarball, _SERVER):
            return version
    raise ClusterError("Debian has no source of Kubernetes with the servers any more")


def _compiler(cache: Path, archive: Archive, source: Path, minor: int) -> GoBuild:
    """Return the compiler of the version's own time: newer ones refuse an old go.mod."""
    modules = minor >= _OLDEST_WITH_MODULES
    named = source / ".go-version"
    go = ".".join(named.read_text().split(".")[:2]) if modules else "1.19"
    suite = "sid" if modules else "bookworm"
    archive.unpack(cache / f"go-{go}", [f"golang-{go}-go/{suite}", f"golang-{go}-src/{suite}"])
    root = cache / f"go-{go}" / "usr" / "lib" / f"go-{go}"
    return GoBuild(root, cache / "workspace", cache / "compiled", modules)


def _in_workspace(go: GoBuild, source: Path) -> Path:
    link = go.workspace / "src" / "k8s.io" / "kubernetes"
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.is_symlink():
        link.symlink_to(source)
    return link


def _generate(go: GoBuild, folder: Path) -> None:
    """Generate the one file that the API server needs and the tarball lacks."""
    found = subprocess.run(
        ["grep", "-rl", _MARK, "--include=*.go", "--exclude=*_test.go", "pkg", "staging/src/k8s.io"],
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    wanted = {str(Path(name).parent).replace("staging/src/", "vendor/", 1) for name in found.stdout.split()}
    inputs = ",".join(sorted(f"k8s.io/kubernetes/{one}" for one in wanted if _is_input(one)))
    generator = go.workspace / "openapi-gen"
    go.build(["k8s.io/kubernetes/vendor/k8s.io/kube-openapi/cmd/openapi-gen"], generator, folder)
    options = ["--logtostderr", "-i", inputs, "-p", f"k8s.io/kubernetes/{_GENERATED.parent}"]
    header = ["-h", "hack/boilerplate/boilerplate.generatego.txt", "-r", "/dev/null"]
    go.run([str(generator), *options, "-O", _GENERATED.stem, *header], folder)


def _is_input(package: str) -> bool:
    """Return whether a package belongs to the API: examples and the generators' own tests do not."""
    parts = package.split("/")
    return parts[0] == "pkg" or not {"sample-apiserver", "code-generator", "sample-controller"} & set(parts)


def _version_flags(version: str, *, modules: bool) -> str:
    """Return what sets the version: without, the programs call themselves v0.0.0 and refuse each other."""
    prefix = "k8s.io" if modules else "k8s.io/kubernetes/vendor/k8s.io"
    major, minor, *_ = version.split(".")
    values = {"gitVersion": f"v{version}", "gitMajor": major, "gitMinor": minor, "gitTreeState": "clean"}
    flags = [f"-X {prefix}/component-base/version.{name}={value}" for name, value in values.items()]
    return " ".join([*flags, f"-X {prefix}/client-go/pkg/version.gitVersion=v{version}"])

"""gVisor's shim for containerd, which Debian's runsc comes without, from its source."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from tests.cluster.archive import Archive
from tests.cluster.daemons import ClusterError
from tests.cluster.go_build import GoBuild

NAME = "containerd-shim-runsc-v1"
_VERSION = "0.0~20240729.0-4"
_GO = "1.24"
_GITHUB = {
    "bookworm": """containerd-containerd containerd-cgroups containerd-console containerd-fifo
        containerd-go-runc containerd-typeurl containerd-ttrpc gogo-protobuf gogo-googleapis
        opencontainers-go-digest opencontainers-image-spec opencontainers-runc opencontainers-selinux
        sirupsen-logrus burntsushi-toml
        pkg-errors moby-sys moby-locker golang-protobuf-1-5 docker-go-units docker-go-events coreos-go-systemd
        cilium-ebpf klauspost-compress hashicorp-go-multierror hashicorp-errwrap google-uuid""",
    "trixie": """bits-and-blooms-bitset cenkalti-backoff gofrs-flock google-btree google-subcommands kr-pty
        mohae-deepcopy opencontainers-specs vishvananda-netlink vishvananda-netns""",
}
_OTHER = {
    "bookworm": "golang-google-grpc golang-google-genproto golang-golang-x-net golang-golang-x-text",
    "trixie": """golang-golang-x-sys golang-golang-x-sync golang-golang-x-time golang-golang-x-exp
        golang-golang-x-mod golang-dbus golang-gocapability golang-google-protobuf""",
}
_START = """\
StartShim(ctx context.Context, o shim.StartOpts) (string, error) {
\tid, containerdBinary, containerdAddress := o.ID, o.ContainerdBinary, o.Address"""
_CHANGES = {
    "pkg/shim/proc/exec.go": ((r"CopyConsole\(ctx, console, e\.", "CopyConsole(ctx, console, e.id, e."),),
    "pkg/shim/proc/init.go": ((r"CopyConsole\(ctx, console, r\.", "CopyConsole(ctx, console, r.ID, r."),),
    "pkg/shim/runsc/service_linux.go": (
        (r"(CopyConsole\(ctx context\.Context, console console\.Console,) stdin,", r"\1 _, stdin,"),
    ),
    "pkg/shim/service.go": (
        (r"StartShim\(ctx context\.Context, [^)]*\) \(string, error\) \{", _START),
        (r"shim\.SetScore\(", "shim.AdjustOOMScore("),
    ),
}
"""What differs in the library of the containerd that Debian has sources of."""
_SYMBOL = ".text\n.globl __kernel_rt_sigreturn\n__kernel_rt_sigreturn: ret\n"


def build(cache: Path, archive: Archive) -> None:
    """Build the shim into `bin`, unless it is there. Raises ClusterError."""
    if (cache / "bin" / NAME).exists():
        return
    archive.unpack(cache / f"go-{_GO}", [f"golang-{_GO}-go/trixie", f"golang-{_GO}-src/trixie"])
    archive.unpack(cache / "libraries", _packages())
    source = cache / "gvisor"
    shutil.rmtree(source, ignore_errors=True)
    archive.unpack_source("golang-gvisor-gvisor", _VERSION, source)
    _adapt(source)
    code = cache / "libraries" / "usr" / "share" / "gocode"
    link = code / "src" / "gvisor.dev" / "gvisor"
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(source)
    root = cache / f"go-{_GO}" / "usr" / "lib" / f"go-{_GO}"
    (cache / "bin").mkdir(exist_ok=True)
    GoBuild(root, code, cache / "compiled").build(["gvisor.dev/gvisor/shim"], cache / "bin" / NAME, source)
    shutil.rmtree(source)


def _packages() -> list[str]:
    github = [
        f"golang-github-{name}-dev/{suite}" for suite, names in _GITHUB.items() for name in names.split()
    ]
    return github + [f"{name}-dev/{suite}" for suite, names in _OTHER.items() for name in names.split()]


def _adapt(source: Path) -> None:
    """Change the calls that differ, and add the one object that the shim links and never uses."""
    for name, changes in _CHANGES.items():
        path = source / name
        text = path.read_text()
        for pattern, replacement in changes:
            text, count = re.subn(pattern, replacement, text)
            if not count:
                raise ClusterError(f"gVisor's {name} is not as expected: {pattern}")
        path.write_text(text)
    target = source / "pkg" / "sentry" / "loader" / "vdsodata" / "vdso_amd64.so"
    command = ["cc", "-shared", "-nostdlib", "-x", "assembler", "-o", str(target), "-"]
    subprocess.run(command, input=_SYMBOL.encode(), check=True, capture_output=True)

"""Packages and sources of Debian, unpacked into the cache and never installed: the machine stays as it is."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tarfile
from collections.abc import Sequence
from pathlib import Path

from tests.cluster.daemons import ClusterError

SUITES = ("bookworm", "trixie", "sid")
_KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"


class Archive:
    """The archive that this machine uses, with lists and downloads of our own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for part in ("lists/partial", "archives/partial", "source"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        (folder / "source").chmod(0o777)  # apt downloads as a user of its own
        self._environment = os.environ | {"APT_CONFIG": str(folder / "apt.conf")}
        self._configure()

    def _configure(self) -> None:
        site = _site()
        rows = [
            f"{kind} [signed-by={_KEYS}] {site} {suite} main\n"
            for suite in SUITES
            for kind in ("deb", "deb-src")
        ]
        (self._folder / "sources.list").write_text("".join(rows))
        (self._folder / "apt.conf").write_text(
            f'Dir::Etc::sourcelist "{self._folder}/sources.list";\n'
            'Dir::Etc::sourceparts "/dev/null";\n'
            f'Dir::State::lists "{self._folder}/lists";\n'
            f'Dir::Cache "{self._folder}";\n'
            'Acquire::Languages "none";\n'
        )

    def update(self) -> None:
        """Read the lists anew. Raises ClusterError."""
        self._run(["apt-get", "-qq", "update"], self._folder)

    def unpack(self, into: Path, packages: Sequence[str]) -> None:
        """Unpack packages, each named with its suite as NAME/SUITE, once. Raises ClusterError."""
        mark = into / ".complete"
        if mark.exists():
            return
        downloads = into / "downloads"
        downloads.mkdir(parents=True, exist_ok=True)
        downloads.chmod(0o777)
        self._run(["apt-get", "-qq", "download", *packages], downloads)
        for package in downloads.glob("*.deb"):
            self._run(["dpkg-deb", "--extract", str(package), str(into)], into)
            package.unlink()
        mark.touch()

    def versions(self, source: str) -> list[str]:
        """Return the versions of a source package, the newest first."""
        shown = self._run(["apt-cache", "showsrc", source], self._folder)
        found = {line.partition(": ")[2] for line in shown.splitlines() if line.startswith("Version: ")}
        ordered = subprocess.run(
            ["sort", "-rV"], input="\n".join(found), capture_output=True, text=True, check=True
        )
        return ordered.stdout.split()

    def download_source(self, package: str, version: str) -> Path | None:
        """Return the upstream tarball of a source package; None where the archive has lost it."""
        folder = self._folder / "source"
        with contextlib.suppress(ClusterError):  # its description may be missing, and its tarballs be there
            self._run(["apt-get", "-qq", "source", "--download-only", f"{package}={version}"], folder)
        tarball = folder / f"{package}_{version.rpartition('-')[0]}.orig.tar.gz"
        return tarball if tarball.is_file() else None

    def unpack_source(self, package: str, version: str, into: Path) -> None:
        """Unpack a source package with Debian's patches. Raises ClusterError."""
        tarball = self.download_source(package, version)
        if tarball is None:
            raise ClusterError(f"Debian's archive has no source of {package} {version}")
        into.mkdir(parents=True)
        self._run(["tar", "xzf", str(tarball), "--strip-components=1"], into)
        changes = tarball.with_name(f"{package}_{version}.debian.tar.xz")
        self._run(["tar", "xJf", str(changes)], into)
        series = into / "debian" / "patches" / "series"
        for name in series.read_text().split("\n") if series.is_file() else ():
            if name and not name.startswith("#"):
                self._run(["patch", "-s", "-p1", "-i", f"debian/patches/{name.split()[0]}"], into)

    def _run(self, command: list[str], folder: Path) -> str:
        done = subprocess.run(
            command, cwd=folder, env=self._environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise ClusterError(f"{' '.join(command)[:200]}: {done.stderr.strip()[-500:]}")
        return done.stdout


def contains(tarball: Path, ending: str) -> bool:
    """Return whether a tarball has a file whose path ends so."""
    with tarfile.open(tarball) as archive:
        return any(member.name.endswith(ending) for member in archive)


def _site() -> str:
    """Return the address of the archive that this machine's own sources name. Raises ClusterError."""
    shown = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    for site in sorted(set(shown.stdout.split())):
        if site.rstrip("/").endswith("/debian"):
            return site
    raise ClusterError("this machine's sources name no archive of Debian")

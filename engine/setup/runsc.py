"""Install `runsc` from a Debian suite or from gVisor's releases, with its checksum verified."""

from __future__ import annotations

import hashlib
import hmac
import subprocess
import tempfile
from pathlib import Path

import httpx

from engine.setup.change import Change, Command, Confirm, Report, apply_change, install_packages, run
from engine.setup.machine import Machine, SetupError

RUNTIME = "runsc"
NEWEST_SUITE = ("trixie", 13)
"""The newest Debian release; its runsc is static and runs on older ones too."""

_KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_GVISOR_RELEASES = "https://storage.googleapis.com/gvisor/releases/release/latest"
_BINARY_BYTES = 512 * 1024 * 1024


def from_own_suite(machine: Machine, ask: Confirm, say: Report) -> None:
    """Install the package of the machine's own Debian release. Raises SetupError."""
    apply_change(install_packages("install gVisor (runsc)", (RUNTIME,)), machine, ask)


def from_newest_suite(machine: Machine, ask: Confirm, say: Report) -> None:
    """Install the newest Debian release's package without changing apt's sources. Raises SetupError."""
    suite = NEWEST_SUITE[0]
    source = f"deb [signed-by={_KEYRING}] {mirror(_index_targets())} {suite} main\n"
    with tempfile.TemporaryDirectory(prefix="pratique-runsc-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        say(f"fetching {RUNTIME} of Debian {suite}")
        package = str(_downloaded(folder, source))
        change = Change(
            f"install gVisor ({RUNTIME} of Debian {suite})",
            (("dpkg", "--install", package),),
            manual=f"Type: sudo apt-get install {RUNTIME}",
        )
        apply_change(change, machine, ask)


def _downloaded(folder: Path, source: str) -> Path:
    """Download the package with a temporary apt configuration."""
    for each in ("lists/partial", "cache/archives/partial", "parts"):
        (folder / each).mkdir(parents=True)
    (folder / "sources.list").write_text(source)
    apt: Command = (
        "apt-get",
        "-q",
        f"-oDir::Etc::SourceList={folder}/sources.list",
        f"-oDir::Etc::SourceParts={folder}/parts",
        f"-oDir::State::Lists={folder}/lists",
        f"-oDir::Cache={folder}/cache",
    )
    for command in ((*apt, "update"), (*apt, "download", RUNTIME)):
        if said := run(command, folder=str(folder)):
            raise SetupError(f"apt-get could not fetch {RUNTIME}: {said}", hint="Type: sudo apt-get update")
    packages = list(folder.glob("*.deb"))
    if not packages:
        raise SetupError(f"apt-get fetched no {RUNTIME}", hint="Type: sudo apt-get update")
    return packages[0]


def mirror(targets: str) -> str:
    """Return the machine's Debian mirror from the output of `apt-get indextargets`. Raises SetupError.

    Each line is `origin, release, address`, as `_index_targets` asks for them.
    """
    for line in targets.splitlines():
        origin, _, rest = line.partition(" ")
        release, _, address = rest.partition(" ")
        if origin == "Debian" and "-" not in release and address:
            return address.strip()
    raise SetupError("apt has no Debian mirror", hint="Type: sudo apt-get update")


def _index_targets() -> str:
    command = [
        "apt-get",
        "indextargets",
        "--format",
        "$(ORIGIN) $(RELEASE) $(REPO_URI)",
        "Created-By: Packages",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout


def from_gvisor_release(machine: Machine, ask: Confirm, say: Report) -> None:
    """Install the binary of gVisor's latest release, with its SHA-512 verified. Raises SetupError."""
    address = f"{_GVISOR_RELEASES}/{machine.architecture}/{RUNTIME}"
    say(f"fetching {address}")
    with tempfile.TemporaryDirectory(prefix="pratique-runsc-") as folder:
        binary = Path(folder) / RUNTIME
        fetch_verified(address, binary)
        target = f"/usr/local/bin/{RUNTIME}"
        change = Change(
            f"install gVisor's {RUNTIME} (checksum verified) as {target}",
            (("install", "-m", "0755", str(binary), target),),
            manual="Install gVisor's runsc manually, then type: pratique setup",
        )
        apply_change(change, machine, ask)


def fetch_verified(address: str, target: Path) -> None:
    """Download `address` to `target` and compare its SHA-512 with `address.sha512`.

    Raises SetupError and removes the file if they differ or the download fails.
    """
    hint = "Install gVisor's runsc manually, then type: pratique setup"
    try:
        with httpx.Client(timeout=60, follow_redirects=True) as client:
            wanted = client.get(f"{address}.sha512").raise_for_status().text.split()[:1]
            found = _stream(client, address, target)
    except (httpx.HTTPError, OSError) as error:
        target.unlink(missing_ok=True)
        raise SetupError(f"gVisor could not be downloaded: {error}", hint=hint) from None
    if not wanted or not hmac.compare_digest(wanted[0].lower(), found):
        target.unlink(missing_ok=True)
        raise SetupError(f"the checksum of {address} does not match", hint=hint)


def _stream(client: httpx.Client, address: str, target: Path) -> str:
    total, size = hashlib.sha512(), 0
    with client.stream("GET", address) as answer, target.open("wb") as file:
        for chunk in answer.raise_for_status().iter_bytes():
            size += len(chunk)
            if size > _BINARY_BYTES:
                raise OSError(f"more than {_BINARY_BYTES} bytes")
            total.update(chunk)
            file.write(chunk)
    return total.hexdigest()

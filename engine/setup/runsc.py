"""Where `runsc` comes from: a Debian suite, or the makers' own binary, checksum verified."""

from __future__ import annotations

import hashlib
import hmac
import subprocess
import tempfile
from pathlib import Path

import httpx

from engine.setup.change import Ask, Change, Command, Say, installing, make, run
from engine.setup.machine import Machine, SetupError

RUNTIME = "runsc"
NEWEST_SUITE = ("trixie", 13)
"""The newest Debian release that is out; its runsc is static and runs on older ones too."""

_KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_MAKERS = "https://storage.googleapis.com/gvisor/releases/release/latest"
_BINARY_BYTES = 512 * 1024 * 1024


def from_own_suite(machine: Machine, ask: Ask, say: Say) -> None:
    """Install the package of the machine's own Debian release. Raises SetupError."""
    make(installing("install gVisor (runsc)", (RUNTIME,)), machine, ask)


def from_newest_suite(machine: Machine, ask: Ask, say: Say) -> None:
    """Install the newest Debian release's package, without touching apt's own sources. Raises SetupError."""
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
            instead=f"Type: sudo apt-get install {RUNTIME}",
        )
        make(change, machine, ask)


def _downloaded(folder: Path, source: str) -> Path:
    """Download the package with a configuration of apt that is thrown away afterwards."""
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
    """Return the machine's own Debian mirror from what `apt-get indextargets` says. Raises SetupError.

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


def from_makers(machine: Machine, ask: Ask, say: Say) -> None:
    """Install the binary that gVisor's makers publish, where its SHA-512 is theirs. Raises SetupError."""
    address = f"{_MAKERS}/{machine.architecture}/{RUNTIME}"
    say(f"fetching {address}")
    with tempfile.TemporaryDirectory(prefix="pratique-runsc-") as folder:
        binary = Path(folder) / RUNTIME
        fetch_verified(address, binary)
        target = f"/usr/local/bin/{RUNTIME}"
        change = Change(
            f"install gVisor's {RUNTIME}, its checksum verified, as {target}",
            (("install", "-m", "0755", str(binary), target),),
            instead="Install gVisor's runsc by hand, then: pratique setup",
        )
        make(change, machine, ask)


def fetch_verified(address: str, target: Path) -> None:
    """Write what lies at `address` to `target` where its SHA-512 is the one in `address.sha512`.

    Raises SetupError, and leaves no file, where it is not or nothing answers.
    """
    hint = "Install gVisor's runsc by hand, then: pratique setup"
    try:
        with httpx.Client(timeout=60, follow_redirects=True) as client:
            wanted = client.get(f"{address}.sha512").raise_for_status().text.split()[:1]
            found = _stream(client, address, target)
    except (httpx.HTTPError, OSError) as error:
        target.unlink(missing_ok=True)
        raise SetupError(f"gVisor's makers do not answer: {error}", hint=hint) from None
    if not wanted or not hmac.compare_digest(wanted[0].lower(), found):
        target.unlink(missing_ok=True)
        raise SetupError(f"{address} is not what its checksum says", hint=hint)


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

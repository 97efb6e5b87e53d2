"""The makers' binary is taken only where its checksum is theirs."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from engine.setup.machine import SetupError
from engine.setup.runsc import fetch_verified

BINARY = b"\x7fELF" + bytes(100_000)


class Silent(SimpleHTTPRequestHandler):
    """A file server that keeps no log."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """Return the folder that is served."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    (folder / "runsc").write_bytes(BINARY)
    return folder


@pytest.fixture
def address(shelf: Path) -> Iterator[str]:
    """Serve the shelf on loopback."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(shelf))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/runsc"
        server.shutdown()
        thread.join()


def test_right_checksum_is_taken(shelf: Path, address: str, tmp_path: Path) -> None:
    """What the sum names is written whole."""
    (shelf / "runsc.sha512").write_text(f"{hashlib.sha512(BINARY).hexdigest()}  runsc\n")
    fetch_verified(address, tmp_path / "runsc")
    assert BINARY == (tmp_path / "runsc").read_bytes()


@pytest.mark.parametrize("wrong", ["", "0" * 128, hashlib.sha512(b"").hexdigest()])
def test_wrong_checksum_leaves_no_file(shelf: Path, address: str, tmp_path: Path, wrong: str) -> None:
    """An empty or another sum refuses the binary, and none is left to be run."""
    (shelf / "runsc.sha512").write_text(wrong)
    with pytest.raises(SetupError, match=r"the checksum of .* does not match"):
        fetch_verified(address, tmp_path / "runsc")
    assert not (tmp_path / "runsc").exists()


def test_missing_checksum_leaves_no_file(address: str, tmp_path: Path) -> None:
    """Without a sum there is no binary."""
    with pytest.raises(SetupError, match="could not be downloaded"):
        fetch_verified(address, tmp_path / "runsc")
    assert not (tmp_path / "runsc").exists()

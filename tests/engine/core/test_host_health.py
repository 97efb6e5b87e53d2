"""Health of the house: its doors are named, and a full disk or a huge log says what to type."""

from __future__ import annotations

from collections import namedtuple
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.core import host_health
from engine.models import Check
from engine.sandbox.drivers.docker.image_checks import described
from engine.settings import ServerSettings

Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty home of the program."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    return tmp_path


def rows(**server: object) -> dict[str, Check]:
    """Return the rows by name."""
    return {
        row.name: row
        for row in host_health.host_checks(ServerSettings.model_validate(server), host_health.HostFiles())
    }


def test_every_door_is_named_with_its_address(home: Path) -> None:
    """The TCP address where there is one, and the inbox where it is open."""
    found = rows(listen="127.0.0.1:8443")
    assert found["endpoint: TCP"].detail.text.startswith("127.0.0.1:8443, tokens")
    assert str(home / "inbox") == found["endpoint: inbox"].detail.text
    assert {"endpoint: TCP", "endpoint: inbox"} & rows(inbox=False).keys() == set()


def test_a_disk_that_fills_says_what_to_type(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below a gibibyte the row is red."""
    monkeypatch.setattr(host_health.shutil, "disk_usage", lambda _: Usage(10, 9, host_health.LEAST_FREE - 1))  # type: ignore[attr-defined]
    assert not rows()["disk"].ok
    assert f"df -h {home}" in rows()["disk"].hint


def test_the_log_is_named_with_its_last_line(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log that is too large says how to empty it."""
    assert rows()["engine log"].detail.text.startswith("none")
    (home / "engine.log").write_text("one\ntwo\n", encoding="utf-8")
    assert rows()["engine log"].detail.text.endswith("last: two")
    monkeypatch.setattr(host_health, "LARGEST_LOG", 1)
    assert f"truncate --size 0 {home / 'engine.log'}" == rows()["engine log"].hint


@pytest.mark.parametrize(
    ("created", "said"),
    [("2026-01-01T00:00:00.123456789Z", "built 2 days ago"), ("2026-01-03T11:00:00Z", "built 1 hour ago"),
     ("2026-01-03T12:00:00Z", "built moments ago"), ("", "abc, 5 MiB")],
)  # fmt: skip
def test_an_image_is_described_by_digest_age_and_size(created: str, said: str) -> None:
    """What Docker says of an image, in words."""
    found = {"Id": "sha256:abc", "Created": created, "Size": 5 << 20}
    assert said in described(found, datetime(2026, 1, 3, 12, tzinfo=UTC))

"""Secrets are kept by their owner's eyes only, named in the history, and their values nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core.config.secret_store import granted
from engine.models import Principal, Role
from engine.models.submission import SecretReference
from tests.engine.core.conftest import EngineMaker

ADA = Principal(name=Untrusted("ada"), roles=frozenset(Role))
VALUE = "value-of-the-secret"


@pytest.mark.usefixtures("no_docker")
async def test_a_secret_is_kept_named_and_forgotten(engine_with: EngineMaker, home: Path) -> None:
    """It lies in a private file, is given for its host alone, and no event carries its value."""
    async with engine_with() as engine:
        await engine.secrets.set("API_TOKEN", "api.example.org", VALUE, ADA)
        assert (SecretReference(name="API_TOKEN", host="api.example.org"),) == engine.secrets.listed()
        assert 0o600 == (home / "secrets.json").stat().st_mode & 0o777
        assert [VALUE] == [one.value for one in granted(["API_TOKEN"], ["*.example.org"])]
        with pytest.raises(Problem, match="which is not granted"):
            granted(["API_TOKEN"], ["example.org"])
        await engine.secrets.remove("API_TOKEN", ADA)
        with pytest.raises(Problem, match="not set"):
            granted(["API_TOKEN"], ["api.example.org"])
        trail = await engine.queries.trail("API_TOKEN")
        assert ["secret.set", "secret.removed"] == [event.type for event in trail]
    assert VALUE.encode() not in b"".join(file.read_bytes() for file in home.glob("pratique*"))


@pytest.mark.usefixtures("no_docker")
@pytest.mark.parametrize(
    ("name", "host", "value"),
    [
        ("api_token", "api.example.org", VALUE),
        ("LD_PRELOAD", "api.example.org", VALUE),
        ("HTTPS_PROXY", "api.example.org", VALUE),
        ("API_TOKEN", "*.example.org", VALUE),
        ("API_TOKEN", "127.0.0.1", VALUE),
        ("API_TOKEN", "api.example.org", "short"),
        ("API_TOKEN", "api.example.org", "two\r\nHeader: lines"),
    ],
)
async def test_what_is_no_secret_is_refused(
    engine_with: EngineMaker, name: str, host: str, value: str
) -> None:
    """Names that programs use, wide hosts, addresses, short values and several lines are refused."""
    async with engine_with() as engine:
        with pytest.raises(Problem):
            await engine.secrets.set(name, host, value, ADA)
        assert () == engine.secrets.listed()


@pytest.mark.usefixtures("home")
def test_a_file_that_is_open_to_others_gives_nothing(home: Path) -> None:
    """Secrets that others could read or change are not used."""
    (home / "secrets.json").write_text("[]")
    (home / "secrets.json").chmod(0o644)
    with pytest.raises(Problem, match="open to others"):
        granted(["API_TOKEN"], ["api.example.org"])

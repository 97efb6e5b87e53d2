"""Commands of coding agents are checked within the bounds of code that is submitted."""

from __future__ import annotations

import pytest

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import Principal
from engine.settings import PolicySettings
from tests.engine.core.conftest import EngineMaker

AGENT = Principal(name=Untrusted("ci-1"))


async def test_a_command_is_no_longer_than_code_may_be(engine_with: EngineMaker, no_docker: None) -> None:
    """The rules of the policy are tried on it while everybody else waits."""
    async with engine_with(policy=PolicySettings(max_code_bytes=6)) as engine:
        with pytest.raises(Problem) as caught:
            await engine.command_checks.check(Untrusted("echo ab"), AGENT)
        assert 413 == caught.value.status

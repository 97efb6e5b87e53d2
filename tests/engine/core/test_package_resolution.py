"""From a package that is asked for by name to a run that uses it: looked up, shown, granted, installed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core.submissions import package_resolution
from engine.models import DecisionOutcome, Draft, KillReason, Language, Package, Permissions, Principal, Role
from engine.settings import SandboxSettings
from tests.engine.core.conftest import EngineMaker
from tests.engine.sandbox.index import forget, serving, wheel

ADA = Principal(name=Untrusted("ada"), roles=frozenset(Role))
AGENT = Principal(name=Untrusted("agent"))
WORDS = {"words-2.5-py3-none-any.whl": wheel("words", "2.5", "HELLO = 'hello'")}
ASKED = Permissions(packages=(Package(name=Untrusted("words"), version=Untrusted("2.5")),))
DRAFT = Draft(code=Untrusted("import words\nprint(words.HELLO)"), language=Language.PYTHON, permissions=ASKED)


@pytest.mark.sandbox
async def test_a_package_is_shown_with_its_hash_and_then_used(
    engine_with: EngineMaker, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The agent names a version; the reviewer sees the hash that is installed; the run imports it.

    The same request again is known as it was handed in, after the next start too.
    """
    monkeypatch.setattr(package_resolution, "SECONDS", 120.0)
    async with serving(WORDS) as index, engine_with(sandbox=index.settings()) as engine:
        case = await engine.intake.submit(DRAFT, AGENT, key="words", join=True)
        assert (index.locked("words", "2.5"),) == case.submission.draft.permissions.packages
        id = case.submission.id
        for key in ("", "words"):
            assert id == (await engine.intake.submit(DRAFT, AGENT, key=key, join=True)).submission.id
        await engine.submissions.decide(id, ADA, DecisionOutcome.APPROVED, case.submission.digest)
        async with asyncio.timeout(120):
            over = await engine.queries.finished(id)
        assert over.result is not None
        assert (KillReason.NONE, 0) == (over.result.kill_reason, over.result.exit_code)
        types = [event.type for event in await engine.queries.trail(id)]
        assert types.index("packages.ready") < types.index("run.started")
    async with engine_with() as later:
        assert id == (await later.intake.submit(DRAFT, AGENT, key="words")).submission.id
    await forget(home.name[-12:])


@pytest.mark.usefixtures("no_docker")
async def test_a_package_without_hashes_is_not_given(engine_with: EngineMaker) -> None:
    """Where no registry was there to ask, it is shown as it was asked for, and cannot be granted."""
    async with engine_with(sandbox=SandboxSettings(pool=0)) as engine:
        case = await engine.submissions.submit(DRAFT, AGENT)
        assert ASKED == case.submission.draft.permissions
        with pytest.raises(Problem, match="no hashes"):
            await engine.submissions.decide(
                case.submission.id, ADA, DecisionOutcome.APPROVED, case.submission.digest
            )
        await engine.submissions.decide(
            case.submission.id, ADA, DecisionOutcome.DENIED, case.submission.digest
        )

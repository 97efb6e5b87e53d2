"""Checks commands that a coding agent wants to run outside of a sandbox. Nothing is stored or run."""

from __future__ import annotations

from collections.abc import Callable

from engine.analysis_pool import AnalysisPool
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core.config.policy_store import PolicyStore
from engine.core.submissions.normalisation import create_submission
from engine.models import Analysis, CommandCheck, Draft, Language, Principal, Submission
from engine.policy.commands import binding_rules, reason_of
from engine.policy.rate_limits import too_large
from engine.policy.request_facts import of_submission
from engine.settings import PolicySettings


class CommandChecks:
    """Says of a command what is proven about it, and whether the policy or a block binds it all the same."""

    def __init__(
        self,
        analysis_pool: AnalysisPool,
        policy: PolicyStore,
        blocked: Callable[[Submission], str],
        settings: PolicySettings,
    ) -> None:
        self._analysis_pool = analysis_pool
        self._policy = policy
        self._blocked = blocked
        self._settings = settings

    async def check(self, command: Untrusted, requester: Principal) -> CommandCheck:
        """Return the analysis of a command, and why it does not run here even if it is harmless.

        Raises:
            Problem: it is longer than code may be (413).
        """
        draft = Draft(code=command, language=Language.SHELL)
        if large := too_large(draft, self._settings):
            raise Problem(413, large)
        analysis = await self._analysis_pool.analyse(command.text, Language.SHELL, requester.account)
        refused, held = self._by_policy(draft, analysis, requester)
        blocked = self._blocked(create_submission(draft, requester, draft))
        return CommandCheck(analysis=analysis, refused=Untrusted(refused or blocked), held=Untrusted(held))

    def _by_policy(self, draft: Draft, analysis: Analysis, requester: Principal) -> tuple[str, str]:
        """Return why the policy refuses a command, and why it has a person decide about it."""
        facts = of_submission(draft, analysis, requester=requester.identity)
        rules = binding_rules(facts, self._policy.current)
        refusing = reason_of(rule for rule in rules if rule.refuses)
        return refusing, reason_of(rule for rule in rules if not rule.refuses)

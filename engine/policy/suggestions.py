"""Rules that past decisions suggest: what people approved every time, and a proof holds for."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from engine.common.file_faults import Place
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Language, Level
from engine.models.past_decisions import PolicySuggestion
from engine.policy.files.policy_diff import PastSubmission, PolicyOutcome, policy_diff
from engine.policy.files.schema import RuleSpec
from engine.policy.policy import Policy, compile_rule
from engine.policy.request_facts import PermissionKind, of_submission

LEAST_APPROVED = 10
"""So many approvals of one kind, and no other answer, suggest a rule."""
MOST_NAMED = 50
HEADER = "# Rules that past decisions suggest. What is deleted here is not in force any more.\nrules:\n"
_LOWERED = "code-execution"


@dataclass(frozen=True)
class _Kind:
    """Submissions that one rule can tell from all others."""

    requester: str
    language: Language
    with_files: bool

    @property
    def rule(self) -> str:
        """The id of its rule."""
        plain = json.dumps([self.requester, self.language.value, self.with_files])
        return f"learned-{hashlib.sha256(plain.encode()).hexdigest()[:10]}"


def suggestions(stored: Iterable[PastSubmission], policy: Policy) -> tuple[PolicySuggestion, ...]:
    """Return the rules that decisions suggest beside a policy, those that would spare most decisions first.

    Only code that is proven harmless, trusts no library, and asks for nothing but its own input files is
    approved in advance, and only where no submission of that kind was denied, sent back, killed, or did
    something surprising.
    """
    known = [one for one in stored if one.is_known]
    kinds: defaultdict[_Kind, list[PastSubmission]] = defaultdict(list)
    for one in known:
        if kind := _kind(one):
            kinds[kind].append(one)
    found = (_suggestion(kind, past, known, policy) for kind, past in kinds.items())
    return tuple(sorted((one for one in found if one), key=lambda one: (-one.changes, one.id)))


def rule_text(spec: RuleSpec) -> str:
    """Return a rule as an item of the list `rules` of a policy file."""
    plain = spec.model_dump(mode="json", exclude_unset=True)
    return "".join(_lines(plain))


def _lines(plain: dict[str, object]) -> Iterator[str]:
    for number, (key, value) in enumerate(plain.items()):
        yield f"{'    ' if number else '  - '}{key}: {json.dumps(value)}\n"


def _kind(one: PastSubmission) -> _Kind | None:
    """Return the kind of a submission; None where no rule is ever suggested for it."""
    facts = of_submission(one.draft, one.analysis)
    asked = set(facts.asked)
    nameless = not one.requester.strip() or "/agent:" in one.requester
    if nameless or one.draft.operation or not facts.proven or not facts.complete or facts.trusts:
        return None
    if asked - {PermissionKind.FILES}:
        return None
    return _Kind(one.requester, one.draft.language, bool(asked))


def _suggestion(
    kind: _Kind, past: list[PastSubmission], known: list[PastSubmission], policy: Policy
) -> PolicySuggestion | None:
    by_people = [one for one in past if one.outcome is not None and one.by_person]
    approved = sum(one.outcome is DecisionOutcome.APPROVED for one in by_people)
    if approved < LEAST_APPROVED or approved < len(by_people) or any(one.troubled for one in past):
        return None
    changed = _changed(kind, known, policy)
    if not changed:
        return None
    return PolicySuggestion(
        id=kind.rule,
        words=Untrusted(_words(kind, past[-1].agent, approved)),
        requester=kind.requester,
        language=kind.language,
        approved=approved,
        changed=changed[:MOST_NAMED],
        changes=len(changed),
        yaml=HEADER + rule_text(_rule(kind)),
    )


def _changed(kind: _Kind, known: list[PastSubmission], policy: Policy) -> tuple[str, ...]:
    """Return what would have been approved at once with the rule, and was not without it."""
    rule = compile_rule(_rule(kind), Place(Path("suggested")))
    if any(rule.spec.id == each.spec.id for each in policy.rules):
        return ()
    wider = replace(policy, rules=(*policy.rules, rule))
    spared = {one.id for one in policy_diff(known, policy, wider) if one.after is PolicyOutcome.ALLOW}
    return tuple(one.id for one in known if one.id in spared)


def _rule(kind: _Kind) -> RuleSpec:
    files = [PermissionKind.FILES.value] if kind.with_files else []
    when = {"operation": "run", "language": kind.language.value, "requester": kind.requester,
            "proven": True, "trusts_only": [], "requests_only": files}  # fmt: skip
    fits = {"code": "print(1)", "language": kind.language.value, "requester": kind.requester,
            "proven": True, "files": files}  # fmt: skip
    return RuleSpec.model_validate({
        "id": kind.rule,
        "risk": Level.LOW,
        "lowers": _LOWERED,
        "reason": "it is proven harmless, and people approved every one like it",
        "when": when,
        "match": fits,
        "not_match": [fits | {"proven": False}, fits | {"trusts": "numpy"}, fits | {"requester": "another"}],
    })  # fmt: skip


def _words(kind: _Kind, agent: str, approved: int) -> str:
    asks = "nothing but their input files" if kind.with_files else "nothing"
    return (
        f"{approved} of {approved} like this were approved: approve {kind.language} submissions of {agent} "
        f"at once that are proven harmless, trust no library and ask for {asks}?"
    )

"""`pratique policy show | test | diff | suggest | adopt`."""

from __future__ import annotations

import json as jsons
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from engine import locations
from engine.cli.commands.learning.policy_suggestions import adopt, suggest
from engine.cli.exit_codes import ExitCode
from engine.cli.load_settings import load_settings
from engine.cli.options.common import Json
from engine.cli.output.formatting import dim, level, print_line
from engine.common.errors import Problem
from engine.common.presentation import describe_result
from engine.common.text import many, visible
from engine.history.errors import HistoryError
from engine.history.store.sqlite.scan import every_case
from engine.models import Assessment, Case
from engine.policy import Policy, PolicyError, load
from engine.policy.files.policy_diff import PastSubmission, PolicyChange, PolicyOutcome, policy_diff
from engine.policy.policy import PolicyRule

app = typer.Typer(help="Show, test, compare and learn policies.")
app.command()(suggest)
app.command()(adopt)

MAX_SHOWN = 200

File = Annotated[Path | None, typer.Argument(help="Policy file; default: the active policy.")]


@app.command()
def show(file: File = None, json: Json = False) -> None:
    """List the rules of a policy, highest risk first."""
    policy = _loaded(file)
    if json:
        _print_lines(_rule_facts(rule) for rule in policy.rules)
        return
    for rule in policy.rules:
        what = "REFUSED " if rule.spec.refuse else level(rule.level)
        lowers = f", lowers {', '.join(rule.spec.lowers)}" if rule.spec.lowers else ""
        print_line(f"{what} {rule.spec.id}{lowers}  {dim(visible(str(rule.place)))}")
    for risk, seconds in sorted(policy.deadlines.items(), key=lambda item: -item[0].rank):
        print_line(f"{level(risk)} expires after {seconds:g} s")
    print_line(dim(f"hash {policy.hash}"))


@app.command("test")
def run_examples(file: File = None, json: Json = False) -> None:
    """Run the examples of every rule."""
    try:
        policy = _load(file)
    except PolicyError as error:
        if json:
            _print_lines([{"holds": False, "faults": [str(fault) for fault in error.faults]}])
            raise typer.Exit(ExitCode.FAILED) from None
        for fault in error.faults:
            print_line(visible(str(fault)), error=True)
        raise typer.Exit(ExitCode.FAILED) from None
    examples = sum(len(rule.spec.match) + len(rule.spec.not_match) for rule in policy.rules)
    if json:
        _print_lines([{"holds": True, "rules": len(policy.rules), "examples": examples, "hash": policy.hash}])
    else:
        print_line(f"{len(policy.rules)} rules, {examples} examples: all pass")


@app.command()
def diff(
    new: Annotated[Path, typer.Argument(help="Policy file to compare with the active policy.")],
    limit: Annotated[int, typer.Option(help="Maximum number of changes to show.", min=1)] = MAX_SHOWN,
    json: Json = False,
) -> None:
    """Show which past submissions another policy would decide differently, DENY to ALLOW first."""
    stored = list(_stored())
    known = [one for one in stored if one.is_known]
    changed = policy_diff(known, _loaded(None), _loaded(new))
    if left := len(stored) - len(known):
        print_line(f"{many(left, 'submission')} left out: the code is erased, or there was none", error=True)
    if json:
        _print_lines(_flip_facts(flip) for flip in changed[:limit])
        return
    for flip in changed[:limit]:
        _print_flip(flip)
    if len(changed) > limit:
        print_line(dim(f"and {len(changed) - limit} more: add --limit {len(changed)}"))
    print_line(_counted(changed))


def _print_lines(facts: Iterable[dict[str, object]]) -> None:
    for one in facts:
        print_line(jsons.dumps(one))


def _rule_facts(rule: PolicyRule) -> dict[str, object]:
    return {
        "id": rule.spec.id,
        "level": rule.level.value,
        "refuses": rule.spec.refuse,
        "lowers": list(rule.spec.lowers),
        "place": str(rule.place),
    }


def _flip_facts(flip: PolicyChange) -> dict[str, object]:
    return {
        "id": flip.id,
        "before": flip.before.value,
        "after": flip.after.value,
        "risk_before": flip.old.risk.value,
        "risk_after": flip.new.risk.value,
        "rules_before": [match.rule for match in flip.old.matches],
        "rules_after": [match.rule for match in flip.new.matches],
        "did": flip.did,
    }


def _loaded(file: Path | None) -> Policy:
    try:
        return _load(file)
    except PolicyError as error:
        more = f" (and {len(error.faults) - 1} more)" if len(error.faults) > 1 else ""
        hint = "Type: pratique policy test " + (visible(str(file)) if file else "")
        raise Problem(422, visible(str(error.faults[0])) + more, hint=hint.strip()) from None


def _load(file: Path | None) -> Policy:
    named = (locations.adopted_policy(), file or locations.policy_file())
    files = tuple(each for each in named if each == file or each.exists())
    settings = load_settings().policy
    return load(*files, deadlines=settings.deadlines, base=settings.base)


def _stored() -> Iterator[PastSubmission]:
    if not locations.database().exists():
        return
    try:
        for case in every_case(locations.database()):
            submission, outcome = case.submission, case.decision.outcome if case.decision else None
            who = submission.requester.identity
            yield PastSubmission(
                submission.id, submission.draft, case.analysis, outcome, _did(case), requester=who
            )
    except HistoryError as error:
        raise Problem(503, str(error)) from None


def _did(case: Case) -> str:
    result = case.result
    if result is None:
        return case.status.value
    artifacts = many(len(result.artifacts), "artifact")
    return f"ran {result.duration:.1f} s, {describe_result(result)}, {artifacts}"


def _print_flip(flip: PolicyChange) -> None:
    word = f"{flip.before} -> {flip.after}"
    print_line(f"{word:<14} {level(flip.old.risk)}-> {level(flip.new.risk)} {flip.id}  {dim(flip.did)}")
    print_line(dim(f"{'':14} was {_rules(flip.old)}; would be {_rules(flip.new)}"))


def _rules(assessment: Assessment) -> str:
    return ", ".join(dict.fromkeys(match.rule for match in assessment.matches))


def _counted(changed: Iterable[PolicyChange]) -> str:
    counts = Counter((flip.before, flip.after) for flip in changed)
    parts = [
        f"{counts[before, after]} {before} -> {after}"
        for before in PolicyOutcome
        for after in reversed(PolicyOutcome)
        if counts[before, after]
    ]
    return "; ".join(parts) or "No changes."

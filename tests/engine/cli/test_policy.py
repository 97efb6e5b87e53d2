"""`pratique policy`, over a history of its own."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine import locations
from engine.cli import main
from engine.cli.exit_codes import ExitCode
from engine.common.text import Untrusted
from engine.history.store.credible_clock import CredibleClock
from engine.history.store.sql.erasing.retention import erase_some
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import (
    Analysis,
    Case,
    Decision,
    DecisionOutcome,
    Draft,
    Language,
    Level,
    Principal,
    Status,
    Submission,
)
from engine.policy import assess, shipped
from engine.settings import HistorySettings

AGENT = Principal(name=Untrusted("agent"))


@pytest.fixture(autouse=True)
def strict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the policy `strict` in force, in which all code is HIGH."""
    monkeypatch.setenv("PRATIQUE_POLICY__BASE", "strict")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let everything lie in a folder of its own."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    return tmp_path


def denied(id: str) -> Case:
    """Return the case of clean code that somebody denied."""
    draft = Draft(code=Untrusted("print(1)"), language=Language.PYTHON)
    now = datetime.now(UTC)
    return Case(
        submission=Submission(id=id, draft=draft, requester=AGENT, submitted_at=now, digest="0" * 64),
        status=Status.DENIED,
        analysis=Analysis(),
        assessment=assess(draft, Analysis(), shipped()),
        decision=Decision(submission=id, digest="0" * 64, outcome=DecisionOutcome.DENIED, by=AGENT, at=now),
    )


async def remember(case: Case) -> None:
    """Write a case into the history."""
    log = await SqliteHistoryStore.open(locations.database(), HistorySettings())
    data = {"risk": Level.HIGH.value, "rules": []}
    await log.append("submission.assessed", case.submission.id, AGENT.name, data, case=case)
    await log.close()


def test_the_shipped_examples_hold(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a policy of one's own, the shipped one is tried."""
    assert ExitCode.OK == main(["policy", "test"])
    assert "all pass" in capsys.readouterr().out
    assert ExitCode.OK == main(["policy", "test", "--json"])
    assert json.loads(capsys.readouterr().out)["holds"] is True


def test_a_broken_policy_is_told_by_file_and_line(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every mistake of the user's policy stands on a line of its own, and the exit code is 1."""
    locations.policy_file().write_text("rules:\n  - {id: network, risk: tiny, odd: 1}\n")
    assert ExitCode.FAILED == main(["policy", "test"])
    assert 2 == capsys.readouterr().err.count(f"{home}/policy.yaml:2:")
    assert ExitCode.FAILED == main(["policy", "test", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (False, 2) == (told["holds"], len(told["faults"]))


def test_a_failing_example_is_told(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file whose examples fail is refused by file, line and example."""
    new = home / "new.yaml"
    new.write_text(
        "rules:\n  - id: x\n    risk: low\n    when: {operation: run}\n    match: [{operation: list}]\n"
    )
    assert ExitCode.FAILED == main(["policy", "test", str(new)])
    assert f"{new}:5: `x`: example 1 of `match` should match and does not" in capsys.readouterr().err


async def test_what_would_flip_is_shown(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a person denied and the new policy lets pass is told as DENY -> ALLOW, with what came of it."""
    await remember(denied("s-1"))
    new = home / "new.yaml"
    new.write_text("rules:\n  - {id: clean-code, enabled: true}\n")
    assert ExitCode.OK == main(["policy", "diff", str(new)])
    told = capsys.readouterr().out
    assert "DENY -> ALLOW" in told.splitlines()[0]
    assert "s-1  denied" in told
    assert "1 DENY -> ALLOW" == told.splitlines()[-1]
    assert ExitCode.OK == main(["policy", "diff", str(new), "--json"])
    flip = json.loads(capsys.readouterr().out)
    assert ("s-1", "DENY", "ALLOW") == (flip["id"], flip["before"], flip["after"])


async def test_what_was_erased_is_left_out_and_told(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A rule about code decides nothing about code that is gone: it would be let pass, and is not said to."""
    await remember(denied("s-1"))
    new = home / "new.yaml"
    new.write_text(
        "rules:\n  - {id: clean-code, enabled: true}\n  - {id: prints, risk: critical, when: {code: print}}\n"
    )
    assert ExitCode.OK == main(["policy", "diff", str(new)])
    assert "ALLOW" not in capsys.readouterr().out.splitlines()[-1].rpartition("->")[2]
    log = await SqliteHistoryStore.open(locations.database(), HistorySettings())
    rules = HistorySettings.model_construct(retain_mb=0, retain_days=None, retain_newest_seconds=0.0)
    now = datetime.now(UTC)
    assert 1 == await log._writer.do(lambda ledger: erase_some(ledger, rules, now, CredibleClock()))
    await log.close()
    assert ExitCode.OK == main(["policy", "diff", str(new)])
    told = capsys.readouterr()
    assert "No changes.\n" == told.out
    assert "1 submission left out: the code is erased" in told.err
    assert ExitCode.OK == main(["policy", "diff", str(new), "--json"])
    assert "" == capsys.readouterr().out


HOSTILE = [
    "\x1b[2J\x1b]0;x\x07print(1)",
    "\u202eprint(1)\u2066",
    "print(1)" * 200_000,
    "a" * 30_000 + "!",
    "\0" * 1000,
    "{%s}" * 1000,
    "print('\U0001f468\u200d\U0001f469')\r\nDENY -> ALLOW s-9",
    "((((" * 5000,
]


@pytest.mark.parametrize("code", HOSTILE, ids=range(len(HOSTILE)))
async def test_hostile_submissions_neither_break_the_comparison_nor_speak_in_it(
    home: Path, capsys: pytest.CaptureFixture[str], code: str
) -> None:
    """Whatever was submitted, the comparison ends in lines of its own, in time that grows with the size."""
    honest = denied("s-1")
    submission = honest.submission.model_copy(
        update={
            "draft": Draft(code=Untrusted(code), language=Language.PYTHON, purpose=Untrusted(code[:100])),
            "requester": Principal(name=Untrusted("\x1b[31mDENY -> ALLOW")),
        }
    )
    await remember(honest.model_copy(update={"submission": submission}))
    new = home / "new.yaml"
    new.write_text("rules:\n  - {id: slow, risk: critical, when: {code: '(a+)+$|(p.*r.*i.*n.*t.*)+x'}}\n"
                   "  - {id: clean-code, enabled: true}\n")  # fmt: skip
    for arguments in (["policy", "diff", str(new)], ["policy", "diff", str(new), "--json"]):
        assert ExitCode.OK == main(arguments)
        told = capsys.readouterr().out
        assert told.isascii()
        assert all(character.isprintable() or character == "\n" for character in told)
        assert told.count("ALLOW") <= 2


def test_the_rules_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """Every rule of the policy in force is listed with its place."""
    assert ExitCode.OK == main(["policy", "show"])
    assert "strict.yaml:" in capsys.readouterr().out
    assert ExitCode.OK == main(["policy", "show", "--json"])
    rules = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert all("strict.yaml:" in rule["place"] for rule in rules)


def test_diff_against_a_broken_policy_is_a_problem(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A policy that cannot be used is told with its line and what to type."""
    (home / "new.yaml").write_text("deadlines: {high: never}\n")
    assert ExitCode.ERROR == main(["policy", "diff", str(home / "new.yaml")])
    told = capsys.readouterr().err
    assert "new.yaml:1:" in told
    assert "pratique policy test" in told

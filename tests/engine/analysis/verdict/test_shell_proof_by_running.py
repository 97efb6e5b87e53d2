"""What the proof calls harmless is run in bash, where every effect leaves a trace: one fails."""

from __future__ import annotations

import os
import re
import time
from itertools import islice
from pathlib import Path

import pytest

from engine.analysis.verdict.shell.library import COMMANDS
from engine.analysis.verdict.shell.proof import prove
from tests.engine.analysis.verdict.shell_attacks import abandoned, attacks
from tests.engine.analysis.verdict.shell_flows import flows
from tests.engine.analysis.verdict.shell_harmless import HARMLESS
from tests.engine.analysis.verdict.shell_mutations import scripts
from tests.engine.analysis.verdict.shell_watched import effects

SECONDS = min(float(os.environ.get("PRATIQUE_FUZZ_SECONDS", "5")), 10.0)
CAMPAIGN = float(os.environ.get("PRATIQUE_CAMPAIGN_SECONDS", "0"))
"""A longer run: its length in seconds."""
SEED = 23
BATCH = 200
FLOWS = 40
_UNSUITABLE = re.compile(r"\b(?:kill|sleep|yes|rm|ulimit|umask|exec|suspend|tcp|wait|disown|fc|/tmp)\b")
"""What does not belong into scripts that are run here, even if the proof should be wrong."""

EFFECTS = (
    "pwned",
    "echo $(pwned)",
    "x='a[$(pwned)]'; echo $((x))",
    "echo a > new-file",
    "echo *",
    "cat canary-file",
    'echo "$SECRET"',
    "echo b > canary-file",
    'read x < canary-file; echo "$x"',
    "y='(`pwned`)'; declare -a x=\"$y\"",
    "no_such_command",
    ": $((1/0)); pwned() { echo; }\npwned",
)


@pytest.mark.parametrize("script", EFFECTS)
def test_the_watcher_sees_effects(script: str, tmp_path: Path) -> None:
    """Commands, files, their names, and the environment are noticed."""
    assert [] != effects(["echo a", script], tmp_path, COMMANDS)


def test_the_examples_have_no_effect(tmp_path: Path) -> None:
    """Every example of a harmless script is one."""
    assert [] == effects(HARMLESS, tmp_path, COMMANDS)


def test_generated_scripts_that_are_proven_have_no_effect(tmp_path: Path) -> None:
    """Mutations of harmless scripts and of attacks, as far as they are called harmless, only compute."""
    sources = [*HARMLESS * 4, *(one for one in (*attacks(), *abandoned()) if not _UNSUITABLE.search(one))]
    until, proven = time.monotonic() + (CAMPAIGN or SECONDS), list[str]()
    seed = time.time_ns() if CAMPAIGN else SEED
    for script in scripts(seed, sources):
        if not prove(script) and not _UNSUITABLE.search(script):
            proven.append(script)
        if len(proven) == BATCH or time.monotonic() > until:
            assert [] == [(proven[number], effect) for number, effect in effects(proven, tmp_path, COMMANDS)]
            proven.clear()
        if time.monotonic() > until:
            return


def test_scripts_that_assign_on_some_ways_only_have_no_effect(tmp_path: Path) -> None:
    """Branches, loops and lines that end early: what is proven reads nothing that was not assigned."""
    proven = list(islice((one for one in flows(SEED) if "$SECRET" in one and not prove(one)), FLOWS))
    assert [] == [(proven[number], effect) for number, effect in effects(proven, tmp_path, COMMANDS)]


def test_a_script_that_does_not_end_is_killed_and_the_next_one_is_watched(tmp_path: Path) -> None:
    """One that waits for ever, here by a pipe that nobody opens, does not hold the others up."""
    waits = "mkfifo p 2>/dev/null || /usr/bin/mkfifo p; echo a > p"
    found = effects([waits, "pwned"], tmp_path, COMMANDS)
    assert (1, "pwned") in found

"""What the proof calls harmless is run, with everything that it does watched: one effect fails."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.analysis.verdict.python.proof import prove
from tests.engine.analysis.verdict import watched
from tests.engine.analysis.verdict.attacks import ATTACKS
from tests.engine.analysis.verdict.harmless import HARMLESS
from tests.engine.analysis.verdict.mutations import programs

SECONDS = 15.0
SEED = 20
BATCH = 300

EFFECTS = (
    "import os\nos.system('true')",
    "open('/tmp/verdict-probe', 'w')",
    "open('/etc/hostname')",
    "import socket\nsocket.socket()",
    "import subprocess\nsubprocess.run(['true'])",
    "import os\nprint(os.environ)",
    "import os\nos.mkdir('/tmp/verdict-probe')",
    "import ctypes\nctypes.CDLL(None)",
    "import os\nos.kill(os.getpid(), 0)",
)


def _effects(tried: list[str]) -> list[list[object]]:
    command = [sys.executable, "-I", "-W", "ignore", str(Path(watched.__file__))]
    done = subprocess.run(
        command, input=json.dumps(tried), capture_output=True, text=True, timeout=600, check=True
    )
    found: list[list[object]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("program", EFFECTS)
def test_the_watcher_sees_effects(program: str) -> None:
    """Files, processes, sockets, the environment and native code are noticed."""
    assert [] != _effects([program])


def test_the_examples_have_no_effect() -> None:
    """Every example of a harmless program is one."""
    assert [] == _effects(list(HARMLESS))


def test_generated_programs_that_are_proven_have_no_effect() -> None:
    """Mutations of harmless programs and of attacks, as far as they are called harmless, only compute."""
    until, proven = time.monotonic() + SECONDS, []
    for program in programs(SEED, (*HARMLESS * 4, *ATTACKS)):
        if time.monotonic() > until:
            break
        if not prove(program):
            proven.append(program)
        if len(proven) == BATCH:
            found = _effects(proven)
            assert [] == [(event, proven[int(str(number))]) for number, event in found]
            proven.clear()

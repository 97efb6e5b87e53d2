"""JavaScript that is called harmless is run, with all that it does watched: one effect fails."""

from __future__ import annotations

import json
import os
import random
import subprocess
import time
from pathlib import Path

import pytest

from engine.analysis.registry import RULES
from engine.analysis.verdict.javascript.proof import prove
from engine.models import Language
from tests.engine.analysis.verdict.attacks_javascript import ATTACKS
from tests.engine.analysis.verdict.attacks_javascript_objects import ATTACKS as OBJECTS
from tests.engine.analysis.verdict.attacks_javascript_protocols import ATTACKS as PROTOCOLS
from tests.engine.analysis.verdict.harmless_javascript import HARMLESS
from tests.engine.analysis.verdict.mutations_javascript import programs
from tests.engine.analysis.verdict.node import node

NODE, VERSION = node()
SECONDS = float(
    os.environ.get("PRATIQUE_CAMPAIGN_SECONDS")
    or min(float(os.environ.get("PRATIQUE_FUZZ_SECONDS", "5")), 12)
)
"""How long programs are generated; a campaign sets `PRATIQUE_CAMPAIGN_SECONDS`."""
SEED = int(os.environ.get("PRATIQUE_CAMPAIGN_SEED") or random.SystemRandom().randrange(2**32))
BATCH = 50
_WATCHER = Path(__file__).with_name("watched.js")
_EXAMPLES = tuple(
    code
    for rule in RULES.values()
    if Language.JAVASCRIPT in rule.languages
    for code in (*rule.match, *rule.not_match)
    if code.isascii() and len(code) < 2000
)

pytestmark = pytest.mark.skipif(
    VERSION < 18, reason="Node.js 18 is not on this machine, and runs the programs"
)

EFFECTS = (
    "require('fs')",
    "process.env",
    "fetch('x')",
    "eval('1')",
    "Function('1')",
    "(() => 1)['constr' + 'uctor']('1')",
    "Object.prototype.x = 1",
    "const o = {}; o['__pro' + 'to__'].x = 1",
    "Array.prototype.push.call([]['__pro' + 'to__'], 1)",
    "Error.prepareStackTrace = () => 1",
    "setTimeout(() => fetch('x'))",
    "Promise.resolve().then(() => fetch('x'))",
    "(function () { return this })().process.kill(1)",
    "Math.max = () => 1",
)


def _effects(tried: list[str]) -> list[tuple[str, str]]:
    """Return the programs that had an effect, and which; one that exhausts the interpreter is left out."""
    command = [NODE, "--max-old-space-size=256", str(_WATCHER)]
    found, left = list[tuple[str, str]](), tried
    while left:
        text = json.dumps(left)
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=600, check=False)
        told = [json.loads(line) for line in done.stdout.split("\n")[:-1]]
        found += [(what, program) for what, program in zip(told, left, strict=False) if what]
        left = left[len(told) + 1 :]
    return found


@pytest.mark.parametrize("program", EFFECTS)
def test_the_watcher_sees_effects(program: str) -> None:
    """Globals with effects, code from text, and changes of the language's own objects are noticed."""
    assert [] != _effects([program])


def test_the_examples_have_no_effect() -> None:
    """Every example of a harmless program is one."""
    assert [] == _effects(list(HARMLESS))


def test_generated_programs_that_are_proven_have_no_effect() -> None:
    """Programs in and around the subset, as far as they are called harmless, only compute."""
    until, proven = time.monotonic() + SECONDS, list[str]()
    for program in programs(SEED, (*HARMLESS * 4, *ATTACKS, *OBJECTS, *PROTOCOLS, *_EXAMPLES)):
        if not prove(program):
            proven.append(program)
        late = time.monotonic() > until
        if len(proven) == BATCH or (late and proven):
            assert [] == _effects(proven), f"seed {SEED}"
            proven.clear()
        if late:
            break

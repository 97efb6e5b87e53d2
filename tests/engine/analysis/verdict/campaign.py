"""Generates programs, runs those that are called harmless, watched, and counts them and their effects.

python -m tests.engine.analysis.verdict.campaign LANGUAGE COUNT [--seed N]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from engine.analysis.verdict.javascript.proof import prove as prove_javascript
from engine.analysis.verdict.python.proof import prove as prove_python
from engine.analysis.verdict.shell.proof import prove as prove_shell
from engine.models import Language, Unproven
from tests.engine.analysis.verdict import (
    attacks,
    attacks_javascript,
    attacks_javascript_protocols,
    harmless,
    harmless_javascript,
    mutations,
    mutations_javascript,
    shell_attacks,
    shell_harmless,
    shell_mutations,
    shell_watched,
    test_javascript_by_running,
    test_proof_by_running,
    test_shell_proof_by_running,
)

_BATCH = 200


Runner = Callable[[list[str]], list[tuple[str, str]]]
"""Runs programs, and returns each effect with the program that had it."""


def _python(seed: int) -> tuple[Iterator[str], Runner]:
    def run(programs: list[str]) -> list[tuple[str, str]]:
        found = test_proof_by_running._effects(programs)
        return [(str(event), programs[int(str(number))]) for number, event in found]

    return mutations.programs(seed, (*harmless.HARMLESS * 4, *attacks.ATTACKS)), run


def _javascript(seed: int) -> tuple[Iterator[str], Runner]:
    known = (*attacks_javascript.ATTACKS, *attacks_javascript_protocols.ATTACKS)
    sources = (*harmless_javascript.HARMLESS * 4, *known, *test_javascript_by_running._EXAMPLES)
    return mutations_javascript.programs(seed, sources), test_javascript_by_running._effects


def _shell(seed: int) -> tuple[Iterator[str], Runner]:
    unsuitable = test_shell_proof_by_running._UNSUITABLE.search
    known = (one for one in shell_attacks.attacks() if not unsuitable(one))
    sources = [*shell_harmless.HARMLESS * 4, *known]

    def run(scripts: list[str]) -> list[tuple[str, str]]:
        with tempfile.TemporaryDirectory() as folder:
            found = shell_watched.effects(scripts, Path(folder))
            return [(effect, scripts[number]) for number, effect in found]

    generated = shell_mutations.scripts(seed, sources)
    return (script for script in generated if not unsuitable(script)), run


_LANGUAGES = {
    Language.PYTHON: (_python, prove_python),
    Language.JAVASCRIPT: (_javascript, prove_javascript),
    Language.SHELL: (_shell, prove_shell),
}


def batches(programs: Iterator[str], prove: Callable[[str], tuple[Unproven, ...]]) -> Iterator[list[str]]:
    """Yield the programs that are called harmless, each once, in batches without end."""
    seen, proven = set[int](), list[str]()
    for program in programs:
        if hash(program) in seen or prove(program):
            continue
        seen.add(hash(program))
        proven.append(program)
        if len(proven) == _BATCH:
            yield proven
            proven = []


def campaign(language: Language, count: int, seed: int) -> int:
    """Run so many different programs, and return how many had an effect."""
    start, done, found = time.monotonic(), 0, 0
    make, prove = _LANGUAGES[language]
    programs, run = make(seed)
    for proven in batches(programs, prove):
        for effect, program in run(proven):
            found += 1
            sys.stdout.write(f"EFFECT {effect}: {program!r}\n")
        done += len(proven)
        took = time.monotonic() - start
        sys.stdout.write(f"{language}: {done:,} harmless programs run in {took:.0f} s, {found} effects\n")
        sys.stdout.flush()
        if done >= count:
            break
    return found


def main() -> int:
    """Run a campaign; return 1 where a program had an effect."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("language", type=Language, choices=list(Language))
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**32)
    chosen = parser.parse_args()
    return 1 if campaign(chosen.language, chosen.count, chosen.seed) else 0


if __name__ == "__main__":
    sys.exit(main())

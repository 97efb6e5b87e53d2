"""Generates programs, runs those that are called harmless in sandboxes, watched, and counts their effects.

python -m tests.engine.analysis.verdict.campaign python|python-data|javascript|shell COUNT [--seed N]

`python-data` are programs that use the libraries for data, with input files, in the image of this name.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path

from engine.analysis.verdict.javascript.proof import prove as prove_javascript
from engine.analysis.verdict.python.proof import prove as prove_python
from engine.analysis.verdict.shell.library import COMMANDS
from engine.analysis.verdict.shell.proof import prove as prove_shell
from engine.models import Unproven
from tests.engine.analysis.verdict import (
    attacks,
    attacks_data,
    attacks_javascript,
    attacks_javascript_objects,
    attacks_javascript_protocols,
    attacks_writing,
    harmless,
    harmless_data,
    harmless_javascript,
    in_sandbox,
    mutations,
    mutations_javascript,
    shell_attacks,
    shell_flows,
    shell_harmless,
    shell_mutations,
    shell_watched,
    test_javascript_by_running,
    watched,
    writing_data,
)

_BATCH = 1000
_LIBRARIES = ("numpy", "numpy.random", "pandas", "matplotlib.pyplot", "pandas.plotting._matplotlib")


Prove = Callable[[str], tuple[Unproven, ...]]
Runner = Callable[[list[str]], list[tuple[str, str]]]
"""Runs programs, and returns each effect with the program that had it."""


def _watched(image: str, *libraries: str, prove: Prove = prove_python) -> Runner:
    watcher = Path(watched.__file__).read_text(encoding="utf-8")
    command = ("python3", "-I", "-W", "ignore", "-c", watcher, *libraries)

    def run(programs: list[str]) -> list[tuple[str, str]]:
        given = [{"code": one, "writes": _written(prove(one))} for one in programs]
        found = json.loads(in_sandbox.run(image, command, json.dumps(given)))
        return [(event, programs[number]) for number, event in found]

    return run


def _written(places: tuple[Unproven, ...]) -> list[str]:
    """Return the files that a proven program writes; none where it is not proven."""
    return sorted({one.writes for one in places}) if is_proven(places) else []


def is_proven(places: tuple[Unproven, ...]) -> bool:
    """Return whether a program is harmless, or writes only its workspace."""
    return all(one.writes for one in places)


def _python(seed: int) -> tuple[Iterator[str], Runner]:
    return mutations.programs(seed, (*harmless.HARMLESS * 4, *attacks.ATTACKS)), _watched("python")


def _data(seed: int) -> tuple[Iterator[str], Runner]:
    plain = (*harmless_data.HARMLESS, *writing_data.DRAWING, *writing_data.WRITING)
    sources = (*plain * 8, *attacks_data.ATTACKS, *attacks_writing.ATTACKS)
    run = _watched("python-data", *_LIBRARIES, prove=_prove_data)
    return mutations.programs(seed, sources, mutations.DATA), run


def _prove_data(code: str) -> tuple[Unproven, ...]:
    return prove_python(code, harmless_data.INPUTS)


def _javascript(seed: int) -> tuple[Iterator[str], Runner]:
    kinds = (attacks_javascript, attacks_javascript_objects, attacks_javascript_protocols)
    known = tuple(attack for kind in kinds for attack in kind.ATTACKS)
    sources = (*harmless_javascript.HARMLESS * 4, *known, *test_javascript_by_running._EXAMPLES)
    watcher = Path(__file__).with_name("watched.js").read_text(encoding="utf-8")
    command = ("node", "--max-old-space-size=256", "-e", watcher)

    def run(programs: list[str]) -> list[tuple[str, str]]:
        """Watch all of them; one that ends the interpreter is left out."""
        found, left = list[tuple[str, str]](), programs
        while left:
            told = [
                json.loads(line) for line in in_sandbox.run("node", command, json.dumps(left)).splitlines()
            ]
            found += [(effect, program) for effect, program in zip(told, left, strict=False) if effect]
            left = left[len(told) + 1 :]
        return found

    return mutations_javascript.programs(seed, sources), run


def _shell(seed: int) -> tuple[Iterator[str], Runner]:
    command = ("python3", "-I", "-c", Path(shell_watched.__file__).read_text(encoding="utf-8"))

    def run(scripts: list[str]) -> list[tuple[str, str]]:
        given = {"scripts": scripts, "commands": sorted(COMMANDS)}
        found = json.loads(in_sandbox.run("python", command, json.dumps(given)))
        return [(effect, scripts[number]) for number, effect in found]

    attacks = (*shell_attacks.attacks(), *shell_attacks.abandoned())
    mutated = shell_mutations.scripts(seed, [*shell_harmless.HARMLESS * 4, *attacks])
    return chain.from_iterable(zip(mutated, shell_flows.flows(seed), strict=False)), run


LANGUAGES: Mapping[str, tuple[Callable[[int], tuple[Iterator[str], Runner]], Prove]] = {
    "python": (_python, prove_python),
    "python-data": (_data, _prove_data),
    "javascript": (_javascript, prove_javascript),
    "shell": (_shell, prove_shell),
}


def batches(programs: Iterator[str], prove: Prove) -> Iterator[list[str]]:
    """Yield the programs that are called harmless, each once, in batches without end."""
    seen, proven = set[int](), list[str]()
    for program in programs:
        if hash(program) in seen or not is_proven(prove(program)):
            continue
        seen.add(hash(program))
        proven.append(program)
        if len(proven) == _BATCH:
            yield proven
            proven = []


def campaign(language: str, count: int, seed: int) -> int:
    """Run so many different programs, and return how many had an effect."""
    start, done, found = time.monotonic(), 0, 0
    make, prove = LANGUAGES[language]
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
    parser.add_argument("language", choices=list(LANGUAGES))
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**32)
    chosen = parser.parse_args()
    return 1 if campaign(chosen.language, chosen.count, chosen.seed) else 0


if __name__ == "__main__":
    sys.exit(main())

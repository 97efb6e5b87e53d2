"""Rehearses a program in real gVisor, and says what it was convicted of and how long that took."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from engine.common.rehearsal_lines import finding_line
from engine.common.text import Untrusted
from engine.models import InputFile, Language
from engine.sandbox.rehearsal.stage import Stage
from engine.sandbox.run.manager import SandboxManager
from tests.benchmarks.rehearsed import harmful_others, harmful_python, honest
from tests.sandboxes import Recorder, job

Programs = dict[tuple[Language, str], str]
_TABLE = b"name,value\n" + b"".join(b"row%d,%d\n" % (n, n * 7) for n in range(60))
_INPUT = InputFile(name=Untrusted("data.csv"), content=_TABLE)


def _all(*several: tuple[Language, dict[str, str]]) -> Programs:
    return {(language, name): code for language, programs in several for name, code in programs.items()}


HARMFUL = _all(
    (Language.PYTHON, harmful_python.PYTHON),
    (Language.JAVASCRIPT, harmful_others.JAVASCRIPT),
    (Language.SHELL, harmful_others.SHELL),
)
HONEST = _all(
    (Language.PYTHON, honest.PYTHON),
    (Language.JAVASCRIPT, honest.JAVASCRIPT),
    (Language.SHELL, honest.SHELL),
)


@dataclass(frozen=True)
class Rehearsed:
    """What came of one program."""

    name: str
    seconds: float
    """From the request to the result, the sandbox included."""
    proof: str
    """What it was convicted of; empty: of nothing."""
    exit_code: int | None
    said: str
    """The end of what it wrote on standard error."""


async def rehearse(manager: SandboxManager, language: Language, name: str, code: str) -> Rehearsed:
    """Rehearse a program with an input file."""
    began = time.monotonic()
    stage, watcher = Stage(language, (_INPUT,)), Recorder()
    result = await manager.run(
        replace(job(code, language, seconds=60), files=stage.files, stage=stage), watcher
    )
    convicting = [one for one in stage.record.findings if one.convicts]
    return Rehearsed(
        name=f"{language}: {name}",
        seconds=time.monotonic() - began,
        proof=finding_line(convicting[0]) if convicting else "",
        exit_code=result.exit_code,
        said=watcher.stderr.decode(errors="replace").strip()[-80:],
    )

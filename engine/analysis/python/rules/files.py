"""Rules for files."""

from __future__ import annotations

from engine.analysis.python.declare import python_rule
from engine.models import Level

OPEN = python_rule(
    "py-file-open",
    "A file is opened or listed",
    "fs_read",
    Level.LOW,
    attack="Reads files on the machine.",
    why="LOW: reading a named file is common; HIGH for sensitive paths.",
    fix="Add the file to the input files of the submission.",
    match=(
        "open('data.csv')",
        "from pathlib import Path\nPath('a').read_text()",
        "import os\nos.listdir('.')",
    ),
    not_match=("x.open('a')",),
    cwe=73,
)
WRITE = python_rule(
    "py-file-write",
    "A file is written, moved or changed",
    "fs_write",
    Level.MEDIUM,
    attack="Replaces files, installs programs or fills the disk.",
    why="MEDIUM outside the working folder, LOW inside it and in `/tmp`; HIGH for system paths.",
    fix="Write below the working folder, and state it in the purpose.",
    match=(
        "open('a', 'w')",
        "from pathlib import Path\nPath('a').write_text('x')",
        "import shutil\nshutil.move(a, b)",
        "import os\nos.rename(a, b)",
    ),
    not_match=("open('a')", "open('a', 'rb')"),
    cwe=73,
)
DELETE = python_rule(
    "py-file-delete",
    "Files are deleted",
    "fs_delete",
    Level.MEDIUM,
    attack="Destroys data or logs.",
    why="MEDIUM: scripts clean up after themselves; HIGH for system paths, CRITICAL for `/`.",
    fix="Delete only files that this code created, with `tempfile`.",
    match=(
        "import os\nos.remove('a')",
        "import shutil\nshutil.rmtree(x)",
        "from pathlib import Path\nPath('a').unlink()",
    ),
    not_match=("items.remove(1)",),
    cwe=73,
)
SENSITIVE = python_rule(
    "py-sensitive-file",
    "A sensitive file is accessed",
    "fs_sensitive",
    Level.HIGH,
    attack="Reads accounts, keys, tokens or browser secrets, or changes system files.",
    why="HIGH: submitted code does not need these files; MEDIUM where the path is only mentioned.",
    fix="Remove it.",
    match=(
        "open('/etc/passwd')",
        "import os\nos.remove('/etc/hosts')",
        "p = os.path.expanduser('~/.ssh/id_rsa')",
    ),
    not_match=("open('passwd.txt')",),
    cwe=552,
    owasp="LLM02",
)
PERSISTENCE = python_rule(
    "py-persistence",
    "Something is set up to run again later",
    "persistence",
    Level.HIGH,
    attack=(
        "Runs again after this run: from shells, logins, schedules, services, or the start of "
        "the interpreter."
    ),
    why="HIGH: submitted code runs once.",
    fix="Remove it.",
    match=(
        "open('/root/.bashrc', 'a')",
        "import os\nos.system('crontab x')",
        "from setuptools import setup\nsetup(cmdclass={'install': I})",
        "import site\nopen(site.getsitepackages()[0] + '/x.pth', 'w')",
    ),
    not_match=("open('bashrc.txt')", "from setuptools import setup\nsetup(name='a')"),
    cwe=506,
)
PROGRAM_WRITE = python_rule(
    "py-program-write",
    "A program is written",
    "fs_write",
    Level.MEDIUM,
    attack="Writes a program that something else runs.",
    why="MEDIUM: code generators do it too; HIGH where the program is made executable or run.",
    fix="Keep the code in this submission.",
    match=(
        "open('a.exe', 'wb')",
        "import os\nos.chmod('a', 0o755)",
        "from pathlib import Path\nPath('a.sh').write_text(x)",
    ),
    not_match=("open('a.txt', 'w')", "import os\nos.chmod('a', 0o600)"),
    cwe=506,
)

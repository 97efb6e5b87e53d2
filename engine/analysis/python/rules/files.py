"""Rules about files."""

from __future__ import annotations

from engine.analysis.python.rules.make import python_rule
from engine.models import Level

OPEN = python_rule(
    "py-file-open",
    "A file is opened or listed",
    "fs_read",
    Level.LOW,
    attack="Reads what lies on the machine.",
    why="LOW: reading a named file is common; HIGH for sensitive paths.",
    fix="Ask for the file as an input of the submission.",
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
    attack="Replaces files, plants programs, fills the disk.",
    why="MEDIUM outside the working folder, LOW within it; HIGH violations follow for paths of the system.",
    fix="Write below the working folder, and say so in the purpose.",
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
    why="MEDIUM: scripts clean up after themselves; HIGH for paths of the system, CRITICAL for `/`.",
    fix="Delete only what this code made, with `tempfile`.",
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
    "A sensitive file is touched",
    "fs_sensitive",
    Level.HIGH,
    attack="Reads accounts, keys, tokens or browser secrets, or changes the system's own files.",
    why="HIGH: submitted code has no business there; MEDIUM where the path is only mentioned.",
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
SENSITIVE_NAME = python_rule(
    "py-sensitive-path",
    "A sensitive place is named",
    "fs_sensitive",
    Level.MEDIUM,
    attack="Knows where accounts, keys, tokens and browsers' secrets lie.",
    why="MEDIUM: only a text; HIGH violations follow where the file is touched.",
    fix="Remove it.",
    match=("x = '~/.ssh/id_rsa'", "find('/etc/shadow')"),
    not_match=("x = 'ssh'", "x = 'identity'"),
    cwe=552,
)
SYSTEM_WRITE = python_rule(
    "py-system-write",
    "A file of the system is written or removed",
    "fs_sensitive",
    Level.HIGH,
    attack="Replaces programs or settings of the machine.",
    why="HIGH: what lies there belongs to the system.",
    fix="Write below the working folder.",
    match=("open('/usr/bin/x', 'w')", "import shutil\nshutil.copy(a, '/etc/x')"),
    not_match=("open('/usr/share/dict/words')", "open('out/x', 'w')"),
    cwe=73,
)
KERNEL_PATH = python_rule(
    "py-kernel-path",
    "A path of the kernel is used",
    "kernel_surface",
    Level.MEDIUM,
    attack="Reads the machine's layout and other processes, or talks to devices.",
    why="MEDIUM: `/proc/cpuinfo` is harmless; HIGH for writing, memory, devices and cgroups.",
    fix="Use `os` or `platform`.",
    match=("open('/proc/kallsyms')", "import os\nos.listdir('/sys/fs/cgroup')", "open('/dev/mem', 'rb')"),
    not_match=("open('/dev/null', 'w')", "open('proc/x')"),
    cwe=552,
)
PERSISTENCE = python_rule(
    "py-persistence",
    "Something is made to run again later",
    "persistence",
    Level.HIGH,
    attack="Comes back after the run: in shells, logins, schedules, services, or the interpreter's start.",
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
HIDDEN_WRITE = python_rule(
    "py-hidden-write",
    "A hidden or disguised file is written",
    "obfuscation_write",
    Level.MEDIUM,
    attack="Leaves something where a listing does not show it, or as something that it is not.",
    why="MEDIUM: some settings are hidden files; HIGH where what is written was encoded.",
    fix="Use a visible name.",
    match=("open('/tmp/.x', 'w')", "import os\nos.rename('a.txt', '.a')"),
    not_match=("open('./a', 'w')", "open('../a', 'w')"),
    cwe=506,
)
ENCODED_WRITE = python_rule(
    "py-encoded-write",
    "Encoded or decoded content is written to a file",
    "obfuscation_write",
    Level.MEDIUM,
    attack="Drops a payload that was carried as text, or hides what is stored.",
    why="MEDIUM: images and archives are decoded too.",
    fix="Write the plain content.",
    match=(
        "import base64\nopen('a', 'wb').write(base64.b64decode(x))",
        "from cryptography.fernet import Fernet\nopen('a', 'wb').write(Fernet(k).encrypt(d))",
        "import binascii\nf = open('a', 'w')\nprint(binascii.hexlify(x), file=f)",
    ),
    not_match=("open('a', 'w').write('x')",),
    cwe=506,
)
PROGRAM_WRITE = python_rule(
    "py-program-write",
    "A program is written",
    "fs_write",
    Level.MEDIUM,
    attack="Drops a program that something else runs.",
    why="MEDIUM: generators write code; HIGH where it is made executable or run.",
    fix="Keep the code in this submission.",
    match=(
        "open('a.exe', 'wb')",
        "import os\nos.chmod('a', 0o755)",
        "from pathlib import Path\nPath('a.sh').write_text(x)",
    ),
    not_match=("open('a.txt', 'w')", "import os\nos.chmod('a', 0o600)"),
    cwe=506,
)
ARCHIVE = python_rule(
    "py-archive-extract",
    "An archive is unpacked without a check of its names",
    "fs_write",
    Level.MEDIUM,
    attack="Writes outside the folder through `..` or links, or unpacks to terabytes.",
    why="MEDIUM: harmless for an archive that one made oneself.",
    fix="Pass `filter='data'` and check sizes.",
    match=("import tarfile\ntarfile.open('a').extractall()", "import shutil\nshutil.unpack_archive('a')"),
    not_match=("import tarfile\ntarfile.open('a').extractall(filter='data')",),
    cwe=22,
)
TEMP_NAME = python_rule(
    "py-temporary-name",
    "A temporary file's name is guessable",
    "fs_write",
    Level.MEDIUM,
    attack="Puts a link in its place before it is opened.",
    why="MEDIUM: needs another user on the machine.",
    fix="Use `tempfile.NamedTemporaryFile` or `mkstemp`.",
    match=("import tempfile\ntempfile.mktemp()",),
    not_match=("import tempfile\ntempfile.mkstemp()",),
    cwe=377,
)

RULES = (
    OPEN,
    WRITE,
    DELETE,
    SENSITIVE,
    SENSITIVE_NAME,
    SYSTEM_WRITE,
    KERNEL_PATH,
    PERSISTENCE,
    HIDDEN_WRITE,
    ENCODED_WRITE,
    PROGRAM_WRITE,
    ARCHIVE,
    TEMP_NAME,
)

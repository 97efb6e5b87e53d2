"""Rules: files."""

from __future__ import annotations

from engine.analysis.javascript.declare import HIGH, MEDIUM, SECRETS, rule
from engine.models import Confidence

UNKNOWN_FILE = rule(
    "js-file-path",
    "Opens a file whose name is only known when the code runs",
    "fs_sensitive",
    MEDIUM,
    attack="Reads or overwrites whatever the name says: a password file, a key, a start-up script.",
    why="MEDIUM: the sandbox holds only the files that were handed in.",
    fix="Write the name, or join it to the workspace and check it.",
    match=("require('fs').readFile(name, f)", "import fs from 'fs'; fs.writeFileSync(`${x}.json`, d)"),
    not_match=(
        "require('fs').readFileSync('a.txt')",
        "db.readFile(name)",
        "fs.readFileSync(__dirname + '/a.txt')",
    ),
    cwe=22,
    confidence=Confidence.MEDIUM,
)
SYSTEM_FILE = rule(
    "js-system-file",
    "Touches a file of the system",
    "fs_sensitive",
    MEDIUM,
    attack="Learns about the machine, or changes it.",
    why="MEDIUM for reading; HIGH for writing.",
    fix="Work inside the workspace.",
    match=(
        "require('fs').readFileSync('/etc/passwd')",
        "fs.writeFileSync('/usr/bin/x', y)",
        "fs.readdirSync('/proc')",
    ),
    not_match=("fs.readFileSync('a.txt')", "fs.writeFileSync('/tmp/x', y)"),
    cwe=200,
    owasp=SECRETS,
)
DELETE = rule(
    "js-file-delete",
    "Deletes files",
    "fs_delete",
    MEDIUM,
    attack="Destroys work or evidence.",
    why="MEDIUM: HIGH outside of the workspace; LOW for a named file here.",
    fix="Leave files alone: the sandbox is destroyed anyway.",
    match=(
        "require('fs').rmSync('/', { recursive: true })",
        "fs.unlinkSync(x)",
        "fs.rmdirSync('a', { recursive: true })",
        "require('rimraf').sync('/home')",
    ),
    not_match=("list.rm('a')", "map.delete('a')"),
    cwe=73,
)
STARTUP = rule(
    "js-startup-write",
    "Writes to a file that is run later",
    "persistence",
    HIGH,
    attack="Has code run again at every login, boot or tick of the clock.",
    why="HIGH: only installers do this, and a sandbox is thrown away.",
    fix="Do the work now; keep nothing for later.",
    match=(
        "require('fs').appendFileSync(process.env.HOME + '/.bashrc', x)",
        "fs.writeFileSync('/etc/cron.d/x', y)",
    ),
    not_match=("fs.writeFileSync('notes.txt', y)", "fs.readFileSync('/etc/cron.d/x')"),
    cwe=506,
)
CREDENTIALS = rule(
    "js-credential-read",
    "Reads secrets",
    "secrets_env",
    HIGH,
    attack="Takes password hashes, keys or tokens that open other doors.",
    why="HIGH: the file holds nothing but secrets.",
    fix="Ask for the secret by reference, as a capability.",
    match=(
        "require('fs').readFileSync('/etc/shadow')",
        "fs.readFile(os.homedir() + '/.ssh/id_rsa', f)",
        "fs.readFileSync('.env')",
    ),
    not_match=("fs.readFileSync('id_rsa.pub')", "fs.readFileSync('a.env.example')"),
    cwe=522,
    owasp=SECRETS,
)
RULES = (UNKNOWN_FILE, SYSTEM_FILE, DELETE, STARTUP, CREDENTIALS)

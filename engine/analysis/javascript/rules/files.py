"""Reading, writing and deleting files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis import paths
from engine.analysis.javascript.declare import CRITICAL, HIGH, LOW, MEDIUM, SECRETS, found, rule
from engine.analysis.javascript.model import JavaScriptCall, Program
from engine.analysis.javascript.values import UNKNOWN, JavaScriptValue
from engine.models import Confidence, Level, Violation

UNKNOWN_FILE = rule(
    "js-file-path",
    "Opens a file whose name is known only at run time",
    "fs_sensitive",
    MEDIUM,
    attack=(
        "Reads or overwrites the file of the attacker's choice: a password file, a key, a start-up script."
    ),
    why="MEDIUM: the sandbox holds only the submitted files.",
    fix="Write the name, or join it to the workspace path and check it.",
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
    "Accesses a system file",
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
    why="MEDIUM; HIGH outside the workspace; LOW for a named file in it.",
    fix="Leave files alone: the sandbox is destroyed after the run.",
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
    "Writes to a file that runs later",
    "persistence",
    HIGH,
    attack="Makes code run again at every login, at boot or on a schedule.",
    why="HIGH: only installers do this, and a sandbox is discarded after the run.",
    fix="Do the work now; leave nothing for later.",
    match=(
        "require('fs').appendFileSync(process.env.HOME + '/.bashrc', x)",
        "fs.writeFileSync('/etc/cron.d/x', y)",
        "fs.writeFileSync('.git/hooks/pre-commit', x)",
        "p.scripts.postinstall = 'x'; require('fs').writeFileSync('package.json', JSON.stringify(p))",
        "require('fs').chmodSync('a', 0o4755)",
    ),
    not_match=("fs.writeFileSync('notes.txt', y)", "fs.readFileSync('/etc/cron.d/x')"),
    cwe=506,
)
CREDENTIALS = rule(
    "js-credential-read",
    "Reads secrets",
    "secrets_env",
    HIGH,
    attack="Takes password hashes, keys or tokens that give access to other systems.",
    why="HIGH: the file contains nothing but secrets.",
    fix="Request the secret by reference.",
    match=(
        "require('fs').readFileSync('/etc/shadow')",
        "fs.readFile(os.homedir() + '/.ssh/id_rsa', f)",
        "fs.readFileSync('.env')",
    ),
    not_match=("fs.readFileSync('id_rsa.pub')", "fs.readFileSync('a.env.example')"),
    cwe=522,
    owasp=SECRETS,
)

_READS = re.compile(
    r"^(?:fs|Deno|Bun)\.(?:promises\.)?(?:read|createRead|open|access|stat|lstat|exists|readdir"
    r"|readlink|opendir|watch|cp|copyFile|file|realpath)"
)
WRITES = re.compile(
    r"^(?:fs|Deno|Bun)\.(?:promises\.)?(?:write|append|createWrite|output|rename|mkdir|chmod|chown"
    r"|symlink|link|truncate|cp|copy|move|utimes"
    r"|ensure|mkdtemp)"
)
DELETES = re.compile(
    r"^(?:fs|Deno)\.(?:promises\.)?(?:rm|unlink|rmdir|remove|emptyDir)|^(?:rimraf|del|trash)(?:\.\w+)?$"
)
_OWN_FOLDER = re.compile(
    r"__dirname|__filename|import\.meta\.(?:url|dirname|filename)|process\.cwd\(\)|require\.resolve\("
)
_NO_PATH = re.compile(
    r"^fs\.(?:promises\.)?(?:read|write|close|fstat|fsync|ftruncate|readv|writev|fchmod|fchown)(?:Sync)?$"
)


def check(program: Program) -> Iterator[Violation]:
    """Yield what happens to files."""
    for call in program.calls:
        if "()" in call.path:
            continue
        if DELETES.match(call.path):
            yield from _deleted(program, call)
        elif WRITES.match(call.path):
            for index in (0, 1) if re.search(r"\.(?:copy|cp|rename|move|link|symlink)", call.path) else (0,):
                yield from _written(program, call, call.arg(index), index)
        elif _READS.match(call.path) and not _NO_PATH.match(call.path):
            yield from _read(program, call, call.arg(0))


def path_of(program: Program, call: JavaScriptCall, index: int) -> str:
    """Return the path of an argument, with what is not known marked, `~` for the home folder."""
    value = call.arg(index)
    if value.kind == "text":
        return paths.normal(value.text)
    node = call.nodes[index] if index < len(call.nodes) else None
    if node is not None and node.type == "call_expression":
        callee = program.resolver.path(node.child_by_field_name("function"), call.scope)
        if callee in {"path.join", "path.resolve", "path.normalize", "url.fileURLToPath", "URL"}:
            parts = program.resolver.arguments(node, call.scope)
            texts = [_home(part) for part in parts]
            return paths.normal("/".join(texts))
    return UNKNOWN if value.kind != "text" else value.text


def _home(value: JavaScriptValue) -> str:
    if value.path in {"os.tmpdir()", "fs.mkdtempSync()", "process.env.TMPDIR"}:
        return "/tmp"
    if value.path in {"os.homedir()", "process.env.HOME", "process.env.USERPROFILE"}:
        return "~"
    return value.text if value.kind == "text" else UNKNOWN


def _is_home(program: Program, call: JavaScriptCall, index: int) -> str:
    """Return the path with a home folder in front, where the argument's text adds to one."""
    node = call.nodes[index] if index < len(call.nodes) else None
    text = program.tree.of(node) if node is not None else ""
    path = path_of(program, call, index)

    if path.startswith(UNKNOWN) and re.search(
        r"homedir\(\)|process\.env\.(?:HOME|USERPROFILE)|process\.env\[['\"]HOME", text
    ):
        return "~" + path[1:]
    return path


def _is_own(program: Program, call: JavaScriptCall, index: int) -> bool:
    """Return whether a path is made of the program's own folder and known text."""
    node = call.nodes[index] if index < len(call.nodes) else None
    if node is None:
        return True
    text = program.tree.of(node)
    if _OWN_FOLDER.search(text):
        path = path_of(program, call, index)
        rest = text.replace("import.meta.url", "").replace("import.meta.dirname", "")

        return path.count(UNKNOWN) <= 1 and not re.search(
            r"import\.meta\[|\$\{(?!process\.cwd|__dirname)", rest
        )
    value = call.arg(index)
    return any(_OWN_FOLDER.search(step.text) for step in value.origin)


def _read(program: Program, call: JavaScriptCall, value: JavaScriptValue) -> Iterator[Violation]:
    path = _is_home(program, call, 0)
    if paths.is_credential(path):
        yield found(CREDENTIALS, program, call)
    elif paths.is_system(path) and not paths.is_harmless_read(path):
        yield found(SYSTEM_FILE, program, call)
    elif _is_unknown(program, call, 0, value, path):
        yield found(UNKNOWN_FILE, program, call)


def _is_unknown(
    program: Program, call: JavaScriptCall, index: int, value: JavaScriptValue, path: str
) -> bool:
    if not call.args or value.kind in {"number", "object", "function"} or "exists" in call.path:
        return False
    return (
        (not value.known or UNKNOWN in path)
        and not _is_own(program, call, index)
        and not path.startswith("~")
        and not paths.is_scratch(path)
    )


def _written(
    program: Program, call: JavaScriptCall, value: JavaScriptValue, index: int
) -> Iterator[Violation]:
    path = _is_home(program, call, index)
    if paths.is_persistence(path) or paths.is_privilege(path) or _runs_later(program, call, path):
        yield found(STARTUP, program, call)
    elif "chmod" in call.path and re.fullmatch(
        r"0o?[2467]\d{3}|'[2467]\d{3}'", program.tree.of(call.nodes[-1])
    ):
        yield found(STARTUP, program, call, "Gives the rights of the owner to whoever runs it")
    elif paths.is_system(path):
        yield found(SYSTEM_FILE, program, call, severity=HIGH)
    elif _is_unknown(program, call, index, value, path) and "mkdir" not in call.path:
        yield found(UNKNOWN_FILE, program, call)


_LATER = re.compile(
    r"(?:^|/)(?:\.git/hooks/|\.husky/|\.vscode/(?:tasks|launch|settings)\.json$|\.github/workflows/|\.gitlab-ci\.yml$"
    r"|\.git/config$|\.gitconfig$|\.envrc$|\.(?:bashrc|zshrc|profile|bash_profile|npmrc)$|conftest\.py$)"
)
_SCRIPTS = re.compile(r"\b(?:post|pre)install\b|\bprepare\s*[:=]")


def _runs_later(program: Program, call: JavaScriptCall, path: str) -> bool:
    """Whether a file of the working folder runs later: a hook, a task, a script of a package."""
    if _LATER.search(path):
        return True
    return path.endswith("package.json") and _SCRIPTS.search(program.tree.text) is not None


def _deleted(program: Program, call: JavaScriptCall) -> Iterator[Violation]:
    path = _is_home(program, call, 0)
    tree = "recursive" in program.tree.of(call.node) or bool(
        re.match(r"rimraf|del|fs\.(?:remove|emptyDir)", call.path)
    )
    yield found(DELETE, program, call, severity=_severity(path, tree=tree))


def _severity(path: str, *, tree: bool) -> Level | None:
    if paths.is_top(path) or (tree and path in {f"~/{UNKNOWN}", f"/{UNKNOWN}"}):
        return CRITICAL if tree else HIGH
    if paths.is_system(path) or (tree and paths.is_root(path)):
        return HIGH
    if paths.is_scratch(path) or (not tree and UNKNOWN not in path):
        return LOW
    return MEDIUM

"""Reading, searching and printing passwords, keys and tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis import paths
from engine.analysis.shell.declare import HIGH, MEDIUM, SECRETS, found, rule
from engine.analysis.shell.file_access import read
from engine.analysis.shell.model import Command, Script
from engine.models import Confidence, Violation

READ = rule(
    "sh-credential-read",
    "Reads secrets",
    "secrets_env",
    HIGH,
    attack="Takes password hashes, keys or tokens that give access to other systems.",
    why="HIGH: the file contains nothing but secrets; MEDIUM where a script loads its project's `.env`.",
    fix="Request the secret by reference.",
    match=(
        "cat /etc/shadow",
        "cp ~/.ssh/id_rsa /tmp",
        "cat /proc/self/environ",
        "f=~/.aws/credentials; base64 < $f",
        "source .env",
        "tar czf a.tgz ~/.ssh",
        "cat ~/.netrc",
    ),
    not_match=(
        "cat ~/.ssh/id_rsa.pub",
        "cat notes.txt",
        "ls ~",
        "cat .env.example",
    ),
    cwe=522,
    owasp=SECRETS,
)
SEARCH = rule(
    "sh-credential-search",
    "Searches for secrets",
    "secrets_env",
    HIGH,
    attack="Searches the machine for passwords and keys.",
    why="HIGH: the owner of a secret does not need to search for it.",
    fix="Request the secret by reference.",
    match=(
        "grep -ri password /",
        "find / -name id_rsa",
        "find /home -name '*.pem'",
        "grep -r AWS_SECRET ~",
        "find / -type f -name .netrc",
    ),
    not_match=(
        "grep -r pattern .",
        "find . -name '*.rs'",
        "grep password form.html",
    ),
    cwe=522,
    owasp=SECRETS,
)
ENVIRONMENT = rule(
    "sh-environment-dump",
    "Lists the environment",
    "secrets_env",
    MEDIUM,
    attack="Reads the tokens in environment variables.",
    why="MEDIUM: the environment of the sandbox is nearly empty; HIGH where all of it is encoded.",
    fix="Read only the variable that is needed.",
    match=(
        "env",
        "printenv",
        "export -p",
        "env | grep TOKEN",
        "printenv | base64",
        "declare -x",
        "set | grep KEY",
    ),
    not_match=(
        "env FOO=1 make",
        "set -e",
        "declare -a x",
        "export A=1",
    ),
    cwe=526,
    owasp=SECRETS,
)
STORE = rule(
    "sh-secret-store",
    "Reads a secret store",
    "secrets_env",
    HIGH,
    attack="Takes saved passwords and certificates from the keychain or the password manager.",
    why="HIGH: the store contains nothing but secrets.",
    fix="Request the secret by reference.",
    match=(
        "security find-generic-password -wa x",
        "secret-tool lookup a b",
        "pass show x",
        "vault kv get s",
        "aws secretsmanager get-secret-value",
    ),
    not_match=(
        "security list",
        "vault status",
    ),
    cwe=522,
    owasp=SECRETS,
)
MEMORY = rule(
    "sh-memory-dump",
    "Reads the memory of other processes",
    "secrets_env",
    HIGH,
    attack="Takes secrets from memory, where programs hold them unencrypted.",
    why="HIGH: only debuggers need it.",
    fix="Remove it.",
    match=(
        "gcore 1234",
        "dd if=/proc/$p/mem of=a",
        "gdb -p 1 -batch -ex 'dump memory a 0 9'",
        "cat /proc/1/maps",
        "strace -p 1",
    ),
    not_match=(
        "gdb ./a.out",
        "cat /proc/meminfo",
        "strace ls",
    ),
    cwe=522,
    owasp=SECRETS,
)
ECHO = rule(
    "sh-secret-print",
    "Prints a secret from the environment",
    "secrets_env",
    MEDIUM,
    attack="Puts a token into the output, where it is stored and forwarded.",
    why="MEDIUM: only the name suggests a secret.",
    fix="Print whether it is set, not its value.",
    match=(
        "echo $AWS_SECRET_ACCESS_KEY",
        'printf "%s" "$GITHUB_TOKEN"',
        "echo ${DB_PASSWORD} > a",
        "echo $TOKEN",
    ),
    not_match=(
        "echo $HOME",
        "echo '$API_KEY'",
        "read PASSWORD; echo ok",
        "echo ${TOKEN:+set} $MAX_TOKENS",
    ),
    cwe=532,
    owasp=SECRETS,
    confidence=Confidence.MEDIUM,
)

_WANTED = re.compile(
    r"(?i)passw|pwd\b|secret|token|api[_-]?key|private[_ -]key|aws_|credential|id_(?:rsa|dsa|ecdsa"
    r"|ed25519)|\.(?:netrc|pgpass|pem|p12|pfx|kdbx"
    r"|gnupg|ssh|aws|key|htpasswd|keychain|ovpn|rdp|git-credentials|npmrc|pypirc|env)\b|wallet|shadow"
    r"|authorized_keys|logins\.json|access_tokens"
    r"|keychain|cookies|login data|BEGIN .*PRIVATE|bash_history|\.db\b.*gcloud|tfstate|kubeconfig"
)
_WIDE = re.compile(r"^(?:/|~|\x00|/(?:home|etc|var|root|Users|opt|srv|mnt|usr)(?:/|$))")
_STORES = {
    "security": re.compile(r"find-\w+|dump-keychain|export|unlock-keychain|dump-trust|find-certificate"),
    "secret-tool": re.compile(r"lookup|search"), "pass": re.compile(r"show|ls|grep|\w+/"),
    "vault": re.compile(r"read|kv|get"),
    "kwallet-query": re.compile("."), "keyctl": re.compile(r"print|read|pipe|show"),
    "op": re.compile(r"read|get|item"), "bw": re.compile(r"get|list"),
    "aws": re.compile(
        r"secretsmanager|ssm get-parameter|sts get-session|iam create-access-key|configure get|get-password"
    ),
    "gcloud": re.compile(r"auth print-|secrets versions|application-default print"),
    "az": re.compile(r"keyvault secret|get-access-token"),
    "kubectl": re.compile(r"secrets?\b|config view --raw"), "gpg": re.compile(r"export-secret"),
    "lazagne": re.compile("."), "LaZagne.py": re.compile("."),
    "mimipenguin": re.compile("."), "mimipenguin.sh": re.compile("."), "trufflehog": re.compile("."),
    "gitleaks": re.compile("."),
    "chainbreaker": re.compile("."), "keychaindump": re.compile("."),
    "docker": re.compile(r"secret|--env-file"), "defaults": re.compile(r"read.*(?:kcpassword|autologin)"),
}  # fmt: skip
_ENCODERS = frozenset(
    {"base64", "gbase64", "base32", "basenc", "xxd", "od", "hexdump", "openssl", "rev", "uuencode"}
)
_SETTINGS = re.compile(r"(?:\.{1,2}/|[\w-]+/)*\.env(?:\.\w+)?")
_MEMORY = re.compile(r"/proc/[^/]+/(?:mem|maps?|smaps|environ|fd|stack|syscall)\b")
_SECRET_NAME = re.compile(
    r"\$\{?((?:[A-Z][A-Z0-9_]*)?(?:SECRET|TOKEN(?!S)|PASSWORD|PASSWD|API_?KEY|ACCESS_KEY|PRIVATE_KEY"
    r"|CREDENTIALS?)[A-Z0-9_]*)\b(?!:?\+)"
)


def check(script: Script) -> Iterator[Violation]:
    """Yield every way in which the script gets at secrets."""
    for target in read(script):
        path = paths.normal(target.path)
        if paths.is_credential(path) or paths.matches_credential(path):
            level = MEDIUM if _loads_settings(target.command, path) else None
            message = f"Reads {target.shown}"
            yield READ.violation(target.span, message, evidence=target.evidence, severity=level)
    for command in script.commands:
        if not command.own:
            yield from _searches(command)
            yield from _dumps(command)
            yield from _prints(script, command)


def _loads_settings(command: Command | None, path: str) -> bool:
    """Return whether a script loads the variables of its own project: `. ./.env`."""
    return command is not None and command.name in {"source", "."} and _SETTINGS.fullmatch(path) is not None


def _encodes_environment(command: Command) -> bool:
    """Return whether the whole environment is piped into an encoding: `printenv | base64`."""
    lists = (
        other.name == "env" or (other.name == "printenv" and not other.args) for other in command.upstream
    )
    return (command.name in _ENCODERS or command.name in {"gzip", "zip", "xz", "bzip2"}) and any(lists)


def _searches(command: Command) -> Iterator[Violation]:
    name, words = command.name, command.words
    merged_analyses = command.text
    if name in {"grep", "egrep", "fgrep", "rg", "ag", "ack", "zgrep", "findstr"}:
        recursive = command.has("r", "--recursive") or command.has("R") or name in {"rg", "ag", "ack"}
        places = [arg.text for arg in command.operands[1:]] or ["."]
        if (
            (_WANTED.search(merged_analyses) and recursive and any(_WIDE.match(place) for place in places))
            or "Cookies" in merged_analyses
            or ("xargs" in command.wrappers and _WANTED.search(merged_analyses))
            or (
                _WANTED.search(merged_analyses) and any(other.name == "history" for other in command.upstream)
            )
        ):
            yield found(SEARCH, command)
    elif name in {"find", "gfind", "fd", "locate", "mdfind", "plocate"}:
        wide = name in {"locate", "mdfind", "plocate"} or any(
            _WIDE.match(arg.text) for arg in command.operands[:1]
        )
        if wide and _WANTED.search(merged_analyses):
            yield found(SEARCH, command)
    elif (
        name in {"ls", "cd", "open", "sqlite3", "osascript", "defaults", "plutil", "strings", "tree"}
        and words
    ):
        if any(paths.is_credential(paths.normal(word)) for word in words) or (
            name == "osascript" and _WANTED.search(merged_analyses)
        ):
            yield found(SEARCH if name in {"ls", "cd", "tree", "open"} else READ, command)
        elif name == "sqlite3" and re.search(
            r"Login Data|Cookies|logins|moz_cookies|keychain|TCC\.db|QuarantineEvents|chat\.db|knowledgeC",
            merged_analyses,
        ):
            yield found(READ, command)


def _dumps(command: Command) -> Iterator[Violation]:
    name, words = command.name, command.words
    bare_list = not words or words in (["-0"], ["--null"])
    if (
        (name in {"env", "printenv"} and (bare_list or name == "printenv"))
        or (name == "set" and not words and command.piped)
        or (name in {"export", "declare", "typeset"} and words in (["-p"], ["-x"], ["-xp"], ["-px"]))
        or (name == "ps" and any(re.match(r"-?\w*e\w*ww|-?axe|eww|-E", word) for word in words))
    ):
        yield found(ENVIRONMENT, command)
    if _encodes_environment(command):
        yield found(ENVIRONMENT, command, "Encodes the whole environment", HIGH)
    store = _STORES.get(name)
    if store is not None and words and store.search(command.text):
        yield found(STORE, command)
    if (
        name in {"gcore", "procdump", "memdump", "mimikatz", "lsadump", "fridump", "avml", "LiME"}
        or (
            name
            in {
                "gdb",
                "lldb",
                "strace",
                "ptrace",
                "dtrace",
                "reptyr",
                "injector",
                "ltrace",
            }
            and command.option("-p", "--pid", "--attach")
        )
        or ("/proc/" in command.text and _reads_memory(command))
    ):
        yield found(MEMORY, command)


def _reads_memory(command: Command) -> bool:
    return command.name not in {"echo", "printf"} and any(map(_MEMORY.search, command.words))


def _prints(script: Script, command: Command) -> Iterator[Violation]:
    if command.name not in {"echo", "printf", "cat", "print"}:
        return
    raw = script.tree.slice(command.start, command.end)
    match = _SECRET_NAME.search(raw.replace("'$", "")) if "$" in raw else None
    if match and match[1] not in {name for name, _, _ in script.assignments}:
        yield found(ECHO, command, f"Prints {match[1]}")

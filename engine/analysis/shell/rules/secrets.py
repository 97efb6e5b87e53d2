"""Rules: passwords, keys and tokens: reading, searching, guessing and listening for them."""

from __future__ import annotations

from engine.analysis.shell.declare import HIGH, MEDIUM, SECRETS, rule
from engine.models import Confidence

READ = rule(
    "sh-credential-read",
    "Reads secrets",
    "secrets_env",
    HIGH,
    attack="Takes password hashes, keys or tokens that open other doors.",
    why="HIGH: the file holds nothing but secrets.",
    fix="Ask for the secret by reference, as a capability.",
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
    attack="Combs the machine for passwords and keys that were left lying about.",
    why="HIGH: nobody who owns the secrets needs to look for them.",
    fix="Ask for the secret by reference, as a capability.",
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
    attack="Reads the tokens that are passed in environment variables.",
    why="MEDIUM: the sandbox's environment is built from nothing, so there is little to find.",
    fix="Read the one variable that is needed.",
    match=(
        "env",
        "printenv",
        "export -p",
        "env | grep TOKEN",
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
    "Opens a store of secrets",
    "secrets_env",
    HIGH,
    attack="Takes saved passwords and certificates from the keychain or the password manager.",
    why="HIGH: the store holds nothing but secrets.",
    fix="Ask for the secret by reference, as a capability.",
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
    attack="Takes secrets from where programs keep them in the clear.",
    why="HIGH: debuggers aside, nothing needs it.",
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
CAPTURE = rule(
    "sh-capture",
    "Listens to the network, the keyboard or the screen",
    "secrets_env",
    HIGH,
    attack="Reads passwords and conversations as they pass.",
    why="HIGH: what passes belongs to others.",
    fix="Remove it.",
    match=(
        "tcpdump -i eth0",
        "tshark -i any",
        "xinput test 5",
        "screencapture a.png",
        "sudo ./t_pcapdemo -i em0",
        "xwd -root",
    ),
    not_match=(
        "tcpdump --version",
        "man tcpdump",
    ),
    cwe=200,
    owasp=SECRETS,
)
GUESS = rule(
    "sh-password-attack",
    "Tries or cracks passwords",
    "secrets_env",
    HIGH,
    attack="Logs in as somebody else.",
    why="HIGH: with a password on the command line no person is logging in.",
    fix="Use a key that was granted.",
    match=(
        "sshpass -p x ssh u@h",
        "hydra -l a -P w ssh://h",
        "john h.txt",
        "hashcat -m 0 h w",
        "for p in a b; do echo $p | su root; done",
    ),
    not_match=(
        "ssh u@h",
        "echo john > a",
    ),
    cwe=307,
    owasp=SECRETS,
)
CLIPBOARD = rule(
    "sh-clipboard",
    "Reads the clipboard",
    "secrets_env",
    MEDIUM,
    attack="Takes what was copied last: often a password.",
    why="MEDIUM: a sandbox has no clipboard.",
    fix="Remove it.",
    match=(
        "pbpaste",
        "xclip -o",
        "wl-paste",
        "xsel -b",
    ),
    not_match=(
        "pbcopy < a",
        "xclip -i a",
    ),
    cwe=200,
    owasp=SECRETS,
)
ECHO = rule(
    "sh-secret-print",
    "Prints a secret from the environment",
    "secrets_env",
    MEDIUM,
    attack="Puts a token into the output, where it is kept and sent on.",
    why="MEDIUM: only the name says that it is a secret.",
    fix="Say whether it is set, not what it is.",
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

RULES = (
    READ,
    SEARCH,
    ENVIRONMENT,
    STORE,
    MEMORY,
    CAPTURE,
    GUESS,
    CLIPBOARD,
    ECHO,
)

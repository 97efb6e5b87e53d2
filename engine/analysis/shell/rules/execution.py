"""Rules: code that is run from text, and programs that nobody has read."""

from __future__ import annotations

from engine.analysis.shell.declare import ABUSE, CRITICAL, HIGH, MEDIUM, rule
from engine.models import Confidence

EVAL = rule(
    "sh-eval",
    "Runs text as code",
    "exec_eval",
    MEDIUM,
    attack="Whoever can shape the text decides what runs.",
    why=("MEDIUM: the text is only known when the code runs; LOW where it is known, and judged itself."),
    fix="Call the command itself, with its arguments in an array.",
    match=(
        'eval "$1"',
        'bash -c "$cmd"',
        'echo "$x" | sh',
        "f() { eval $1; }; f 'ls'",
    ),
    not_match=(
        "bash -c 'echo hi'",
        "sh script.sh",
        "echo eval",
    ),
    cwe=95,
    owasp=ABUSE,
)
DECODED_EXEC = rule(
    "sh-decoded-exec",
    "Runs what it decodes",
    "obfuscation",
    CRITICAL,
    attack="Hides the commands from everybody who reads the script.",
    why=(
        "CRITICAL: encoding commands has no purpose but to hide them; what was decoded is shown as a layer."
    ),
    fix="Send the commands themselves.",
    match=(
        "echo bHM= | base64 -d | sh",
        'eval "$(echo bHM= | base64 --decode)"',
        "bash <<< $(xxd -r -p <<< 6c73)",
        "printf '%s' sl | rev | bash",
        "gunzip -c p.gz | sh",
    ),
    not_match=(
        "base64 -d a.txt",
        "echo bHM= | base64 -d | wc",
    ),
    cwe=506,
    owasp=ABUSE,
)
INPUT_COMMAND = rule(
    "sh-input-command",
    "Runs what it reads",
    "exec_eval",
    HIGH,
    attack="Takes its commands from a file, a pipe or a person that this review does not see.",
    why="HIGH: every line that arrives is run as it stands.",
    fix="Compare the input with a list of allowed words.",
    match=(
        "while read l; do $l; done < cmds",
        "read c; eval $c",
        'read -r c; bash -c "$c"',
    ),
    not_match=(
        "read name; echo $name",
        'while read l; do echo "$l"; done',
    ),
    cwe=78,
    owasp=ABUSE,
)
SHELL_ESCAPE = rule(
    "sh-shell-escape",
    "Starts a shell through another program",
    "process",
    HIGH,
    attack="Gets a shell where only an innocent-looking program is allowed (GTFOBins).",
    why=(
        "HIGH: a script that wants a shell has one already; only what watches it is avoided. MEDIUM where "
        "nothing but a wrapper or a variable leads to the shell."
    ),
    fix="Call the command itself.",
    match=(
        "awk 'BEGIN {system(\"/bin/sh\")}'",
        "vim -c ':!sh'",
        "find . -exec /bin/sh \\;",
        "busybox sh",
        "python3 -c \"import pty;pty.spawn('/bin/sh')\"",
        "perl -e 'exec \"/bin/sh\"'",
        "tar cf /dev/null x --checkpoint-action=exec=sh",
    ),
    not_match=(
        "awk '{print $1}' a",
        "find . -name '*.sh'",
        "vim a.sh",
        "perl -ne 'print'",
    ),
    cwe=78,
)
CARRIED = rule(
    "sh-carried-command",
    "Hands a command to a program in a place where few look for one",
    "process",
    MEDIUM,
    attack="Runs a command of its own under the name of a pager, an editor, an archiver or of git.",
    why="MEDIUM: there are honest uses; what the command does is judged as well, and shown as a layer.",
    fix="Call the command itself.",
    match=(
        "PAGER='touch /tmp/x' git log",
        "git -c core.sshCommand='touch /tmp/x' fetch",
        "man -P 'touch x' ls",
        "export GIT_SSH_COMMAND='touch x; ssh'",
        "tar cf a.tar -I 'touch x' b",
        "sed '1e touch x' a",
    ),
    not_match=(
        "PAGER='less -R' git log",
        "git -c core.pager=cat log",
        "GIT_SSH_COMMAND='ssh -i key' git fetch",
        "tar cf a.tar -I 'zstd -19' b",
        "rsync -e 'ssh -p 22' a b",
        "sed 's/a/e/' b",
        "git config --global alias.st status",
    ),
    cwe=78,
    confidence=Confidence.MEDIUM,
)
TEMP_PROGRAM = rule(
    "sh-temp-program",
    "Runs a program from a folder for temporary files",
    "process",
    MEDIUM,
    attack="Drops a program where everybody may write, and starts it.",
    why="MEDIUM: the program is not part of what is reviewed.",
    fix="Send the program's source with the submission.",
    match=(
        "/tmp/a.out",
        "sudo /dev/shm/x -f",
        "sh /var/tmp/run.sh",
        "nohup /tmp/.x/y &",
    ),
    not_match=(
        "./a.sh",
        "cat /tmp/a",
        "/usr/bin/ls",
    ),
    cwe=426,
)
COMPILE = rule(
    "sh-compile-run",
    "Compiles a program and runs it",
    "process",
    MEDIUM,
    attack="Brings malware in as source, past what looks for known programs.",
    why="MEDIUM: this analysis does not read that language.",
    fix="Have the source reviewed too.",
    match=(
        "gcc a.c && ./a.out",
        "go run main.go",
        "cc -o x x.c; ./x",
    ),
    not_match=(
        "gcc -c a.c",
        "go test ./...",
        "make all",
    ),
    cwe=426,
    confidence=Confidence.MEDIUM,
)

RULES = (
    EVAL,
    DECODED_EXEC,
    INPUT_COMMAND,
    SHELL_ESCAPE,
    CARRIED,
    TEMP_PROGRAM,
    COMPILE,
)

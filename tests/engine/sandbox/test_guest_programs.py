"""The programs in every sandbox are Perl without modules: what those check and know is checked here."""

from __future__ import annotations

import itertools
import subprocess

import pytest

from engine.models import Language
from engine.sandbox.guest_protocol import programs

COMPARED = """
use Fcntl (); use Errno ();
for my $name (qw(O_RDONLY O_WRONLY O_CREAT O_EXCL O_NONBLOCK O_NOFOLLOW F_GETFL F_SETFL)) {
    print "$name\\n" if main->can($name)->() != Fcntl->can($name)->();
}
for my $name (qw(EINTR EAGAIN ENOSPC)) { print "$name\\n" if main->can($name)->() != Errno->can($name)->() }
for my $path ('/dev/null', '/', $0) {
    my $mode = ( stat $path )[2];
    print "$path\\n" if !!S_ISREG($mode) != !!-f $path || !!S_ISDIR($mode) != !!-d $path;
}
"""


def perl(*arguments: str) -> str:
    """Return what Perl says."""
    done = subprocess.run(
        ["perl", *arguments], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    return done.stdout + done.stderr


def unfolded(program: str) -> str:
    """Return a supervisor as one text, whose second part is otherwise compiled once it runs."""
    return program.replace("eval <<'THE_REST';", "{").replace("\nTHE_REST\ndie $@;\n", "}\n")


def test_the_constants_are_those_of_this_machine() -> None:
    """Perl's own modules say the same."""
    assert "" == perl("-e", programs._text("linux.pl") + COMPARED)


@pytest.mark.parametrize(
    ("session", "late", "marked"),
    [*itertools.product((False, True), (False, True), (None, Language.PYTHON, Language.SHELL))],
)
def test_no_supervisor_has_a_warning(*, session: bool, late: bool, marked: Language | None) -> None:
    """Perl finds nothing to warn of when it reads the whole program."""
    text = unfolded(programs.supervisor(session=session, late=late, marked=marked))
    assert "THE_REST" not in text
    assert "-e syntax OK\n" == perl("-w", "-c", "-e", text)


def test_no_supervisor_loads_a_module_of_perl() -> None:
    """But for `strict`: each costs every sandbox files to open, and gVisor much."""
    text = unfolded(programs.supervisor(session=False, late=False))
    said = perl("-c", "-e", f"{text}\nCHECK {{ print join ' ', sort keys %INC }}")
    assert "strict.pm-e syntax OK\n" == said

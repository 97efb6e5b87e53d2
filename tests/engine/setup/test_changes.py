"""Changes to the machine are asked for first, made as root, and end in one line where they cannot be made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.setup import docker_engine, gvisor
from engine.setup.change import Change, apply_change, install_packages, last_line, run
from engine.setup.machine import Machine, SetupError, detect_machine
from engine.setup.runsc import from_gvisor_release, from_newest_suite, from_own_suite, mirror

DEBIAN_12 = Machine(
    root=True, sudo=False, apt=True, systemd=False, distribution="debian", release=12, architecture="x86_64"
)


def yes(what: str) -> bool:
    """Agree to everything."""
    return bool(what)


def test_this_machine_is_known() -> None:
    """The facts are those of the machine that runs the tests."""
    machine = detect_machine()
    assert (Path("/usr/bin/apt-get").exists(), Path("/run/systemd/system").is_dir()) == (
        machine.apt,
        machine.systemd,
    )


def test_commands_stop_at_the_first_that_fails(tmp_path: Path) -> None:
    """A tolerated command may fail; after any other, nothing more is run, and its last words are told."""
    may_fail = ("false",)
    broken = ("sh", "-c", "echo one; echo 'E: two' >&2; echo three >&2; exit 3")
    change = Change("try", (may_fail, broken, ("touch", str(tmp_path / "x"))), frozenset({may_fail}))
    with pytest.raises(SetupError, match=r"^could not try: E: two\. Type: sudo false && sudo sh"):
        apply_change(change, DEBIAN_12, yes)
    assert [] == list(tmp_path.iterdir())


def test_refused_change_runs_nothing(tmp_path: Path) -> None:
    """No is no: the line says what to type."""
    change = Change("touch it", (("touch", str(tmp_path / "x")),))
    with pytest.raises(SetupError, match=rf"^declined: touch it\. Type: sudo touch {tmp_path}/x$"):
        apply_change(change, DEBIAN_12, lambda _: False)
    assert [] == list(tmp_path.iterdir())


def test_without_root_and_sudo_nobody_is_asked() -> None:
    """Where the change cannot be made, the line says so before any question."""
    nobody = replace(DEBIAN_12, root=False)
    with pytest.raises(SetupError, match=r"^root is required to install it\. Type as root: pratique setup$"):
        apply_change(install_packages("install it", ["x"]), nobody, pytest.fail)


def test_missing_command_is_said() -> None:
    """A command that does not exist is a line, not a traceback."""
    assert "no-such-command: No such file or directory" == run(("no-such-command",))


def test_last_line_prefers_the_error() -> None:
    """What apt calls an error is told, not the advice below it."""
    assert "E: gone" == last_line("reading\nE: gone\nW: and this\n")
    assert "" == last_line(" \n")


def test_mirror_is_the_machines_own() -> None:
    """Security, update and foreign archives are no mirror of a release."""
    targets = (
        "Google bookworm mirror://elsewhere/\n"
        "Debian bookworm-security mirror://security/\n"
        "Debian bookworm mirror://debian/ \n"
    )
    assert "mirror://debian/" == mirror(targets)
    with pytest.raises(SetupError, match="no Debian mirror"):
        mirror("Ubuntu noble mirror://ubuntu/")


@pytest.mark.parametrize(
    ("machine", "sources"),
    [
        (DEBIAN_12, (from_newest_suite, from_own_suite, from_gvisor_release)),
        (replace(DEBIAN_12, release=13), (from_own_suite, from_gvisor_release)),
        (replace(DEBIAN_12, distribution="ubuntu", release=24), (from_gvisor_release,)),
        (replace(DEBIAN_12, distribution="fedora", apt=False), (from_gvisor_release,)),
    ],
)
def test_runsc_comes_from_the_newest_place(machine: Machine, sources: tuple[gvisor.RunscSource, ...]) -> None:
    """Debian's newest suite first, then one's own, then the makers; elsewhere the makers alone."""
    assert sources == gvisor.runsc_sources(machine)


def test_docker_without_apt_is_one_line() -> None:
    """Where there is no apt-get, a person installs Docker."""
    with pytest.raises(SetupError, match=r"has no apt-get\. Install Docker Engine"):
        docker_engine.docker_install_change(replace(DEBIAN_12, apt=False))


def test_docker_that_does_not_answer_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A socket that nobody serves is said, with what to type; set-up leaves a remote engine alone."""
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    assert not docker_engine.is_running()
    docker_engine.ensure(DEBIAN_12, pytest.fail, pytest.fail)
    with pytest.raises(SetupError, match=r"^no Docker Engine is running at DOCKER_HOST\. Type: unset"):
        docker_engine.connect()

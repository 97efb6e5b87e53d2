"""A person without root reaches Docker as a member of its group, from the next log-in on, or at once."""

from __future__ import annotations

import getpass
import grp
import os
import shlex
import shutil
import sys

from engine.setup.change import Ask, Change, make
from engine.setup.machine import Machine

GROUP = "docker"


def join(machine: Machine, ask: Ask) -> None:
    """Make the person a member, and run this program again as one. Raises SetupError.

    Returns where nothing is to be done about it: the group is in effect, or there is none.
    """
    try:
        group = grp.getgrnam(GROUP)
    except KeyError:
        return
    if group.gr_gid in os.getgroups():
        return
    if getpass.getuser() not in group.gr_mem:
        make(becoming_member(getpass.getuser()), machine, ask)
    if shutil.which("sg"):
        sys.stdout.flush()
        os.execvp("sg", ["sg", GROUP, "-c", shlex.join(sys.orig_argv)])  # noqa: S606


def becoming_member(user: str) -> Change:
    """Return the change that lets a person use Docker."""
    what = f"add you to the group {GROUP}, whose members are as good as root"
    return Change(what, (("usermod", "-aG", GROUP, user),))

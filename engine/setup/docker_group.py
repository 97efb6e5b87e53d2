"""Add the user to Docker's group, with effect for this process."""

from __future__ import annotations

import getpass
import grp
import os
import shlex
import shutil
import sys

from engine.setup.change import Change, Confirm, apply_change
from engine.setup.machine import Machine

GROUP = "docker"


def join(machine: Machine, ask: Confirm) -> None:
    """Add the user to the group and restart this program as a member. Raises SetupError.

    Returns if the user is an active member, or the group does not exist.
    """
    try:
        group = grp.getgrnam(GROUP)
    except KeyError:
        return
    if group.gr_gid in os.getgroups():
        return
    if getpass.getuser() not in group.gr_mem:
        apply_change(docker_group_change(getpass.getuser()), machine, ask)
    if shutil.which("sg"):
        sys.stdout.flush()
        os.execvp("sg", ["sg", GROUP, "-c", shlex.join(sys.orig_argv)])  # noqa: S606


def docker_group_change(user: str) -> Change:
    """Return the change that adds a user to Docker's group."""
    what = f"add you to the group {GROUP} (its members have the rights of root)"
    return Change(what, (("usermod", "-aG", GROUP, user),))

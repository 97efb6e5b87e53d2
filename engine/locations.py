"""Paths: state, settings, the socket, and the files shipped with the program."""

from __future__ import annotations

import hashlib
import os
import warnings
from pathlib import Path

import platformdirs

from engine.common.errors import Problem
from engine.common.local_files import private_folder

ADOPTED_POLICY = "policy.adopted.yaml"
"""The file of adopted rules, beside the user's own policy."""
_SOURCE = Path(__file__).resolve().parent

# Root and services have no login that names a runtime folder. The one in its place serves as well.
warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR is not set")


def home() -> Path | None:
    """Return the folder of `PRATIQUE_HOME`, under which everything lies when it is set."""
    value = os.environ.get("PRATIQUE_HOME")
    return Path(value).expanduser().absolute() if value else None


def state() -> Path:
    """Return the private folder of the database, the keys and the inbox."""
    return _private(home() or platformdirs.user_state_path("pratique"))


def runtime() -> Path:
    """Return the private folder of the socket and lock. Raises Problem: it belongs to another user."""
    base = home()
    folder = _private(_private(base) / "run" if base else platformdirs.user_runtime_path("pratique"))
    if folder.lstat().st_uid != os.geteuid():
        raise Problem(500, f"{folder} belongs to another user", hint="Set XDG_RUNTIME_DIR to one of yours")
    return folder


def settings_file() -> Path:
    """Return the settings file: `PRATIQUE_CONFIG_FILE`, or `settings.yaml` in the user's folder."""
    named = os.environ.get("PRATIQUE_CONFIG_FILE")
    if named:
        return Path(named).expanduser()
    return (home() or platformdirs.user_config_path("pratique")) / "settings.yaml"


def policy_file() -> Path:
    """Return the user's own policy, which lies beside the settings."""
    return settings_file().parent / "policy.yaml"


def adopted_policy() -> Path:
    """Return the rules that were suggested and adopted; the user's own policy is on top of them."""
    return policy_file().with_name(ADOPTED_POLICY)


def socket() -> Path:
    """Return the engine's Unix socket."""
    return runtime() / "engine.sock"


def stopped() -> Path:
    """Return the file that is there once somebody stopped the engine, until one starts again."""
    return runtime() / "stopped"


def start_lock() -> Path:
    """Return the lock that an engine started by a client holds."""
    return runtime() / "start.lock"


def database() -> Path:
    """Return the audit database."""
    return state() / "pratique.db"


def engine_lock() -> Path:
    """Return the lock that the engine holds which writes the database."""
    return state() / "pratique.db.lock"


def witness() -> Path:
    """Return the file outside the state folder that keeps the newest signed head of its history."""
    name = hashlib.sha256(str(state()).encode()).hexdigest()[:12]
    return platformdirs.user_data_path("pratique") / "witness" / f"{name}.heads"


def keys() -> Path:
    """Return the private folder of the keys that principals sign with."""
    return _private(state() / "keys")


def tokens() -> Path:
    """Return the file of the tokens of programs."""
    return state() / "tokens.json"


def agents() -> Path:
    """Return the private folder of the secrets of registered agents."""
    return _private(state() / "agents")


def secrets() -> Path:
    """Return the file of the secrets that runs use without seeing them."""
    return state() / "secrets.json"


def drills() -> Path:
    """Return the file of drills: the key that recognises them, and what reviewers answered."""
    return state() / "drills.json"


def inbox() -> Path:
    """Return the folder whose files become submissions."""
    return _private(state() / "inbox")


def notifications() -> Path:
    """Return the folder of what the receivers of notifications have been told."""
    return state() / "notifications"


def code_names() -> Path:
    """Return the folder of what sandboxes said about the names in their images."""
    return state() / "code-names"


def images() -> Path:
    """Return the folder of sandbox images, as shipped."""
    return _shipped("images")


def _shipped(name: str) -> Path:
    installed = _SOURCE / "_shipped" / name
    return installed if installed.is_dir() else _SOURCE.parent / name


def _private(folder: Path) -> Path:
    try:
        private_folder(folder)
    except OSError as error:
        what = f"the folder {folder} cannot be made: {error.strerror}"
        raise Problem(503, what, hint="Set PRATIQUE_HOME to a folder that you may write") from None
    return folder

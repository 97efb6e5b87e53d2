"""Add a runtime to Docker's `daemon.json` and keep everything else."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from engine.setup.change import Change, Confirm, apply_change
from engine.setup.machine import Machine, SetupError

DAEMON_JSON = Path("/etc/docker/daemon.json")

# Air-gapped is the default, and on new kernels an older runsc starts no other way.
RUNTIME_ARGUMENTS = ("--network=none",)


def merged(text: str, runtime: str, binary: str, path: Path = DAEMON_JSON) -> str | None:
    """Return `text` with the runtime added, or None if it already has a runtime of that name.

    Raises SetupError, with file and line, if it is not the JSON object that Docker expects.
    """
    config = _parsed(text, path)
    runtimes = config.setdefault("runtimes", {})
    if not isinstance(runtimes, dict):
        raise SetupError(
            f"{path}: `runtimes` is not an object", hint=f"Edit {path}, then type: pratique setup"
        )
    if runtime in runtimes:
        return None
    runtimes[runtime] = _entry(binary)
    return json.dumps(config, indent=2, ensure_ascii=False) + "\n"


def _entry(binary: str) -> dict[str, Any]:
    return {"path": binary, "runtimeArgs": list(RUNTIME_ARGUMENTS)}


def _parsed(text: str, path: Path) -> dict[str, Any]:
    if not text.strip():
        return {}
    hint = f"Edit {path}, then type: pratique setup"
    try:
        config = json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise SetupError(f"{path}:{error.lineno}:{error.colno}: {error.msg}", hint=hint) from None
    except ValueError as error:
        raise SetupError(f"{path}: {error}", hint=hint) from None
    if not isinstance(config, dict):
        raise SetupError(f"{path}: not a JSON object", hint=hint)
    return config


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    twice = {key for key in keys if keys.count(key) > 1}
    if twice:
        raise ValueError(f"`{min(twice)}` appears twice")
    return dict(pairs)


def add_runtime(runtime: str, binary: str, machine: Machine, ask: Confirm, path: Path = DAEMON_JSON) -> bool:
    """Add the runtime to the file and keep a copy of the old one; return False if it is there already.

    Raises SetupError.
    """
    path = path.resolve()
    text = merged(_read(path), runtime, binary, path)
    if text is None:
        return False
    with tempfile.TemporaryDirectory(prefix="pratique-setup-") as folder:
        fresh = Path(folder) / path.name
        fresh.write_text(text)
        entry = json.dumps({runtime: _entry(binary)})
        apply_change(_replacing(path, fresh, runtime, entry), machine, ask)
    return True


def _replacing(path: Path, fresh: Path, runtime: str, entry: str) -> Change:
    """Back up the old file, write the new one with the same owner and mode, then rename it."""
    new_path, backup = f"{path}.new", f"{path}.before-pratique"
    exists = path.exists()
    prepare = (("cp", "--archive", "--backup=numbered", str(path), backup),) if exists else ()
    copy = (("cp", "--archive", str(path), new_path),) if exists else ()
    return Change(
        f"add the runtime {runtime} to {path}" + (f", and keep the old file as {backup}" if exists else ""),
        (
            ("mkdir", "-p", str(path.parent)),
            *prepare,
            *copy,
            ("cp", "--no-preserve=all", str(fresh), new_path),
            ("mv", new_path, str(path)),
        ),
        manual=f"Add to the runtimes in {path}: {entry}",
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(f"{path} cannot be read: {error}", hint="Type: sudo pratique setup") from None

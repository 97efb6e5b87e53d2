"""Docker's `daemon.json`: one runtime is added, and nothing that is there is lost."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from engine.setup.change import Ask, Change, make
from engine.setup.machine import Machine, SetupError

DAEMON_JSON = Path("/etc/docker/daemon.json")

# Air-gapped is the default, and on new kernels an older runsc starts no other way.
RUNTIME_ARGUMENTS = ("--network=none",)


def merged(text: str, runtime: str, binary: str, path: Path = DAEMON_JSON) -> str | None:
    """Return `text` with the runtime added, or None where it names one of that name already.

    Raises SetupError, with file and line, for anything that is not the JSON object that Docker expects.
    """
    config = _parsed(text, path)
    runtimes = config.setdefault("runtimes", {})
    if not isinstance(runtimes, dict):
        raise SetupError(f"{path}: `runtimes` is not an object", hint=f"Mend {path}, then: pratique setup")
    if runtime in runtimes:
        return None
    runtimes[runtime] = _entry(binary)
    return json.dumps(config, indent=2, ensure_ascii=False) + "\n"


def _entry(binary: str) -> dict[str, Any]:
    return {"path": binary, "runtimeArgs": list(RUNTIME_ARGUMENTS)}


def _parsed(text: str, path: Path) -> dict[str, Any]:
    if not text.strip():
        return {}
    hint = f"Mend {path}, then: pratique setup"
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
        raise ValueError(f"`{min(twice)}` stands there twice")
    return dict(pairs)


def add_runtime(runtime: str, binary: str, machine: Machine, ask: Ask, path: Path = DAEMON_JSON) -> bool:
    """Add the runtime to the file, a copy of which is kept; False where it is there already.

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
        make(_replacing(path, fresh, runtime, entry), machine, ask)
    return True


def _replacing(path: Path, fresh: Path, runtime: str, entry: str) -> Change:
    """Copy the old file aside, write the new one beside it with the same owner and mode, then rename."""
    beside, kept = f"{path}.new", f"{path}.before-pratique"
    there = path.exists()
    prepare = (("cp", "--archive", "--backup=numbered", str(path), kept),) if there else ()
    copy = (("cp", "--archive", str(path), beside),) if there else ()
    return Change(
        f"add the runtime {runtime} to {path}" + (f", and keep the old one as {kept}" if there else ""),
        (
            ("mkdir", "-p", str(path.parent)),
            *prepare,
            *copy,
            ("cp", "--no-preserve=all", str(fresh), beside),
            ("mv", beside, str(path)),
        ),
        instead=f"Add to the runtimes in {path}: {entry}",
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(f"{path} cannot be read: {error}", hint="Type: sudo pratique setup") from None

"""The secrets of this engine: set and removed, never displayed. Each change is an event without the value."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterable
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from engine import locations
from engine.common.errors import Problem
from engine.common.hosts import matches_any, pattern_error
from engine.common.local_files import put_in_place
from engine.core.config.shared_file import SharedFile
from engine.core.history.event_bus import EventBus
from engine.models import FrozenModel, Principal
from engine.models.submission import SecretReference
from engine.sandbox.api.network_spec import Secret

MOST = 1000
_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
_TAKEN = re.compile(
    r"PATH|HOME|LANG|HOSTNAME|USER|SHELL|IFS|ENV|.*_PROXY|.*_BUNDLE"
    r"|(LD|LC|PYTHON|NODE|SSL|PERL|BASH|MPL).*"
)
"""Names that mean something to programs: a guest's environment keeps them for that."""
_VALUE = re.compile(r"[\x21-\x7e]{8,8192}")


class StoredSecret(FrozenModel):
    """A secret as it is stored on disk, readable by its owner alone."""

    name: str
    host: str
    value: str


_KEPT = TypeAdapter(tuple[StoredSecret, ...])


def read(path: Path) -> tuple[StoredSecret, ...]:
    """Return all that are kept. Raises Problem: the file is damaged, or open to others."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise Problem(503, f"{path} cannot be read: {error.strerror}") from None
    with os.fdopen(descriptor, "rb") as file:
        if os.fstat(descriptor).st_mode & 0o077:
            raise Problem(503, f"{path} is open to others", hint=f"Type: chmod 600 {path}")
        try:
            return _KEPT.validate_json(file.read())
        except ValidationError:
            raise Problem(
                503, f"{path} is damaged", hint="Move it away, and set the secrets again."
            ) from None


def write(path: Path, kept: Iterable[StoredSecret]) -> None:
    """Put the secrets on disk, whole or not at all."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(_KEPT.dump_json(tuple(kept)))
        file.flush()
        os.fsync(file.fileno())
    put_in_place(part, path)


def granted(names: Iterable[str], domains: Iterable[str]) -> tuple[Secret, ...]:
    """Return granted secrets with their values, for the proxy alone.

    Raises:
        Problem: one is not set, or is for a host that is not granted.
    """
    wanted = list(names)
    if not wanted:
        return ()
    kept, hosts = {one.name: one for one in read(locations.secrets())}, list(domains)
    for name in wanted:
        if name not in kept:
            raise Problem(422, "a secret is asked for that is not set", hint="Type: pratique secret list")
        if not matches_any(hosts, kept[name].host):
            raise Problem(422, f"the secret {name} is for {kept[name].host}, which is not granted")
    return tuple(Secret(name, kept[name].host, kept[name].value) for name in wanted)


TRIES, AGAIN_SECONDS = 10, 0.2
"""How often a secret that another engine has recorded is looked for."""


class SecretStore:
    """Changes the file of secrets, which one engine alone writes."""

    def __init__(self, path: Path, events: EventBus) -> None:
        self._path = path
        self._events = events
        self._lock = asyncio.Lock()
        self._shared = SharedFile(path, events)

    async def start(self) -> None:
        """Take the secrets of the other engines, where several share them. Raises HistoryError."""
        async with self._lock:
            await self._shared.pull()

    async def replay(self) -> None:
        """Take what another engine has recorded, and is about to share. Raises HistoryError."""
        for _ in range(TRIES):
            async with self._lock:
                if await self._shared.pull():
                    return
            await asyncio.sleep(AGAIN_SECONDS)

    def listed(self) -> tuple[SecretReference, ...]:
        """Return names and hosts, in order. Raises Problem."""
        return tuple(SecretReference(name=one.name, host=one.host) for one in read(self._path))

    async def set(self, name: str, host: str, value: str, by: Principal) -> SecretReference:
        """Keep a secret for one host, in place of the one of that name. Raises Problem."""
        _check(name, host, value)
        async with self._lock:
            await self._shared.pull()
            others = [one for one in read(self._path) if one.name != name]
            if len(others) >= MOST:
                raise Problem(409, f"there are {MOST} secrets", hint="Remove some.")
            both = sorted(
                [*others, StoredSecret(name=name, host=host, value=value)], key=lambda one: one.name
            )
            await self._events.record("secret.set", name, by.name, data={"name": name, "host": host})
            await asyncio.to_thread(write, self._path, both)
            await self._shared.push()
        return SecretReference(name=name, host=host)

    async def remove(self, name: str, by: Principal) -> None:
        """Forget a secret. Raises Problem: there is none of that name."""
        async with self._lock:
            await self._shared.pull()
            kept = read(self._path)
            found = next((one for one in kept if one.name == name), None)
            if found is None:
                raise Problem(404, "there is no secret of that name", hint="Type: pratique secret list")
            await self._events.record(
                "secret.removed", name, by.name, data={"name": name, "host": found.host}
            )
            await asyncio.to_thread(write, self._path, [one for one in kept if one is not found])
            await self._shared.push()


def _check(name: str, host: str, value: str) -> None:
    if not _NAME.fullmatch(name) or _TAKEN.fullmatch(name):
        raise Problem(422, "a secret's name is like API_TOKEN, and none that programs use")
    if (wrong := pattern_error(host)) or host.startswith("*"):
        raise Problem(422, f"a secret is for one host: {wrong or 'name it in full'}")
    if not _VALUE.fullmatch(value):
        raise Problem(422, "a secret is 8 to 8192 characters of ASCII, without blanks")

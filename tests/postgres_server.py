"""A PostgreSQL server of the tests' own, on loopback, in a folder that goes with it."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import psycopg

from tests.tls import free_port

SECONDS = 60
OWNER = "postgres"


class PostgresServer:
    """A server, its superuser `postgres`, and roles without any right but to own one database each."""

    def __init__(self, folder: Path, *, synced: bool = False) -> None:
        self._folder = folder
        self._synced = synced
        self._binaries = _binaries()
        self.port = free_port()
        self._run("initdb", "--auth=trust", "--encoding=UTF8", "--locale=C", f"--username={OWNER}")
        self.start()

    @property
    def folder(self) -> Path:
        """Where the server keeps its files."""
        return self._folder / "data"

    @classmethod
    def make(cls, *, synced: bool = False) -> Self:
        """Return a server in a new folder; without `synced` it survives all but the end of the machine."""
        return cls(Path(tempfile.mkdtemp(prefix="pratique-postgres-", dir="/tmp")), synced=synced)

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        options = f"-p {self.port} -h 127.0.0.1 -k '' -c fsync={'on' if self._synced else 'off'}"
        self._run("pg_ctl", "start", "-w", "-t", str(SECONDS), "-l", str(self._folder / "log"), "-o", options)

    def stop(self, how: str = "fast") -> None:
        """Stop the server; `immediate` is as if its power was cut."""
        self._run("pg_ctl", "stop", "-w", "-m", how)

    def require_tls(self, certificate: Path, key: Path, role: str, password: str) -> None:
        """Have a role log in by TLS and a password alone; starts the server anew."""
        with psycopg.connect(self.url(OWNER, "postgres"), autocommit=True) as connection:
            connection.execute(f"ALTER ROLE \"{role}\" PASSWORD '{password}'".encode())
        self.stop()
        self._put("server.crt", certificate.read_text())
        self._put("server.key", key.read_text())
        self._put("postgresql.conf", (self.folder / "postgresql.conf").read_text() + "ssl = on\n")
        rules = f"hostssl all {role} all scram-sha-256\nhost all {role} all reject\n"
        self._put("pg_hba.conf", rules + (self.folder / "pg_hba.conf").read_text())
        self.start()

    def _put(self, name: str, text: str) -> None:
        """Write a file that the server alone may read."""
        path, owner = self.folder / name, self.folder.stat()
        path.touch(0o600)
        path.write_text(text)
        os.chown(path, owner.st_uid, owner.st_gid)

    def end(self) -> None:
        """Stop the server, and remove its folder."""
        with contextlib.suppress(AssertionError):
            self.stop("immediate")
        shutil.rmtree(self._folder, ignore_errors=True)

    def database(self, name: str) -> str:
        """Return the URL of a database, made where there is none, as the role that owns it."""
        with psycopg.connect(self.url(OWNER, "postgres"), autocommit=True) as connection:
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,)).fetchone():
                connection.execute(f'CREATE ROLE "{name}" LOGIN'.encode())
                connection.execute(f'CREATE DATABASE "{name}" OWNER "{name}"'.encode())
        return self.url(name, name)

    def url(self, role: str, database: str) -> str:
        """Return the URL of a database, as this role."""
        return f"postgresql://{role}@127.0.0.1:{self.port}/{database}"

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._binaries / program), "-D", str(self._folder / "data"), *arguments]
        done = subprocess.run(
            [*_as_nobody(self._folder), *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if program != "pg_ctl" else subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            check=False,
            cwd="/",
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
        )
        assert done.returncode == 0, (done.stdout or b"").decode() or self._log()

    def _log(self) -> str:
        return (self._folder / "log").read_text(errors="replace")


@functools.cache
def server() -> PostgresServer:
    """Return the server of this test session, which ends with it."""
    made = PostgresServer.make()
    atexit.register(made.end)
    return made


def _binaries() -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    on_path = shutil.which("initdb")
    assert found or on_path, "Type: sudo apt-get install postgresql"
    return found[-1].parent if found else Path(str(on_path)).parent


def _as_nobody(folder: Path) -> Sequence[str]:
    """Return what to put before a command: PostgreSQL refuses to run as root."""
    if os.getuid() != 0:
        return []
    user = pwd.getpwnam("nobody")
    shutil.chown(folder, user.pw_uid, user.pw_gid)
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "--"]

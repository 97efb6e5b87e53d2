"""The URL of a database: checked before anything connects to it, and shown without its options."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import parse_qs, urlsplit, urlunsplit

from engine.history.errors import HistoryError

EXAMPLE = "postgresql://pratique@db.example.com/pratique?sslmode=verify-full"
_SCHEMES = ("postgresql", "postgres")
_PROVEN = ("verify-full", "verify-ca")


class ServerUrl:
    """A database URL that may be used: over the network only with TLS that proves who answers."""

    def __init__(self, text: str) -> None:
        """Check the URL.

        Raises:
            HistoryError: it is none of PostgreSQL, names no database, holds a password, or would not prove
                the server.
        """
        try:
            self._parts = urlsplit(text)
            self._port = self._parts.port or 5432
        except ValueError:
            raise _refused("is no URL") from None
        if self._parts.scheme not in _SCHEMES:
            raise _refused("is none of PostgreSQL")
        if not self._parts.path.strip("/"):
            raise _refused("names no database")
        self._fields = parse_qs(self._parts.query)
        if self._parts.password or "password" in self._fields:
            raise HistoryError(
                "The database URL of the history holds a password",
                hint="Put it into ~/.pgpass, mode 0600, and take it out of history.database",
            )
        mode = self._fields.get("sslmode", [""])[-1]
        if not self.is_local and mode not in (*_PROVEN, ""):
            raise _refused(f"does not prove the server with sslmode={mode[:20]}")
        self.text = text if mode or self.is_local else self._proven(text)

    @property
    def host(self) -> str:
        """The host, or the folder of the server's socket."""
        given = self._fields.get("host", [""])[-1]
        return given or self._parts.hostname or "/var/run/postgresql"

    @property
    def port(self) -> int:
        """The port."""
        return int(self._fields.get("port", [str(self._port)])[-1])

    @property
    def is_local(self) -> bool:
        """Whether the server is on this machine."""
        try:
            return self.host.startswith("/") or self.host == "localhost" or ip_address(self.host).is_loopback
        except ValueError:
            return False

    def __str__(self) -> str:
        """Return what may be shown: the URL without its options."""
        user = f"{self._parts.username}@" if self._parts.username else ""
        return urlunsplit((self._parts.scheme, f"{user}{self.host}:{self.port}", self._parts.path, "", ""))

    def _proven(self, text: str) -> str:
        joined = "&" if self._parts.query else "?"
        root = "" if "sslrootcert" in self._fields else "&sslrootcert=system"
        return f"{text}{joined}sslmode=verify-full{root}"


def _refused(why: str) -> HistoryError:
    return HistoryError(
        f"The database URL of the history {why}", hint=f"Set history.database like this: {EXAMPLE}"
    )

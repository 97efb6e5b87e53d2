"""What the hosts of a rehearsal answer: nothing of interest, or what shows that it is executed. Pure."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from engine.models import Language

METADATA = "169.254.169.254"
_SUFFIXES = {
    ".py": Language.PYTHON, ".js": Language.JAVASCRIPT, ".mjs": Language.JAVASCRIPT, ".sh": Language.SHELL,
}  # fmt: skip
_CODE_NAMES = (
    "payload",
    "install",
    "stage",
    "loader",
    "script",
    "boot",
    "update",
    "raw",
    "run",
    "code",
    "cmd",
)
_PROGRAMS = {
    Language.PYTHON: "import socket\nsocket.gethostbyname('{name}')\n",
    Language.JAVASCRIPT: "require('node:dns').lookup('{name}', () => {{}});\n",
    Language.SHELL: "bash -c 'exec 3<>/dev/tcp/{name}/80' 2>/dev/null\n",
}
"""Programs that look a name up: if somebody does, what a host sent was executed."""


class Bait:
    """Code and commands that the hosts of one rehearsal send, and how their execution shows."""

    def __init__(self, language: Language, keys: tuple[str, ...]) -> None:
        self._language = language
        self._keys = keys
        self.name = f"{secrets.token_hex(6)}.example"
        """The name that sent code looks up."""
        self._left, self._right = secrets.randbelow(10**6), secrets.randbelow(10**6)

    @property
    def command(self) -> bytes:
        """Return commands for a shell; their answer shows that they were executed."""
        return f"echo $(({self._left}+{self._right})); env; exit\n".encode()

    def executed(self, answer: bytes) -> bool:
        """Return whether an answer can only come from a shell that ran the commands."""
        return str(self._left + self._right).encode() in answer

    def body(self, host: str, path: str, accept: str) -> tuple[str, bytes]:
        """Return the type and the content of an answer to a request."""
        if host == METADATA:
            return self._metadata(path)
        language = self._asked_for(path.partition("?")[0], accept)
        if language is not None:
            return "text/plain", _PROGRAMS[language].format(name=self.name).encode()
        if "text/html" in accept:
            return "text/html", b"<!doctype html><title>OK</title><p>OK</p>\n"
        return "application/json", b'{"ok": true, "status": "ok", "id": 1}\n'

    def _asked_for(self, path: str, accept: str) -> Language | None:
        name = path.rpartition("/")[2].lower()
        for suffix, language in _SUFFIXES.items():
            if name.endswith(suffix):
                return language
        asks_for_data = "json" in accept or "." in name
        return self._language if name.startswith(_CODE_NAMES) and not asks_for_data else None

    def _metadata(self, path: str) -> tuple[str, bytes]:
        if "security-credentials/" in path and not path.endswith("/"):
            until = (datetime.now(UTC) + timedelta(hours=6)).strftime("%Y-%m-%dT%H:%M:%SZ")
            fields = {"AccessKeyId": self._keys[0], "SecretAccessKey": self._keys[1], "Expiration": until}
            return "application/json", json.dumps({"Code": "Success", "Type": "AWS-HMAC", **fields}).encode()
        return "text/plain", b"production-role"


def reply(line: bytes, table: Mapping[bytes, bytes], otherwise: bytes) -> bytes:
    """Return the answer of a protocol of lines to one command."""
    return table.get(line[:4].upper().strip(), otherwise)


SMTP = {
    b"EHLO": b"250-mail\r\n250 SIZE 10000000\r\n",
    b"DATA": b"354 go on\r\n",
    b"QUIT": b"221 bye\r\n",
    b"AUTH": b"235 ok\r\n",
    b"STAR": b"454 not now\r\n",
}
FTP = {
    b"USER": b"331 password\r\n",
    b"PASS": b"230 ok\r\n",
    b"PASV": b"227 Entering Passive Mode (198,18,255,1,200,10).\r\n",
    b"EPSV": b"229 Entering Extended Passive Mode (|||51210|)\r\n",
    b"PWD": b'257 "/"\r\n',
    b"SYST": b"215 UNIX Type: L8\r\n",
    b"STOR": b"150 go on\r\n226 done\r\n",
    b"QUIT": b"221 bye\r\n",
}

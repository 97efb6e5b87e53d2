"""What an engine connects to, on loopback: a witness, a receiver of posted notices and a mail server."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from engine.notifications.settings import MailSettings, NotificationSettings, WebhookSettings

MAIL, POSTED, WITNESS = "the mail server", "the receiver of posted notices", "the witness"
_OK = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


@dataclass
class Services:
    """Services by their ports, and how many connections each has answered."""

    ports: dict[int, str] = field(default_factory=dict)
    served: dict[str, int] = field(default_factory=dict)

    def port(self, service: str) -> int:
        """Return the port of a service."""
        return next(port for port, name in self.ports.items() if name == service)

    @property
    def witness_url(self) -> str:
        """Where checkpoints are posted to."""
        return f"http://127.0.0.1:{self.port(WITNESS)}/"

    @property
    def notifications(self) -> NotificationSettings:
        """Receivers that are told of everything."""
        url = f"http://127.0.0.1:{self.port(POSTED)}/"
        mail = MailSettings(
            name="mail", kind="email", host="127.0.0.1", port=self.port(MAIL), tls="none",
            sender="engine@example.org", to=("ada@example.org",),
        )  # fmt: skip
        return NotificationSettings(receivers=(WebhookSettings(name="posts", kind="webhook", url=url), mail))


@contextlib.asynccontextmanager
async def services() -> AsyncIterator[Services]:
    """Run the services."""
    found = Services()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        name = found.ports[writer.get_extra_info("sockname")[1]]
        with contextlib.closing(writer), contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            await (_take_mail if name == MAIL else _take_post)(reader, writer)
            found.served[name] = found.served.get(name, 0) + 1

    async with contextlib.AsyncExitStack() as running:
        for name in (WITNESS, POSTED, MAIL):
            server = await running.enter_async_context(await asyncio.start_server(answer, "127.0.0.1", 0))
            found.ports[server.sockets[0].getsockname()[1]] = name
        yield found


async def _take_post(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(_OK)
    await writer.drain()


async def _take_mail(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"220 mail.example.org\r\n")
    while not (line := (await reader.readuntil(b"\r\n")).upper()).startswith(b"QUIT"):
        if line.startswith(b"DATA"):
            writer.write(b"354 go on\r\n")
            await reader.readuntil(b"\r\n.\r\n")
        writer.write(b"250 OK\r\n")
    writer.write(b"221 bye\r\n")
    await writer.drain()

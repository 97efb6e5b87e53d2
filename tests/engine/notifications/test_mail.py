"""Notices by e-mail reach a real SMTP server."""

from __future__ import annotations

import asyncio
import email
from email import policy

import pytest

from engine.notifications.senders.delivery import DeliveryError
from engine.notifications.senders.mail import MailSender
from engine.notifications.settings import MailSettings
from tests.engine.notifications.test_shapes import HOSTILE, notice


class MailServer:
    """Speaks as much SMTP as it takes to receive a mail."""

    def __init__(self, answer: str = "250 taken") -> None:
        self.answer = answer
        self.mails: list[bytes] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take mails until the client goes."""
        writer.write(b"220 here\r\n")
        while line := await reader.readline():
            if line.upper().startswith(b"DATA"):
                writer.write(b"354 go on\r\n")
                self.mails.append(await reader.readuntil(b"\r\n.\r\n"))
                writer.write(f"{self.answer}\r\n".encode())
            elif line.upper().startswith(b"QUIT"):
                break
            else:
                writer.write(b"250 ok\r\n")
        writer.close()


async def sent(server: MailServer) -> None:
    """Send a hostile notice to a server."""
    listener = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    async with listener:
        settings = MailSettings(
            name="m",
            kind="email",
            host="127.0.0.1",
            port=listener.sockets[0].getsockname()[1],
            tls="none",
            sender="engine@example.org",
            to=("me@example.org", "you@example.org"),
        )
        await MailSender(settings).send(notice(HOSTILE))


async def test_a_mail_is_plain_text_with_our_headers() -> None:
    """What an agent wrote is in the body alone."""
    server = MailServer()
    await sent(server)
    mail = email.message_from_bytes(server.mails[0], policy=policy.default)
    assert "Pratique: waiting s-1" == mail["Subject"]
    assert "me@example.org, you@example.org" == mail["To"]
    assert mail["Bcc"] is None
    assert "text/plain" == mail.get_content_type()
    assert "pratique show s-1" in mail.get_content()


@pytest.mark.parametrize(("answer", "refused"), [("550 no", True), ("450 later", False)])
async def test_a_server_says_whether_it_would_take_it_later(answer: str, refused: bool) -> None:
    """5xx is for good, 4xx for now."""
    with pytest.raises(DeliveryError) as caught:
        await sent(MailServer(answer))
    assert refused == caught.value.refused

"""Sends notices by e-mail, as plain text."""

from __future__ import annotations

import asyncio
import smtplib
import ssl
from email.message import EmailMessage
from email.utils import format_datetime

from engine.common.local_files import read_file
from engine.notifications.notice import Notice
from engine.notifications.senders.delivery import DeliveryError
from engine.notifications.settings import MailSettings

MOST_PASSWORD_BYTES = 4096
REFUSED = 500
"""From here on the server says that it will not take this message later either."""


class MailSender:
    """A mail server."""

    def __init__(self, settings: MailSettings) -> None:
        self._settings = settings

    async def send(self, notice: Notice) -> None:
        """Send a mail. Raises DeliveryError."""
        try:
            async with asyncio.timeout(self._settings.seconds * 2):
                await asyncio.to_thread(self._send, mail(self._settings, notice))
        except smtplib.SMTPResponseException as error:
            refused = error.smtp_code >= REFUSED
            raise DeliveryError(f"the server answered {error.smtp_code}", refused=refused) from None
        except (smtplib.SMTPException, OSError, TimeoutError) as error:
            raise DeliveryError(f"the server cannot be used: {type(error).__name__}") from None

    def _send(self, message: EmailMessage) -> None:
        with self._connect() as server:
            if self._settings.tls == "starttls":
                server.starttls(context=ssl.create_default_context())
            if self._settings.user and self._settings.tls != "none":
                server.login(self._settings.user, self._password())
            server.send_message(message)

    def _connect(self) -> smtplib.SMTP:
        host, port, seconds = self._settings.host, self._settings.port, self._settings.seconds
        if self._settings.tls == "tls":
            return smtplib.SMTP_SSL(host, port, timeout=seconds, context=ssl.create_default_context())
        return smtplib.SMTP(host, port, timeout=seconds)

    def _password(self) -> str:
        path = self._settings.password_file
        return read_file(path, MOST_PASSWORD_BYTES).decode().strip() if path else ""


def mail(settings: MailSettings, notice: Notice) -> EmailMessage:
    """Return the mail of a notice. Its headers hold nothing that an agent wrote."""
    message = EmailMessage()
    message["Subject"] = f"Pratique: {notice.kind.value} {notice.submission}".strip()
    message["From"] = settings.sender
    message["To"] = ", ".join(settings.to)
    message["Date"] = format_datetime(notice.at)
    message["Message-ID"] = f"<{notice.id}@{settings.sender.rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(notice.text + "\n")
    return message

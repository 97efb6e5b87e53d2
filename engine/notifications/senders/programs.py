"""Hands notices to programs of this machine: one of the owner's, or the desktop's."""

from __future__ import annotations

import asyncio
import contextlib
import html
import os
import signal

from engine.models import Level
from engine.notifications.notice import Notice
from engine.notifications.senders.delivery import DeliveryError
from engine.notifications.settings import CommandSettings, DesktopSettings

URGENCY = {Level.LOW: "low", Level.MEDIUM: "normal", Level.HIGH: "normal", Level.CRITICAL: "critical"}


class CommandSender:
    """A program of the owner's, which gets the notice as JSON on standard input."""

    def __init__(self, settings: CommandSettings) -> None:
        self._settings = settings

    async def send(self, notice: Notice) -> None:
        """Run it. Raises DeliveryError."""
        await run(self._settings.command, notice.model_dump_json().encode() + b"\n", self._settings.seconds)


class DesktopSender:
    """Notifications of the desktop."""

    def __init__(self, settings: DesktopSettings) -> None:
        self._settings = settings

    async def send(self, notice: Notice) -> None:
        """Show it. Raises DeliveryError."""
        urgency = URGENCY[notice.risk] if notice.risk else "normal"
        body = html.escape("\n".join(notice.lines))
        command = ("notify-send", "--app-name=Pratique", f"--urgency={urgency}", "--", notice.title, body)
        await run(command, b"", self._settings.seconds)


async def run(command: tuple[str, ...], given: bytes, seconds: float) -> None:
    """Run a program to its end, and kill it and what it started when it takes too long.

    Raises:
        DeliveryError: it cannot be started, took too long, or failed.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise DeliveryError(f"{command[0]} cannot be started: {error.strerror}") from None
    try:
        async with asyncio.timeout(seconds):
            await process.communicate(given)
    except TimeoutError:
        raise DeliveryError(f"{command[0]} took more than {seconds:g} s") from None
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        await asyncio.shield(process.wait())
    if process.returncode:
        raise DeliveryError(f"{command[0]} ended with {process.returncode}")

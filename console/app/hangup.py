"""Ends the console when its terminal is gone."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
from collections.abc import Callable


class HangupWatch:
    """Calls `hung_up` once the terminal behind a file descriptor has hung up.

    Not every terminal sends SIGHUP (one that is not the controlling terminal never does), and Textual reads
    the end of such an input again and again. The descriptor of epoll becomes readable with the hang-up alone,
    not with the keys that Textual reads.
    """

    def __init__(self, descriptor: int, hung_up: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._epoll = select.epoll()
        self._epoll.register(descriptor, 0)
        self._hung_up = hung_up
        self._loop.add_reader(self._epoll.fileno(), self._tell)

    def close(self) -> None:
        """Watch no longer."""
        if not self._epoll.closed:
            self._loop.remove_reader(self._epoll.fileno())
            self._epoll.close()

    def _tell(self) -> None:
        self.close()
        self._hung_up()


def watch_terminal() -> HangupWatch | None:
    """End this process as by SIGHUP once its terminal is gone; None where its input is no terminal.

    The writer of a lost terminal ends, and what is written to it afterwards would block for ever: nothing is
    closed in order. Decisions and drafts are on disk already, as for any console that is killed.
    """
    if sys.__stdin__ is None or not sys.__stdin__.isatty():
        return None
    return HangupWatch(sys.__stdin__.fileno(), _end)


def _end() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGHUP)

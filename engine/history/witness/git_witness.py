"""A witness in a git repository: each checkpoint is a line of a file, and a commit."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from pathlib import Path

from engine.history.chain.checkpoints import parse
from engine.history.errors import WitnessError
from engine.history.witness import checkpoint_file

FILE = "pratique.checkpoints"
"""The file in the repository, of the same form as the one beside the history."""
_SAFE = (
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "commit.gpgSign=false", "gc.auto=0",
    "maintenance.auto=false", "user.name=Pratique", "user.email=pratique@localhost",
)  # fmt: skip
"""Nothing that the configuration of the repository names is started, and no question is asked."""
_ENVIRONMENT = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
_MOST = 300
"""Characters of an error of git that are kept."""


class GitWitness:
    """Publishes checkpoints as commits in a git repository."""

    def __init__(self, folder: Path, seconds: float) -> None:
        """`seconds` is how long a commit may take in all."""
        self._folder = folder
        self._seconds = seconds

    @property
    def name(self) -> str:
        """Return its folder."""
        return f"witness: {self._folder}"

    @property
    def hint(self) -> str:
        """Return how to look at it."""
        return f"git -C {self._folder} status"

    async def publish(self, note: str) -> None:
        """Write a checkpoint at the end of the file, where it is not there already, and commit the file.

        Raises:
            WitnessError: it is not committed within the time.
        """
        try:
            async with asyncio.timeout(self._seconds):
                await self._git("rev-parse", "--is-inside-work-tree")
                await asyncio.to_thread(self._write, note)
                await self._git("add", "--force", "--", FILE)
                if await self._git("status", "--porcelain", "--", FILE):
                    await self._git("commit", "--quiet", "--message", _message(note), "--", FILE)
        except TimeoutError:
            raise WitnessError(f"git did not end within {self._seconds:g} s") from None
        except (OSError, ValueError) as error:
            raise WitnessError(str(error)) from None

    async def look(self) -> None:
        """Ask git whether the folder is still a repository. Raises WitnessError."""
        try:
            async with asyncio.timeout(self._seconds):
                await self._git("rev-parse", "--is-inside-work-tree")
        except TimeoutError:
            raise WitnessError(f"git did not end within {self._seconds:g} s") from None
        except (OSError, ValueError) as error:
            raise WitnessError(str(error)) from None

    def _write(self, note: str) -> None:
        path = self._folder / FILE
        if note != checkpoint_file.last(path):
            checkpoint_file.add(path, [note])

    async def _git(self, *arguments: str) -> bytes:
        """Run git, and return what it prints. It ends with this call, and so does what it started."""
        settings = [part for setting in _SAFE for part in ("-c", setting)]
        environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(self._folder)}
        process = await asyncio.create_subprocess_exec(
            "git", "-C", str(self._folder), *settings, *arguments,
            env={**environment, **_ENVIRONMENT}, start_new_session=True,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            output, errors = await process.communicate()
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
        if process.returncode:
            message = " ".join(errors.decode(errors="replace").split())[:_MOST]
            raise WitnessError(message or f"git ended with {process.returncode}")
        return output


def _message(note: str) -> str:
    made = parse(note)
    return f"Checkpoint of {made.size if made else 0} records"

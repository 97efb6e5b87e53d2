"""The session of `pratique --plain`: executes commands and answers in plain lines."""

from __future__ import annotations

import asyncio
import re
import shlex
import sys
from collections.abc import Awaitable, Callable
from contextlib import aclosing

from console.plain import formatting
from console.plain.output import OutputPrinter
from console.review.grant_reduction import numbers, parse_grant
from console.review.review_record import ReviewRecorder
from console.safety.text import visible_text
from engine.client.client import Client
from engine.common.errors import Problem
from engine.models import DecisionOutcome, Event, ShownBy, Status, Summary, TriageOutcome

HELP = """Commands, one per line:
  list                     pending, queued and running submissions, numbered
  show 1                   everything about a submission, by its number or ID
  triage 1 2 accepted      triage violation 2: accepted, mitigated or false-positive; 'all' for all of them
  approve 1 DIGEST         approve what was shown; DIGEST is at least the first 8 characters of its digest
                           without=1,2 leaves out permissions by number, memory_mb=256 reduces a limit
  deny 1 reason            deny it, with a reason
  tail 1                   the output of a run, live, and its outcome
  stop 1, kill 1           ask a run to stop, or kill it at once
  history text             past submissions that match
  health                   the checks of the engine
  quit                     leave; runs continue"""
APPROVE_CHARACTERS = 8
Say = Callable[[str], None]
_ID = re.compile("[a-z]+-[0-9a-z-]{1,64}")


class PlainSession:
    """Executes one command at a time."""

    def __init__(self, client: Client, say: Say) -> None:
        self._client = client
        self._say = say
        self._listed: tuple[Summary, ...] = ()
        self._recorders: dict[str, ReviewRecorder] = {}
        self._began: dict[str, float] = {}

    async def answer(self, line: str) -> bool:
        """Execute a command; return False to quit."""
        try:
            words = shlex.split(line)
        except ValueError:
            words = line.split()
        if not words:
            return True
        verb, *rest = words
        if verb in {"quit", "exit", "q"}:
            return False
        command = self._commands().get(verb)
        if command is None:
            self._say(f"Unknown command {visible_text(verb)}. Type: help")
            return True
        try:
            await command(rest)
        except (Problem, ValueError) as problem:
            self._say(f"Error: {visible_text(str(problem))}")
        return True

    def _commands(self) -> dict[str, Callable[[list[str]], Awaitable[None]]]:
        return {"help": self._help, "list": self._list, "show": self._show, "triage": self._triage,
                "approve": self._approve, "deny": self._deny, "tail": self._tail, "stop": self._stop,
                "kill": self._kill, "history": self._history, "health": self._health}  # fmt: skip

    def handle(self, event: Event) -> None:
        """Announce a new submission."""
        if event.type == "submission.assessed":
            self._say(f"New: {event.subject}. Type: show {event.subject}")

    # --- reading ----------------------------------------------------------------------------------

    async def _help(self, rest: list[str]) -> None:
        self._say(HELP)

    async def _list(self, rest: list[str]) -> None:
        self._list_all(
            await self._client.queue(),
            "The queue is empty. To submit code, type in another terminal: pratique submit FILE",
        )

    async def _history(self, rest: list[str]) -> None:
        found = await self._client.history.search(" ".join(rest), limit=50)
        self._list_all(found, "No matching submissions.")

    def _list_all(self, found: tuple[Summary, ...], empty: str) -> None:
        self._listed = found
        for number, each in enumerate(found, 1):
            self._say(formatting.summary(number, each))
        if not found:
            self._say(empty)

    async def _show(self, rest: list[str]) -> None:
        case = await self._client.case(self._id_of(rest))
        for line in formatting.case(case):
            self._say(line)
        recorder = self._recorders.setdefault(case.submission.id, ReviewRecorder(case, self._shown_by()))
        self._began.setdefault(case.submission.id, asyncio.get_running_loop().time())
        _record_all_shown(recorder)
        if case.status is Status.PENDING:
            self._say(f"To approve, type: approve {case.submission.id} {case.submission.digest[:8]}")

    @staticmethod
    def _shown_by() -> ShownBy:
        """Return what displays a submission: a script that drives this shows it to nobody."""
        return ShownBy.TERMINAL if sys.stdin.isatty() and sys.stdout.isatty() else ShownBy.STATED

    async def _health(self, rest: list[str]) -> None:
        health = await self._client.health()
        self._say("gVisor is proven." if health.can_run else "gVisor is NOT proven: nothing runs.")
        for check in health.checks:
            hint = f" To fix it: {visible_text(check.hint)}" if check.hint and not check.ok else ""
            self._say(f"{'OK' if check.ok else 'FAILING'}: {check.name}: {visible_text(check.detail)}{hint}")

    async def _tail(self, rest: list[str]) -> None:
        id, printer = self._id_of(rest), OutputPrinter(self._say)
        async with aclosing(self._client.output(id)) as chunks:
            async for chunk in chunks:
                printer.take(chunk)
        printer.end()
        case = await self._client.case(id)
        self._say(formatting.result(case.result) if case.result else f"{id} is {case.status.value}.")

    # --- deciding ---------------------------------------------------------------------------------

    async def _triage(self, rest: list[str]) -> None:
        id = self._id_of(rest)
        outcome = next((each for each in TriageOutcome if rest[-1:] == [each.value]), None)
        recorder = self._recorders.get(id)
        if outcome is None or recorder is None or len(rest) < 3:
            self._say(
                f"First: show {id}. Then: triage {id} 1 accepted (or mitigated, false-positive; or all)"
            )
            return
        count = len(recorder.case.analysis.violations)
        for number in range(count) if rest[1] == "all" else numbers(rest[1], count):
            recorder.outcomes[number] = outcome
        self._say(
            f"{len(recorder.outcomes)} of {count} triaged, "
            f"{len(recorder.coverage_gaps.untriaged)} left to triage."
        )

    async def _approve(self, rest: list[str]) -> None:
        id = self._id_of(rest)
        recorder = self._recorders.get(id)
        if recorder is None:
            self._say(f"Review it first. Type: show {id}")
            return
        digest = recorder.case.submission.digest
        typed = rest[1] if len(rest) > 1 else ""
        if len(typed) < APPROVE_CHARACTERS or not digest.startswith(typed):
            self._say(f"Type the first {APPROVE_CHARACTERS} characters of the digest: approve {id} DIGEST")
            return
        recorder.seconds = asyncio.get_running_loop().time() - self._began[id]
        grant = parse_grant(recorder.case.submission.draft.permissions, rest[2:])
        case = await self._client.decide(id, DecisionOutcome.APPROVED, digest, "", grant, recorder.record)
        self._say(f"{id} is {case.status.value}. Type: tail {id}")

    async def _deny(self, rest: list[str]) -> None:
        id = self._id_of(rest)
        case = await self._client.case(id)
        record = self._recorders[id].record if id in self._recorders else None
        reason = " ".join(rest[1:])
        case = await self._client.decide(
            id, DecisionOutcome.DENIED, case.submission.digest, reason, None, record
        )
        self._say(f"{id} is {case.status.value}.")

    async def _stop(self, rest: list[str]) -> None:
        await self._client.stop(self._id_of(rest))
        self._say("Asked to stop.")

    async def _kill(self, rest: list[str]) -> None:
        await self._client.kill(self._id_of(rest))
        self._say("Killed.")

    def _id_of(self, rest: list[str]) -> str:
        if not rest:
            raise Problem(422, "no submission given", hint="Type: list, then use a number or an ID")
        if rest[0].isdecimal():
            number = int(rest[0])
            if not 1 <= number <= len(self._listed):
                raise Problem(404, f"there is no number {number}", hint="Type: list")
            return self._listed[number - 1].id
        if not _ID.fullmatch(rest[0]):
            raise Problem(404, f"{rest[0]} is not an ID", hint="Type: list")
        return rest[0]


def _record_all_shown(recorder: ReviewRecorder) -> None:
    case = recorder.case
    recorder.lines |= {
        line for first, last in recorder.coverage_gaps.lines for line in range(first, last + 1)
    }
    recorder.violations |= set(range(len(case.analysis.violations)))
    recorder.file_reading.whole |= {
        number
        for number, file in enumerate(case.submission.draft.files)
        if len(file.content) <= formatting.SHOWN_BYTES
    }
    recorder.purpose = True

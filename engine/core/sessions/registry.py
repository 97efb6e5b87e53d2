"""The sandboxes that stay, and whose they are."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from datetime import UTC, datetime

from engine.common.errors import Problem
from engine.models import Draft, Language, OperationKind, Principal, Sandbox, SandboxState
from engine.settings import SandboxSettings

REMEMBERED = 100
"""How many sandboxes that are gone, and executions of each, are remembered."""
NOT_HERE = ("domains", "packages", "secrets", "builds")
"""Capabilities that code in a sandbox that stays cannot have."""
INSTALLED = ("packages", "builds")
"""Those of them that the tool call `install` is for."""


class Register:
    """Knows every sandbox that stays, and some that are gone. To anybody but its owner none exists."""

    def __init__(self, settings: SandboxSettings) -> None:
        self._settings = settings
        self._by_id: OrderedDict[str, Sandbox] = OrderedDict()

    @property
    def living(self) -> tuple[Sandbox, ...]:
        """All that are not gone, the oldest first."""
        return tuple(one for one in self._by_id.values() if one.state is not SandboxState.GONE)

    def enter(self, owner: Principal, language: Language, image: str) -> Sandbox:
        """Enter a new sandbox.

        Raises:
            Problem: its owner has as many as one may have, or there are as many as there may be (429).
        """
        own = sum(one.owner.name == owner.name for one in self.living)
        if own >= self._settings.sessions_each:
            raise Problem(429, f"you have {own} sandboxes already", hint="Destroy one first.")
        if len(self.living) >= self._settings.sessions:
            raise Problem(429, f"{len(self.living)} sandboxes are open already", hint="Come back later.")
        now = datetime.now(UTC)
        sandbox = Sandbox(
            id=f"b-{secrets.token_hex(6)}",
            owner=owner,
            language=language,
            image=image or self._settings.session_images[language],
            state=SandboxState.CREATED,
            created_at=now,
            used_at=now,
            idle_seconds=self._settings.session_idle_seconds,
            life_seconds=self._settings.session_life_seconds,
        )
        self._by_id[sandbox.id] = sandbox
        return sandbox

    def find(self, id: str) -> Sandbox | None:
        """Return the sandbox of that id, whoever's it is."""
        return self._by_id.get(id)

    def own(self, id: str, by: Principal) -> Sandbox:
        """Return a principal's own sandbox.

        Raises:
            Problem: there is none of that id, or it is another's (404).
        """
        sandbox = self._by_id.get(id)
        if sandbox is None or sandbox.owner.name != by.name:
            raise Problem(404, f"you have no sandbox {id}", hint="Create one.")
        return sandbox

    def change(self, id: str, **what: object) -> Sandbox:
        """Note what became of a sandbox, and return it."""
        changed = self._by_id[id].model_copy(update=what)
        self._by_id[id] = changed
        gone = [one.id for one in self._by_id.values() if one.state is SandboxState.GONE]
        for old in gone[:-REMEMBERED]:
            del self._by_id[old]
        return changed

    def stands(self, id: str, state: SandboxState) -> None:
        """Note where a sandbox stands, unless it is gone; a run of its own has no sandbox here."""
        sandbox = self._by_id.get(id)
        if sandbox is not None and sandbox.state is not SandboxState.GONE:
            self.change(id, state=state, used_at=datetime.now(UTC))

    def began(self, id: str, run: str) -> None:
        """Note that a run has begun in a sandbox."""
        sandbox = self._by_id.get(id)
        if sandbox is not None:
            self.change(id, executions=(*sandbox.executions, run)[-REMEMBERED:])
            self.stands(id, SandboxState.RUNNING)

    def ended(self, id: str, *, lives: bool) -> None:
        """Note that a run in a sandbox is over, and whether what it left there still is."""
        self.stands(id, SandboxState.READY if lives else SandboxState.CREATED)

    def overdue(self, now: datetime) -> tuple[tuple[Sandbox, str], ...]:
        """Return the sandboxes whose time is over, each with why."""
        return tuple((one, why) for one in self.living if (why := _overdue(one, now)))

    def may_use(self, draft: Draft, requester: Principal) -> None:
        """Let a draft run in the sandbox that it names.

        Raises:
            Problem: it is not the requester's, is gone, or speaks another language.
        """
        if draft.operation and (not draft.sandbox or draft.operation.kind is OperationKind.RUN):
            raise Problem(422, "an operation is a tool call on a sandbox, which it names")
        if not draft.sandbox:
            return
        sandbox = self.own(draft.sandbox, requester)
        if sandbox.state is SandboxState.GONE:
            raise Problem(409, f"sandbox {sandbox.id} is gone: {sandbox.why}", hint="Create another one.")
        if (draft.language, draft.image) != (sandbox.language, sandbox.image):
            raise Problem(422, f"sandbox {sandbox.id} is one of {sandbox.image}, for {sandbox.language}")
        installs = draft.operation is not None and draft.operation.kind is OperationKind.INSTALL
        wanted = [kind for kind in NOT_HERE if getattr(draft.permissions, kind)]
        wanted = [kind for kind in wanted if not (installs and kind in INSTALLED)]
        if wanted:
            raise Problem(422, f"a sandbox that stays has no {' or '.join(wanted)}", hint="Run it alone.")

    def completed(self, draft: Draft) -> Draft:
        """Return a draft with the image of the sandbox that it names, where it names no image itself."""
        sandbox = self._by_id.get(draft.sandbox) if draft.sandbox and not draft.image else None
        return draft.model_copy(update={"image": sandbox.image}) if sandbox else draft


def _overdue(sandbox: Sandbox, now: datetime) -> str:
    if (now - sandbox.created_at).total_seconds() > sandbox.life_seconds:
        return "at the end of its life"
    at_work = sandbox.state in {SandboxState.RUNNING, SandboxState.PAUSED}
    if not at_work and (now - sandbox.used_at).total_seconds() > sandbox.idle_seconds:
        return f"idle for {sandbox.idle_seconds:g} s"
    return ""

"""The sessions, and whose they are."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from datetime import UTC, datetime

from engine.common.errors import Problem
from engine.models import Draft, Language, OperationKind, Principal, Session, SessionState
from engine.settings import SandboxSettings

REMEMBERED = 100
"""How many closed sessions, and executions of each, are remembered."""
NOT_HERE = ("domains", "packages", "secrets", "builds")
"""Capabilities that code in a session cannot have."""
INSTALLED = ("packages", "builds")
"""Those of them that the tool call `install` is for."""


class SessionRegistry:
    """Knows every session, and some closed ones. To anybody but its owner none exists."""

    def __init__(self, settings: SandboxSettings) -> None:
        self._settings = settings
        self._by_id: OrderedDict[str, Session] = OrderedDict()

    @property
    def open(self) -> tuple[Session, ...]:
        """All open sessions, the oldest first."""
        return tuple(one for one in self._by_id.values() if one.state is not SessionState.CLOSED)

    def add(self, owner: Principal, language: Language, image: str) -> Session:
        """Enter a new session.

        Raises:
            Problem: its owner has as many as one may have, or there are as many as there may be (429).
        """
        own = sum(one.owner.is_same(owner) for one in self.open)
        if own >= self._settings.sessions_each:
            raise Problem(429, f"you have {own} sessions already", hint="Close one first.")
        most = max(self._settings.sessions_each, self._settings.sessions // 2)
        if sum(one.owner.account == owner.account for one in self.open) >= most:
            raise Problem(429, f"agents of your user have {most} sessions already", hint="Close one first.")
        if len(self.open) >= self._settings.sessions:
            raise Problem(429, f"{len(self.open)} sessions are open already", hint="Come back later.")
        now = datetime.now(UTC)
        session = Session(
            id=f"ses-{secrets.token_hex(6)}",
            owner=owner,
            language=language,
            image=image or self._settings.session_images[language],
            state=SessionState.CREATED,
            created_at=now,
            used_at=now,
            idle_seconds=self._settings.session_idle_seconds,
            life_seconds=self._settings.session_life_seconds,
        )
        self._by_id[session.id] = session
        return session

    def find(self, id: str) -> Session | None:
        """Return the session of that id, of any owner."""
        return self._by_id.get(id)

    def owned(self, id: str, by: Principal) -> Session:
        """Return a principal's own session.

        Raises:
            Problem: there is none of that id, or it is another's (404).
        """
        session = self._by_id.get(id)
        if session is None or not session.owner.is_same(by):
            raise Problem(404, f"you have no session {id}", hint="Create one.")
        return session

    def remove(self, id: str) -> None:
        """Forget a session that could not be recorded."""
        self._by_id.pop(id, None)

    def replace(self, changed: Session) -> Session:
        """Note what became of a session, and return it."""
        self._by_id[changed.id] = changed
        closed = [one.id for one in self._by_id.values() if one.state is SessionState.CLOSED]
        for old in closed[:-REMEMBERED]:
            del self._by_id[old]
        return changed

    def set_state(self, id: str, state: SessionState) -> None:
        """Set the state of a session, unless it is closed; a run without a session is ignored."""
        session = self._by_id.get(id)
        if session is not None and session.state is not SessionState.CLOSED:
            self.replace(session.with_state(state, datetime.now(UTC)))

    def used(self, id: str) -> None:
        """Note that a session is used; a run without a session is ignored."""
        if session := self._by_id.get(id):
            self.set_state(id, session.state)

    def execution_started(self, id: str, run: str) -> None:
        """Note that a run has begun in a session."""
        session = self._by_id.get(id)
        if session is not None:
            self.replace(session.with_execution(run, REMEMBERED))
            self.set_state(id, SessionState.RUNNING)

    def execution_ended(self, id: str, *, lives: bool) -> None:
        """Note that a run in a session is over, and whether what it left there still is."""
        self.set_state(id, SessionState.READY if lives else SessionState.CREATED)

    def expired(self, now: datetime) -> tuple[tuple[Session, str], ...]:
        """Return the sessions whose time is over, each with why."""
        return tuple((one, why) for one in self.open if (why := _overdue(one, now)))

    def check_draft(self, draft: Draft, requester: Principal) -> None:
        """Let a draft run in the session that it names.

        Raises:
            Problem: it is not the requester's, is closed, or speaks another language.
        """
        if draft.operation and (not draft.session or draft.operation.kind is OperationKind.RUN):
            raise Problem(422, "an operation is a tool call on a session, which it names")
        if not draft.session:
            return
        session = self.owned(draft.session, requester)
        if session.state is SessionState.CLOSED:
            raise Problem(
                409, f"session {session.id} is closed: {session.close_reason}", hint="Create another one."
            )
        if (draft.language, draft.image) != (session.language, session.image):
            raise Problem(422, f"session {session.id} is one of {session.image}, for {session.language}")
        installs = draft.operation is not None and draft.operation.kind is OperationKind.INSTALL
        wanted = [kind for kind in NOT_HERE if getattr(draft.permissions, kind)]
        wanted = [kind for kind in wanted if not (installs and kind in INSTALLED)]
        if wanted:
            raise Problem(422, f"a session has no {' or '.join(wanted)}", hint="Run it alone.")

    def complete(self, draft: Draft) -> Draft:
        """Return a draft with the image of the session that it names, where it names no image itself."""
        session = self._by_id.get(draft.session) if draft.session and not draft.image else None
        return draft.with_image(session.image) if session else draft


def _overdue(session: Session, now: datetime) -> str:
    if (now - session.created_at).total_seconds() > session.life_seconds:
        return "at the end of its life"
    at_work = session.state in {SessionState.RUNNING, SessionState.PAUSED}
    if not at_work and (now - session.used_at).total_seconds() > session.idle_seconds:
        return f"idle for {session.idle_seconds:g} s"
    return ""

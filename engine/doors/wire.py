"""What travels between a client and the engine beside the nouns."""

from __future__ import annotations

from engine.models import Digest, Draft, Grant, Language, Noun, Verdict
from engine.text import Untrusted


class Handed(Noun):
    """A draft, and the name that its agent gives itself; empty: whoever owns the socket."""

    draft: Draft
    requester: Untrusted = Untrusted("")


class Decided(Noun):
    """A verdict about what was shown."""

    verdict: Verdict
    digest: Digest
    reason: Untrusted = Untrusted("")
    grant: Grant | None = None


class Snippet(Noun):
    """Code to analyse without submitting it."""

    code: Untrusted
    language: Language


class Answer(Noun):
    """A problem as it travels (RFC 9457): `title` says what happened, `mend` what to type next."""

    type: str = "about:blank"
    status: int
    title: str
    detail: str = ""
    mend: str = ""

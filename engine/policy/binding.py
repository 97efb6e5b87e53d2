"""What a decision is bound to, and what has changed since."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import rfc8785

from engine.models import Analysis, Case, Decision, DecisionOutcome, Limits
from engine.policy.grants import excess


def analysis_hash(analysis: Analysis) -> str:
    """Return the SHA-256 of the canonical JSON (RFC 8785) of what was found, without how long it took."""
    plain = analysis.model_dump(mode="json", exclude={"seconds"})
    return hashlib.sha256(rfc8785.dumps(plain)).hexdigest()


def changed(case: Case, digest: str, image: str, ceiling: Limits) -> tuple[str, ...]:
    """Return what of a case is not as it was approved; empty where everything is.

    `digest` is that of the very bytes about to run, `image` the digest of the image they would run in.
    """
    decision = case.decision
    if decision is None or decision.outcome is not DecisionOutcome.APPROVED or decision.grant is None:
        return ("there is no approval",)
    return tuple(_changed(case, decision, digest, image, ceiling))


def _changed(case: Case, decision: Decision, digest: str, image: str, ceiling: Limits) -> Iterator[str]:
    submission = case.submission
    if decision.submission != submission.id:
        yield f"the approval is for {decision.submission}"
    if not digest == submission.digest == decision.digest:
        yield "its digest differs: the code, a file or what is asked for is another"
    if decision.image and decision.image != image:
        yield "the image is another than the one approved"
    if decision.analysis and decision.analysis != analysis_hash(case.analysis):
        yield "the analysis is another than the one decided upon"
    if decision.grant:
        asked = submission.draft.permissions
        yield from (
            f"the grant is too wide: {more}" for more in excess(decision.grant.permissions, asked, ceiling)
        )

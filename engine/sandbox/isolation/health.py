"""Rows of Health about isolation and ready sandboxes: each failing row says what to type."""

from __future__ import annotations

from engine.common.text import Untrusted
from engine.models import Check, IsolationProof
from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.run.ready.pool import Pool

SET_UP = "make run   (it sets runsc up)"


def proof_check(proof: IsolationProof | None, trouble: SandboxUnavailable | None) -> Check:
    """Return whether a real sandbox proved its isolation."""
    if proof is not None and proof.isolated:
        version = f", {proof.version}" if proof.version else ""
        return row("isolation", True, f"gVisor, kernel {proof.kernel.text}{version}", "")
    if trouble is not None:
        return row("isolation", False, str(trouble), trouble.hint)
    return row("isolation", False, "not proved yet", "pratique doctor")


def not_isolated(proof: IsolationProof) -> SandboxUnavailable:
    """Return the error for a sandbox that is not isolated."""
    return SandboxUnavailable(f"runtime {proof.runtime} does not isolate: {proof.detail.text}", SET_UP)


def pool_checks(pool: Pool) -> tuple[Check, ...]:
    """Return how many sandboxes of each image are ready. An empty pool only makes runs start slower."""
    why = "; no place beside what runs need" if pool.gives_way else ""
    return tuple(
        row(
            f"pool {image_pool.image}",
            not image_pool.trouble,
            image_pool.trouble or f"{len(image_pool.sandboxes)} of {pool.wanted(image_pool)} ready{why}",
            "pratique image build",
        )
        for image_pool in pool.image_pools
    )


def row(name: str, ok: bool, detail: str, hint: str) -> Check:
    """Return a row of Health; the hint is shown only if it is failing."""
    return Check(name=name, ok=ok, detail=Untrusted(detail), hint="" if ok else hint)

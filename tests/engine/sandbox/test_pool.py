"""The size of a pool of ready sandboxes."""

from __future__ import annotations

from engine.models import Language
from engine.sandbox.run.ready.pool import ImagePool


def test_a_pool_grows_with_demand_and_shrinks_without() -> None:
    """Each recent miss adds one sandbox, up to the maximum; a minute later it no longer counts."""
    image_pool = ImagePool(Language.PYTHON, "image")
    image_pool.misses.extend([0.0, 1.0, 2.0])
    assert (3, 4, 1, 0) == (
        image_pool.wanted(1, 3, now=3),
        image_pool.wanted(1, 9, now=3),
        image_pool.wanted(1, 9, now=100),
        image_pool.wanted(0, 9, now=100),
    )

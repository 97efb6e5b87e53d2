"""The modules that decide, and the tests that have to notice when one of them decides wrongly."""

from __future__ import annotations

POLICY = "tests/engine/policy"

TARGETS: dict[str, tuple[str, ...]] = {
    "engine/policy/grants.py": (f"{POLICY}/test_grants.py",),
    "engine/policy/binding.py": (f"{POLICY}/test_binding.py",),
    "engine/policy/output/masking.py": (f"{POLICY}/test_returned.py",),
    "engine/policy/review.py": (f"{POLICY}/test_review.py",),
}

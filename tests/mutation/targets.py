"""The modules that decide, and the tests that have to notice when one of them decides wrongly."""

from __future__ import annotations

_POLICY = "tests/engine/policy"

TARGETS: dict[str, tuple[str, ...]] = {
    "engine/policy/grants.py": (f"{_POLICY}/test_grants.py",),
    "engine/policy/binding.py": (f"{_POLICY}/test_binding.py",),
    "engine/policy/review.py": (f"{_POLICY}/test_review.py",),
    "engine/policy/pre_approval.py": (f"{_POLICY}/test_review.py",),
    "engine/policy/risk.py": (f"{_POLICY}/test_risk.py", f"{_POLICY}/test_policy_files.py"),
    "engine/policy/policy.py": (f"{_POLICY}/test_policy_files.py", f"{_POLICY}/test_risk.py"),
    "engine/policy/files/conditions.py": (f"{_POLICY}/test_risk.py", f"{_POLICY}/test_policy_files.py"),
    "engine/policy/output/masking.py": (f"{_POLICY}/test_agent_output.py",),
    "engine/policy/comparison/fingerprint.py": (f"{_POLICY}/test_fingerprint.py",),
    "engine/common/review_coverage.py": (f"{_POLICY}/test_review.py",),
    "engine/principals/roles.py": ("tests/engine/principals",),
    "engine/principals/signing.py": ("tests/engine/principals/test_signing.py",),
    "engine/principals/tokens.py": ("tests/engine/principals/test_tokens.py",),
}

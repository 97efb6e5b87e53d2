"""The modules that decide, and the tests that have to notice when one of them decides wrongly."""

from __future__ import annotations

_POLICY = "tests/engine/policy"
_HISTORY = "tests/engine/history"
_VERDICT = "tests/engine/analysis/verdict"
_DATA = (f"{_VERDICT}/test_data_proof.py", f"{_VERDICT}/test_writing_proof.py")

TARGETS: dict[str, tuple[str, ...]] = {
    # what is risky, what may be granted, and who may decide
    "engine/policy/grants.py": (f"{_POLICY}/test_grants.py",),
    "engine/policy/binding.py": (f"{_POLICY}/test_binding.py",),
    "engine/policy/review.py": (f"{_POLICY}/test_review.py",),
    "engine/policy/pre_approval.py": (f"{_POLICY}/test_review.py",),
    "engine/policy/risk.py": (f"{_POLICY}/test_risk.py", f"{_POLICY}/test_policy_files.py"),
    "engine/policy/policy.py": (
        f"{_POLICY}/test_conditions.py",
        f"{_POLICY}/test_risk.py",
        f"{_POLICY}/test_policy_files.py",
        f"{_POLICY}/test_effects_comparison.py",
    ),
    "engine/policy/files/conditions.py": (
        f"{_POLICY}/test_conditions.py",
        f"{_POLICY}/test_risk.py",
        f"{_POLICY}/test_policy_files.py",
    ),
    "engine/policy/output/masking/assignments.py": (
        f"{_POLICY}/test_masking.py",
        f"{_POLICY}/test_masking_exactly.py",
    ),
    "engine/policy/output/masking/shapes.py": (
        f"{_POLICY}/test_masking.py",
        f"{_POLICY}/test_masking_exactly.py",
    ),
    "engine/policy/blocks.py": (f"{_POLICY}/test_blocks.py",),
    "engine/policy/careless.py": (f"{_POLICY}/test_careless.py",),
    "engine/policy/commands.py": (f"{_POLICY}/test_commands.py",),
    "engine/policy/output/masking/spans.py": (f"{_POLICY}/test_masking_exactly.py",),
    "engine/policy/deadline.py": (f"{_POLICY}/test_deadline.py",),
    "engine/policy/consequences.py": (f"{_POLICY}/test_consequences.py",),
    "engine/policy/effects/comparison.py": (f"{_POLICY}/test_effects_comparison.py",),
    "engine/common/effects/severity.py": (f"{_POLICY}/test_effects_comparison.py",),
    "engine/policy/comparison/fingerprint.py": (f"{_POLICY}/test_fingerprint.py",),
    "engine/common/hosts.py": ("tests/engine/test_hosts.py",),
    "engine/common/review_coverage.py": (f"{_POLICY}/test_review.py",),
    "engine/core/review/grant_validation.py": ("tests/engine/core/test_grant_validation.py",),
    "engine/core/review/decisions.py": (
        "tests/engine/core/test_review.py",
        "tests/engine/core/test_reviewer_keys.py",
    ),
    "engine/core/runs/start_gate.py": ("tests/engine/core/test_start_gate.py",),
    # who somebody is
    "engine/principals/roles.py": ("tests/engine/principals",),
    "engine/principals/identity.py": ("tests/engine/principals/test_who.py",),
    "engine/principals/signing.py": (
        "tests/engine/principals/test_signing.py",
        "tests/engine/principals/test_who.py",
    ),
    "engine/principals/signed_decision.py": ("tests/engine/principals/test_signed_decision.py",),
    "engine/server/http/authorization.py": ("tests/engine/server/test_scopes.py",),
    "engine/principals/tokens.py": ("tests/engine/principals/test_tokens.py",),
    # the chain and its verification
    "engine/history/chain/chain.py": (f"{_HISTORY}/test_chain.py",),
    "engine/history/chain/heads.py": (f"{_HISTORY}/test_chain.py",),
    "engine/history/chain/merkle.py": (f"{_HISTORY}/test_history_merkle.py",),
    "engine/history/chain/checkpoints.py": (f"{_HISTORY}/test_history_checkpoints.py",),
    "engine/history/verify/verifier.py": (
        f"{_HISTORY}/test_history_verifier.py",
        f"{_HISTORY}/test_history_tampering.py",
    ),
    "engine/history/verify/stored_data.py": (
        f"{_HISTORY}/test_history_verifier.py",
        f"{_HISTORY}/test_history_tampering.py",
    ),
    # what is proven harmless
    "engine/analysis/verdict/__init__.py": (f"{_VERDICT}/test_verdict.py",),
    "engine/analysis/verdict/python/attributes.py": (f"{_VERDICT}/test_python_proof.py",),
    "engine/analysis/verdict/python/bound_names.py": (f"{_VERDICT}/test_python_proof.py",),
    "engine/analysis/verdict/python/calls.py": (f"{_VERDICT}/test_python_proof.py",),
    "engine/analysis/verdict/python/data/files.py": (f"{_VERDICT}/test_data_names.py",),
    "engine/analysis/verdict/python/data/imports.py": (f"{_VERDICT}/test_data_names.py",),
    "engine/analysis/verdict/python/data/pictures.py": _DATA,
    "engine/analysis/verdict/python/data/restricted.py": _DATA,
    "engine/analysis/verdict/python/data/signatures.py": _DATA,
    "engine/analysis/verdict/python/definitions.py": (f"{_VERDICT}/test_python_proof.py",),
    "engine/analysis/verdict/python/expressions.py": (f"{_VERDICT}/test_python_proof.py",),
    "engine/analysis/verdict/python/proof.py": (f"{_VERDICT}/test_python_proof.py",),
    "engine/analysis/verdict/python/scopes.py": (f"{_VERDICT}/test_python_proof.py",),
    "engine/analysis/verdict/javascript/patterns.py": (f"{_VERDICT}/test_javascript_proof.py",),
    "engine/analysis/verdict/javascript/shapes.py": (f"{_VERDICT}/test_javascript_proof.py",),
    # what the analysis may not pass over
    "engine/analysis/text/readings.py": ("tests/engine/analysis/text/test_readings.py",),
    "engine/analysis/shell/comments.py": (
        "tests/engine/analysis/shell/test_comments.py",
        "tests/engine/analysis/text/test_readings.py",
    ),
}

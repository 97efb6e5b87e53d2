"""Review: decisions, claims, pre-approvals, grants."""

"""Submissions: admission, analysis, idempotency, leases."""

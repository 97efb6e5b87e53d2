"""Submissions: admission, analysis, normalisation and idempotency."""

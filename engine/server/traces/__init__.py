"""Traces of submissions for OpenTelemetry: read from the history once a submission is over, and posted."""

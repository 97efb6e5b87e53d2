"""What an agent is told while its call is not over."""

OPEN = frozenset({"pending_approval", "queued", "running"})
"""The statuses of a call whose result comes later."""

"""The work queue: open submissions, their deadlines, locks, quotas and leases."""

from engine.core.queue.api import ActiveSubmission, QueueFull, QueueHandler, WorkQueue, open_entry
from engine.core.queue.in_process import InProcessQueue

__all__ = ["ActiveSubmission", "InProcessQueue", "QueueFull", "QueueHandler", "WorkQueue", "open_entry"]

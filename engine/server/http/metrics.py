"""What Prometheus reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from engine.models import DecisionOutcome, Event, KillReason, Level

CONTENT_TYPE = CONTENT_TYPE_LATEST
DECISION_BUCKETS = (1, 2, 5, 10, 20, 30, 60, 120, 300, 900, 3600)
MOST_OPEN = 10_000


class Metrics:
    """Counts what the history records, from this engine's start on."""

    def __init__(
        self,
        pending: Callable[[], int],
        going: Callable[[], int],
        stocks: Callable[[], Iterable[tuple[str, int, int]]],
    ) -> None:
        self._registry = CollectorRegistry()
        self._submitted_at: dict[str, datetime] = {}
        self._submissions = Counter(
            "pratique_submissions_total", "Submissions by risk", ["risk"], registry=self._registry
        )
        self._runs = Counter(
            "pratique_runs_total", "Runs that ended, by kill reason", ["kill_reason"], registry=self._registry
        )
        self._decisions = Histogram(
            "pratique_decision_seconds",
            "From submission to decision, by verdict",
            ["outcome"],
            buckets=DECISION_BUCKETS,
            registry=self._registry,
        )
        self._show_zeros()
        depth = Gauge("pratique_queue_depth", "Open submissions by state", ["state"], registry=self._registry)
        depth.labels("pending").set_function(pending)
        depth.labels("approved").set_function(going)
        self._stocks = stocks
        self._ready = Gauge(
            "pratique_pool_ready", "Sandboxes that wait ready", ["image"], registry=self._registry
        )
        self._wanted = Gauge(
            "pratique_pool_wanted", "Sandboxes that should wait ready", ["image"], registry=self._registry
        )

    def take(self, event: Event) -> None:
        """Count an event."""
        match event.type:
            case "submission.created" if len(self._submitted_at) < MOST_OPEN:
                self._submitted_at[event.subject] = event.at
            case "submission.assessed":
                self._submissions.labels(event.data["risk"]).inc()
            case "decision.made" | "decision.expired":
                self._decided(event)
            case "run.ended":
                self._runs.labels(event.data["kill_reason"]).inc()

    def text(self) -> bytes:
        """Return all of it as Prometheus reads it."""
        for image, ready, wanted in self._stocks():
            self._ready.labels(image).set(ready)
            self._wanted.labels(image).set(wanted)
        return generate_latest(self._registry)

    def _decided(self, event: Event) -> None:
        since = self._submitted_at.pop(event.subject, None)
        if since is not None:
            seconds = (event.at - since).total_seconds()
            self._decisions.labels(event.data["outcome"]).observe(seconds)

    def _show_zeros(self) -> None:
        for level in Level:
            self._submissions.labels(level.value)
        for reason in KillReason:
            self._runs.labels(reason.value)
        for outcome in DecisionOutcome:
            self._decisions.labels(outcome.value)

"""The metrics of the engine for Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from engine.models import DecisionOutcome, Event, KillReason, Level
from engine.models.observed import ObservationStatus, ObservedKind

CONTENT_TYPE = CONTENT_TYPE_LATEST
DECISION_BUCKETS = (1, 2, 5, 10, 20, 30, 60, 120, 300, 900, 3600)
MAX_OPEN = 10_000
_MISSING = ("dropped", "unreadable")


class PrometheusMetrics:
    """Counts events from the start of this engine."""

    def __init__(
        self,
        pending: Callable[[], int],
        active: Callable[[], int],
        here: Callable[[], int],
        stocks: Callable[[], Iterable[tuple[str, int, int]]],
    ) -> None:
        self._registry = CollectorRegistry()
        self._submitted_at: dict[str, datetime] = {}
        self._submissions = Counter(
            "pratique_submissions_total", "Submissions, by risk", ["risk"], registry=self._registry
        )
        self._runs = Counter(
            "pratique_runs_total", "Ended runs, by kill reason", ["kill_reason"], registry=self._registry
        )
        self._observations = Counter(
            "pratique_observed_runs_total",
            "Ended runs, by whether their effects were observed",
            ["status"],
            registry=self._registry,
        )
        self._effects = Counter(
            "pratique_observed_effects_total", "Observed effects, by kind", ["kind"], registry=self._registry
        )
        self._missing = Counter(
            "pratique_missing_effect_events_total",
            "Events of runs that were dropped, or withheld because a name in them was unreadable",
            ["reason"],
            registry=self._registry,
        )
        self._surprises = Counter(
            "pratique_surprises_total",
            "Effects that were not predicted or not granted, by severity",
            ["severity"],
            registry=self._registry,
        )
        self._decisions = Histogram(
            "pratique_decision_duration_seconds",
            "Time from submission to decision, by outcome",
            ["outcome"],
            buckets=DECISION_BUCKETS,
            registry=self._registry,
        )
        self._initialise_labels()
        open_submissions = Gauge(
            "pratique_open_submissions", "Open submissions, by state", ["state"], registry=self._registry
        )
        open_submissions.labels("pending").set_function(pending)
        open_submissions.labels("approved").set_function(active)
        Gauge(
            "pratique_engine_runs", "Runs of this engine that are not over", registry=self._registry
        ).set_function(here)
        self._stocks = stocks
        self._ready = Gauge(
            "pratique_pool_ready_sandboxes",
            "Warm sandboxes in the pool, by image",
            ["image"],
            registry=self._registry,
        )
        self._target = Gauge(
            "pratique_pool_target_sandboxes",
            "Warm sandboxes that the pool aims for, by image",
            ["image"],
            registry=self._registry,
        )

    def record(self, event: Event) -> None:
        """Count an event."""
        match event.type:
            case "submission.created" if len(self._submitted_at) < MAX_OPEN:
                self._submitted_at[event.subject] = event.at
            case "submission.assessed":
                self._submissions.labels(event.data["risk"]).inc()
            case "decision.made" | "decision.expired":
                self._record_decision(event)
            case "run.ended":
                self._runs.labels(event.data["kill_reason"]).inc()
            case "run.observed":
                self._record_observation(event)
            case "run.surprise":
                for one in event.data["surprises"]:
                    self._surprises.labels(one["severity"]).inc()

    def text(self) -> bytes:
        """Return the metrics in the Prometheus text format."""
        for image, ready, target in self._stocks():
            self._ready.labels(image).set(ready)
            self._target.labels(image).set(target)
        return generate_latest(self._registry)

    def _record_observation(self, event: Event) -> None:
        observation = event.data["observation"]
        self._observations.labels(observation["status"]).inc()
        for reason in _MISSING:
            self._missing.labels(reason).inc(observation[reason])
        for kind, count in observation["counts"].items():
            self._effects.labels(kind).inc(count)

    def _record_decision(self, event: Event) -> None:
        submitted_at = self._submitted_at.pop(event.subject, None)
        if submitted_at is not None:
            seconds = (event.at - submitted_at).total_seconds()
            self._decisions.labels(event.data["outcome"]).observe(seconds)

    def _initialise_labels(self) -> None:
        for level in Level:
            self._submissions.labels(level.value)
        for reason in KillReason:
            self._runs.labels(reason.value)
        for status in ObservationStatus:
            self._observations.labels(status.value)
        for missing in _MISSING:
            self._missing.labels(missing)
        for kind in ObservedKind:
            self._effects.labels(kind.value)
        for level in Level:
            self._surprises.labels(level.value)
        for outcome in DecisionOutcome:
            self._decisions.labels(outcome.value)

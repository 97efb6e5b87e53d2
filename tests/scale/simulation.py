"""A discrete-event simulation of a deployment: engines, the chain, reviewers, nodes, and what fails."""

from __future__ import annotations

import random
import statistics
from collections import defaultdict
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import simpy

from tests.scale.chain import Chain
from tests.scale.deployment import Deployment, Fault
from tests.scale.measured import (
    EVENTS_DECISION,
    EVENTS_RUN,
    EVENTS_SUBMIT,
    RETRY,
    TAKEOVER,
    Costs,
    Duration,
)
from tests.scale.nodes import Node, Nodes
from tests.scale.outcome import Outcome

Steps = Generator[simpy.Event, Any, None]


@dataclass(eq=False)
class _Engine:
    zone: int
    core: simpy.Resource
    alive: bool = True


class Simulation:
    """A deployment under so many runs a minute, for so many seconds."""

    def __init__(
        self,
        deployment: Deployment,
        runs_a_minute: float,
        seconds: float,
        faults: tuple[Fault, ...] = (),
        costs: Costs | None = None,
        seed: int = 1,
    ) -> None:
        self._deployment = deployment
        self._rate = runs_a_minute / 60
        self._seconds = seconds
        self._costs = costs or Costs()
        self._chance = random.Random(seed)  # noqa: S311  a simulation
        self._environment = simpy.Environment()
        self._chain = Chain(self._environment, self._costs)
        self._nodes = Nodes(self._environment, deployment, self._costs, self._chance)
        self._engines = [
            _Engine(number % deployment.zones, simpy.Resource(self._environment, 1))
            for number in range(deployment.engines)
        ]
        present = max(1, round(deployment.reviewers * (1 - self._costs.away)))
        self._reviewers = simpy.Resource(self._environment, present)
        self._outcome = Outcome()
        self._lives: list[simpy.Process] = []
        self._busy: dict[str, float] = defaultdict(float)
        self._minutes: dict[int, list[float]] = defaultdict(list)
        for fault in faults:
            self._environment.process(self._fail(fault))

    def run(self) -> Outcome:
        """Simulate, and return what came of it."""
        self._environment.process(self._arrivals())
        self._environment.run(until=self._seconds)
        return self._summed_up()

    def _arrivals(self) -> Steps:
        """Submissions come independently of each other."""
        while True:
            yield self._environment.timeout(self._chance.expovariate(self._rate))
            self._outcome.submitted += 1
            self._lives.append(self._environment.process(self._life()))

    def _life(self) -> Steps:
        """One submission from its first try to the end of its run."""
        engine = yield from self._submit()
        if self._chance.random() < self._deployment.reviewed:
            yield from self._review()
        if not engine.alive:
            yield self._environment.timeout(TAKEOVER)
        engine = self._any_engine()
        decided = self._environment.now
        yield self._chain.append(engine, EVENTS_DECISION)
        yield from self._work(engine, self._costs.rest_cpu)
        node = yield from self._nodes.take()
        going = self._environment.process(self._run(node, decided))
        node.running.add(going)
        finished = yield going
        node.running.discard(going)
        yield self._chain.append(engine, EVENTS_RUN)
        self._end(finished=finished)
        if finished:
            self._environment.process(self._nodes.remove(node))

    def _submit(self) -> Generator[simpy.Event, Any, _Engine]:
        """Submit until an engine answers; return that engine."""
        begun, refused = self._environment.now, False
        while not self._chain.up:
            refused = True
            yield self._environment.timeout(RETRY * self._chance.uniform(0.8, 1.2))
        engine = self._any_engine()
        yield from self._work(engine, self._costs.submit_cpu)
        yield self._chain.append(engine, EVENTS_SUBMIT)
        self._outcome.refused += refused
        self._outcome.answers.append(self._environment.now - begun)
        return engine

    def _review(self) -> Steps:
        begun = self._environment.now
        with self._reviewers.request() as turn:
            yield turn
            seconds = self._costs.decision.draw(self._chance)
            yield self._environment.timeout(seconds)
        self._busy["reviewers"] += seconds
        self._outcome.waits.append(self._environment.now - begun)

    def _run(self, node: Node, decided: float) -> Generator[simpy.Event, Any, bool]:
        """Run in a ready sandbox; return whether it came to its own end."""
        try:
            yield self._environment.timeout(self._costs.first_byte.draw(self._chance))
            self._started(self._environment.now - decided)
            yield self._environment.timeout(self._costs.run.draw(self._chance))
        except simpy.Interrupt:
            return False
        return True

    def _started(self, seconds: float) -> None:
        self._outcome.starts.append(seconds)
        self._minutes[int(self._environment.now // 60)].append(seconds)

    def _end(self, *, finished: bool) -> None:
        self._outcome.finished += finished
        self._outcome.interrupted += not finished

    def _work(self, engine: _Engine, cost: Duration) -> Steps:
        with engine.core.request() as turn:
            yield turn
            seconds = cost.draw(self._chance)
            yield self._environment.timeout(seconds)
        self._busy["engines"] += seconds

    def _any_engine(self) -> _Engine:
        return self._chance.choice([engine for engine in self._engines if engine.alive])

    def _fail(self, fault: Fault) -> Steps:
        yield self._environment.timeout(fault.begins)
        if fault.what == "database":
            self._chain.fail()
        elif fault.what == "zone":
            self._lose_zone()
        else:
            self._nodes.registry = self._environment.event()
            self._environment.process(self._replace_nodes(fault.ends))
        yield self._environment.timeout(fault.ends - fault.begins)
        self._mend(fault)

    def _mend(self, fault: Fault) -> None:
        if fault.what == "database":
            self._chain.recover()
        elif fault.what == "zone":
            self._bring_back_zone()
        else:
            self._nodes.registry.succeed()

    def _lose_zone(self) -> None:
        self._nodes.fail(0)
        for engine in self._engines:
            engine.alive = engine.zone != 0

    def _bring_back_zone(self) -> None:
        for _ in range(self._deployment.nodes - len(self._nodes.all)):
            self._nodes.add(0)
        for engine in self._engines:
            engine.alive = True

    def _replace_nodes(self, until: float) -> Steps:
        """While the registry is gone, a node is replaced each minute: the new ones have no images."""
        while self._environment.now < until:
            self._nodes.lose(self._chance.choice(self._nodes.all))
            self._nodes.add(0)
            yield self._environment.timeout(60)

    def _summed_up(self) -> Outcome:
        outcome, deployment = self._outcome, self._deployment
        makers = deployment.nodes * deployment.makers
        outcome.use = {
            "engines": self._busy["engines"] / self._seconds / deployment.engines,
            "chain": self._chain.busy / self._seconds,
            "reviewers": self._busy["reviewers"] / self._seconds / self._reviewers.capacity,
            "making": self._nodes.making / self._seconds / makers,
        }
        outcome.open_at_end = sum(life.is_alive for life in self._lives)
        outcome.longest_chain = self._chain.longest
        outcome.worst_minute = max(map(statistics.median, self._minutes.values()), default=0.0)
        return outcome

"""Nodes that make single-use sandboxes, keep some ready, and remove them after their run."""

from __future__ import annotations

import random
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

import simpy

from tests.scale.deployment import Deployment
from tests.scale.measured import Costs

GONE = "node gone"


@dataclass(eq=False)
class Node:
    """One machine."""

    zone: int
    room: simpy.Container
    """Places for sandboxes."""
    wanted: simpy.Container
    """How many more sandboxes should wait ready."""
    alive: bool = True
    running: set[simpy.Process] = field(default_factory=set)


class Nodes:
    """All nodes, and the sandboxes that wait ready on them."""

    def __init__(
        self, environment: simpy.Environment, deployment: Deployment, costs: Costs, chance: random.Random
    ) -> None:
        self._environment = environment
        self._deployment = deployment
        self._costs = costs
        self._chance = chance
        self._api = simpy.Resource(environment, deployment.api_servers)
        self.ready: simpy.Store = simpy.Store(environment)
        self.registry = environment.event().succeed()
        """Has happened while images can be pulled."""
        self.making = 0.0
        """Seconds that were spent on making sandboxes, of all makers."""
        self.all: list[Node] = []
        for number in range(deployment.nodes):
            self.add(number % deployment.zones)

    def add(self, zone: int) -> None:
        """Let a node join, which first pulls the images."""
        places, warm = self._deployment.places, self._deployment.warm
        node = Node(
            zone,
            simpy.Container(self._environment, init=places),
            simpy.Container(self._environment, init=warm),
        )
        self.all.append(node)
        for _ in range(self._deployment.makers):
            self._environment.process(self._make(node))

    def take(self) -> Generator[simpy.Event, Any, Node]:
        """Return the node of a ready sandbox, and have another one made."""
        while True:
            node: Node = yield self.ready.get()
            yield node.wanted.put(1)
            if node.alive:
                return node

    def remove(self, node: Node) -> Generator[simpy.Event, Any, None]:
        """Remove a sandbox after its run."""
        yield from self._call_api()
        yield self._environment.timeout(self._costs.remove.draw(self._chance))
        yield node.room.put(1)

    def fail(self, zone: int) -> None:
        """Lose all nodes of a zone, and whatever runs there."""
        for node in [node for node in self.all if node.zone == zone and node.alive]:
            self.lose(node)

    def lose(self, node: Node) -> None:
        """Lose one node."""
        node.alive = False
        for process in tuple(node.running):
            process.interrupt(GONE)
        self.all.remove(node)

    def _make(self, node: Node) -> Generator[simpy.Event, Any, None]:
        yield self.registry
        while node.alive:
            yield node.wanted.get(1)
            yield node.room.get(1)
            yield from self._call_api()
            seconds = self._costs.make.draw(self._chance)
            yield self._environment.timeout(seconds)
            self.making += seconds
            if node.alive:
                yield self.ready.put(node)

    def _call_api(self) -> Generator[simpy.Event, Any, None]:
        with self._api.request() as turn:
            yield turn
            yield self._environment.timeout(self._costs.api_call)

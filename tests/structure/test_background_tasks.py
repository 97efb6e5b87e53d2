"""Tasks are created by the supervisor alone, or by what waits for them itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ENGINE = Path(__file__).parents[2] / "engine"
SUPERVISOR = "common/supervisor.py"
CREATORS = {"create_task", "ensure_future", "start_soon", "run_coroutine_threadsafe"}
CLIENTS = ("cli/", "client/", "setup/")
"""Programs of their own, which end with what they do."""
WAITED_FOR = {
    "sandbox/network/proxy.py": "connections of one run, which the proxy closes with it",
    "sandbox/network/relay.py": "both directions of one connection, waited for together",
    "sandbox/rehearsal/sinkhole.py": "connections of one rehearsal, which the sinkhole closes with it",
    "sandbox/network/bridge.py": "channels of one run, which the bridge closes with it",
    "sandbox/drivers/docker/transport_ssh.py": "the tunnel to a remote Docker, which its client closes",
    "sandbox/drivers/kubernetes/pod.py": "the meter of one sandbox, cancelled with it",
    "sandbox/drivers/kubernetes/pod_stream.py": "both directions of one stream, cancelled with its sandbox",
    "sandbox/run/execution.py": "the parts of one run, waited for by the run",
    "sandbox/run/run_control.py": "a run, waited for by whoever started it",
    "core/history/service.py": "a verification, waited for by its request",
    "server/mcp/connections.py": "the parts of one agent's connection, waited for together",
    "server/mcp/deliveries.py": "receipts, in the task group of the agent's connection",
    "server/mcp/tool_calls.py": "withdrawals, in the task group of the agent's connection",
    "server/http/middleware/token_lifetime.py": "what cuts a request off, cancelled at its end",
    "server/preview/exchange.py": "both directions of one request to a preview, waited for together",
    "server/preview/service.py": "the wait for the end of one sandbox, cancelled with its preview",
    "server/http/connections/acceptor.py": "a connection, which its registry closes",
}
"""Modules that create tasks which belong to one request, run or connection, and who waits for them."""


def created(source: str) -> Iterator[int]:
    """Yield the lines in which a task is created outside a task group that is a context."""
    tree = ast.parse(source)
    groups = {
        item.optional_vars.id
        for node in ast.walk(tree)
        if isinstance(node, ast.AsyncWith)
        for item in node.items
        if isinstance(item.optional_vars, ast.Name) and "TaskGroup" in ast.dump(item.context_expr)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        owner = node.func.value
        structured = isinstance(owner, ast.Name) and owner.id in groups
        if node.func.attr in CREATORS and not structured:
            yield node.lineno


def test_no_task_is_created_but_by_the_supervisor() -> None:
    """What goes on in the background has a name, is started again, and is told in Health."""
    found = {
        str(file.relative_to(ENGINE))
        for file in ENGINE.rglob("*.py")
        if not str(file.relative_to(ENGINE)).startswith(CLIENTS) and [*created(file.read_text())]
    }
    assert {SUPERVISOR} == found - WAITED_FOR.keys()
    assert set() == WAITED_FOR.keys() - found


@pytest.mark.parametrize(
    "source",
    [
        "asyncio.create_task(f())",
        "loop.create_task(f())",
        "asyncio.ensure_future(f())",
        "self._tasks.create_task(f())",
        "asyncio.get_running_loop().create_task(f())",
        "nursery.start_soon(f)",
        "asyncio.run_coroutine_threadsafe(f(), loop)",
        "group = asyncio.TaskGroup()\ngroup.create_task(f())",
    ],
)
def test_every_way_to_create_a_task_is_found(source: str) -> None:
    """Whatever holds the loop, and a task group that is not a context."""
    assert [*created(source)]


def test_a_task_group_that_waits_for_its_tasks_is_no_background() -> None:
    """An exception of such a task reaches whoever waits."""
    source = "async def f():\n    async with asyncio.TaskGroup() as group:\n        group.create_task(g())"
    assert [] == [*created(source)]

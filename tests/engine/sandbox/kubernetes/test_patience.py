"""What is asked again of an API server that starts, restarts or is busy, and what is told at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.sandbox.drivers.kubernetes.api_client import ApiClient
from engine.sandbox.drivers.kubernetes.api_errors import ClusterRefusal, ClusterUnreachable
from engine.sandbox.drivers.kubernetes.driver import KubernetesDriver
from engine.sandbox.drivers.kubernetes.pods import Pods
from tests.engine.sandbox.kubernetes.api_server import PODS, Server, serving

_FORBIDDEN = {"message": 'pods is forbidden: User "engine" cannot create resource "pods"'}


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
async def test_a_busy_server_is_asked_again(server: Server, client: ApiClient, status: int) -> None:
    """The caller sees the answer of the second attempt."""
    server.refusals = [(status, {"message": "later"})]
    assert [server.pod] == (await client.call("GET", PODS))["items"]


async def test_a_server_that_has_not_read_its_roles_is_asked_again(server: Server, client: ApiClient) -> None:
    """Until it is ready it forbids what it allows later; once more may be just before it was."""
    server.refusals = [(403, _FORBIDDEN)] * 3
    server.ready = [403, 500, 200]
    assert [server.pod] == (await client.call("GET", PODS))["items"]


async def test_a_lack_of_rights_is_told_soon(server: Server, client: ApiClient) -> None:
    """A server that is ready is asked once more, and no oftener."""
    server.refusals = [(403, _FORBIDDEN)] * 9
    with pytest.raises(ClusterRefusal, match="forbids it to the engine"):
        await client.call("GET", PODS)
    assert 2 == len(server.tokens)


async def test_a_server_that_never_says_that_it_is_ready_is_given_up(
    server: Server, client: ApiClient
) -> None:
    """The error is the last one of the server, not that the time is over."""
    server.refusals = [(403, _FORBIDDEN)] * 9
    server.ready = [403]
    with pytest.raises(ClusterRefusal, match="forbids it to the engine"):
        await client.call("GET", PODS, patience=0.7)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "bad"),
        (401, "Unauthorized"),
        (403, 'exceeded quota: "small"'),
        (403, 'violates PodSecurity "restricted"'),
        (404, "no such thing"),
        (409, "already exists"),
    ],
)
async def test_what_does_not_pass_is_told_at_once(
    server: Server, client: ApiClient, status: int, message: str
) -> None:
    """There is one attempt."""
    server.refusals = [(status, {"message": message})]
    with pytest.raises(ClusterRefusal):
        await client.call("GET", PODS)
    assert 1 == len(server.tokens)


async def test_a_pod_whose_answer_was_lost_is_found_by_its_name(server: Server, client: ApiClient) -> None:
    """The connection is cut after the Pod was made: the second attempt finds it, and makes none."""
    server.pod, server.lost = None, 1
    manifest: dict[str, Any] = {"metadata": {"name": "one"}}
    assert manifest == await Pods(client).create(manifest)
    assert 2 == len(server.tokens)


async def test_a_refused_connection_is_tried_again(server: Server, tmp_path: Path) -> None:
    """Once the server is gone for longer than the patience, that is said."""
    async with serving(server, tmp_path) as settings:
        client = ApiClient(settings, 5.0)
    with pytest.raises(ClusterUnreachable) as caught:
        await client.call("GET", PODS, patience=0.3)
    await client.close()
    assert caught.value.passing


async def test_a_watch_and_an_attach_are_asked_for_again(server: Server, client: ApiClient) -> None:
    """Both begin once the server has read its roles."""
    server.refusals = [(403, _FORBIDDEN)]
    events = client.watch(PODS, {}, 5)
    assert ("DELETED", {}) == await anext(events)
    await events.aclose()
    server.refusals = [(503, {}), (403, {})]
    (await client.connect("one", "attach", [])).abort()


async def test_a_server_that_forbids_its_version_answers(server: Server, tmp_path: Path) -> None:
    """It is not lost: no run ends because roles are not read yet. One that is busy is."""
    async with serving(server, tmp_path) as settings:
        driver = KubernetesDriver(settings, 5.0, "test")
        server.refusals = [(403, _FORBIDDEN)]
        await driver.ping()
        server.refusals = [(503, {})] * 2
        with pytest.raises(ClusterRefusal):
            await driver.ping()
        await driver.close()

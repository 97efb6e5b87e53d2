"""Requests, watches and streams against a small real API server on loopback, with TLS."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import yaml

from engine.models import Stream
from engine.sandbox import SandboxUnavailable
from engine.sandbox.drivers.kubernetes.api_client import ApiClient
from engine.sandbox.drivers.kubernetes.api_errors import ClusterRefusal, ClusterUnreachable
from engine.sandbox.drivers.kubernetes.pods import Pods
from engine.sandbox.guest_protocol.framing import frames
from tests.engine.sandbox.kubernetes.api_server import PODS, Server
from tests.tls import free_port


async def test_a_stream_carries_bytes_exactly_both_ways(server: Server, client: ApiClient) -> None:
    """A large input goes in pieces; both output streams stay apart; empty messages are nothing."""
    server.sent = [b"\x01", b"\x02", b"\x03"]
    data = bytes(range(256)) * 1000
    stream = await client.connect("one", "attach", [])
    await stream.send(data)
    received = {Stream.STDOUT: b"", Stream.STDERR: b""}
    async for kind, piece in stream.output():
        received[kind] += piece
        if len(received[Stream.STDOUT]) == len(data) and received[Stream.STDERR].endswith(b"59392"):
            break
    assert data == received[Stream.STDOUT]
    open_before = not stream.closed
    stream.abort()
    assert (True, True) == (open_before, stream.closed)
    with pytest.raises(ConnectionError):
        await stream.send(b"x")


async def test_a_message_that_no_api_server_sends_ends_the_stream(server: Server, client: ApiClient) -> None:
    """What came before it is kept, what comes after it is not read, and the reason is known."""
    server.sent = [b"\x01good", b"\x09bad", b"\x01more"]
    stream = await client.connect("one", "attach", [])
    assert [(Stream.STDOUT, b"good")] == [item async for item in stream.output()]
    assert ("a message on channel 9", True) == (stream.trouble, stream.closed)


async def test_a_started_process_is_a_reader_of_frames_and_a_writer(
    server: Server, client: ApiClient
) -> None:
    """The run logic reads it as it reads Docker's streams."""
    tasks: set[asyncio.Task[None]] = set()
    reader, writer = await (await client.connect("one", "exec", [("command", "cat")])).as_streams(tasks)
    writer.write(b"hello")
    output = frames(reader)
    assert [(Stream.STDOUT, b"hello"), (Stream.STDERR, b"5")] == [await anext(output), await anext(output)]
    await output.aclose()
    writer.transport.abort()
    await asyncio.wait_for(asyncio.gather(*tasks), 5)


async def test_a_server_without_a_known_protocol_is_refused(server: Server, client: ApiClient) -> None:
    """Bytes that nobody could tell apart are not read."""
    server.protocols = ()
    with pytest.raises(SandboxUnavailable, match="no known protocol"):
        await client.connect("one", "attach", [])


async def test_a_pod_is_awaited_by_a_watch(server: Server, client: ApiClient) -> None:
    """What is there already needs none; a deletion is seen as it happens."""
    pods = Pods(client)
    assert "one" == (await pods.wait("one", lambda pod: pod is not None, 5) or {})["metadata"]["name"]
    assert not server.watched.is_set()
    assert await pods.wait("one", lambda pod: pod is None, 5) is None
    assert server.watched.is_set()


async def test_a_busy_server_is_asked_again_and_a_refusal_is_explained(
    server: Server, client: ApiClient
) -> None:
    """429 is passing; a quota is not, and its error says what to type."""
    server.refusals = [(429, {"message": "too many"}), (403, {"message": 'exceeded quota: "small"'})]
    with pytest.raises(ClusterRefusal, match="the namespace's quota is used up") as caught:
        await Pods(client).create({})
    assert "kubectl describe resourcequota" in caught.value.hint
    assert ["Bearer secret"] * 2 == server.tokens


@pytest.mark.parametrize(
    ("status", "message", "says"),
    [
        (401, "Unauthorized", "does not accept"),
        (403, 'pods is forbidden: User "x" cannot create', "forbids it to the engine"),
        (403, 'violates PodSecurity "restricted"', "Pod security refuses"),
        (403, 'pod rejected: RuntimeClass "gvisor" not found', "no such RuntimeClass"),
        (409, "already exists", "already"),
        (500, "\x1b[2Jboom\nline", "Kubernetes answered 500: [2Jboom line"),
    ],
)
async def test_each_refusal_is_a_sentence_with_a_hint(
    server: Server, client: ApiClient, status: int, message: str, says: str
) -> None:
    """Control characters of the server do not reach a person."""
    server.refusals = [(status, {"message": message})]
    with pytest.raises(ClusterRefusal) as caught:
        await client.call("GET", PODS, patience=0)
    assert says in str(caught.value)
    assert caught.value.hint


async def test_a_server_that_is_gone_is_said(client: ApiClient, tmp_path: Path) -> None:
    """A connection that is refused is an error with a hint, not a traceback."""
    config = yaml.safe_load((tmp_path / "config").read_text())
    config["clusters"][0]["cluster"]["server"] = f"https://127.0.0.1:{free_port()}"
    (tmp_path / "config").write_text(yaml.safe_dump(config))
    with pytest.raises(ClusterUnreachable, match="Kubernetes did not answer") as caught:
        await client.call("GET", "/version", patience=0.3)
    assert "kubectl get --raw /readyz" == caught.value.hint

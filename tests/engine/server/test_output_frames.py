"""Output as frames: whole however it comes apart, and refused where it is something else."""

from __future__ import annotations

import contextlib

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.common.errors import Problem
from engine.common.output_frames import FRAMES, FrameDecoder, encode_frame
from engine.models import OutputChunk, Stream
from tests.engine_process import EngineProcess

CHUNKS = st.lists(
    st.builds(
        OutputChunk,
        stream=st.sampled_from(Stream),
        at=st.floats(0, 1e6),
        offset=st.integers(0, 2**53),
        data=st.binary(max_size=300),
    ),
    max_size=6,
)


@given(CHUNKS, st.integers(1, 50))
def test_frames_come_back_whole_however_they_are_cut(chunks: list[OutputChunk], size: int) -> None:
    """Chunks of any bytes, line feeds among them, survive a network that delivers them in any pieces."""
    sent = b"".join(encode_frame(chunk) for chunk in chunks)
    reader = FrameDecoder()
    parts = [sent[at : at + size] for at in range(0, len(sent), size)]
    assert chunks == [chunk for part in parts for chunk in reader.take(part)]
    assert reader.between


@given(st.binary(max_size=2000))
def test_no_bytes_crash_the_reader_of_frames(data: bytes) -> None:
    """Whatever comes is chunks, or a problem in words."""
    reader = FrameDecoder()
    with contextlib.suppress(Problem):
        assert len(data) >= sum(len(chunk.data) for chunk in reader.take(data))


async def test_who_does_not_ask_for_frames_gets_lines(engine: EngineProcess) -> None:
    """NDJSON is what a plain client is answered; frames are for those that name them."""
    transport = httpx.AsyncHTTPTransport(uds=str(engine.socket))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=60) as http:
        body = {"draft": {"code": "print(1)", "language": "python"}}
        id = (await http.post("/v1/submissions", json=body)).json()["submission"]["id"]
        digest = (await http.get(f"/v1/submissions/{id}")).json()["submission"]["digest"]
        await http.post(f"/v1/submissions/{id}/decision", json={"outcome": "denied", "digest": digest})
        plain = await http.get(f"/v1/runs/{id}/output")
        asked = await http.get(f"/v1/runs/{id}/output", headers={"accept": FRAMES})
    assert ("application/x-ndjson", FRAMES) == (plain.headers["content-type"], asked.headers["content-type"])


def test_a_head_without_end_is_refused() -> None:
    """A reader does not collect a head for ever."""
    with pytest.raises(Problem, match="no stream of output"):
        list(FrameDecoder().take(b"{" * 600))

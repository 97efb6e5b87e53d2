"""What agents get of a case: how it ended, what its code printed, pictures, and links to files."""

from __future__ import annotations

import contextlib

from mcp_types import CallToolResult, ContentBlock

from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import Case, OperationKind, OutputChunk, Result, Stream
from engine.server.mcp.artifacts import links
from engine.server.mcp.images import MOST_BYTES, MOST_PICTURES, blocks, kind_of, named_like_one
from engine.server.mcp.tool_result import answer, guest_output, read, tool_result


class Results:
    """Makes results; `most` bytes of each stream are in one."""

    def __init__(self, most: int) -> None:
        self._most = most

    async def of(self, case: Case, client: Client, *, links: bool) -> CallToolResult:
        """Return what became of a case, with `links` to its files if the agent's program knows such."""
        if case.result is None:
            return answer(tool_result(case))
        chunks, cut = await self._printed(client, case)
        guest = guest_output(chunks, self._most, truncated=cut)
        pictures = await self._pictures(client, case, case.result)
        if _reads(case):
            content = b"".join(chunk.data for chunk in chunks if chunk.stream is Stream.STDOUT)
            guest, pictures = read(content, guest, self._most), [content] if kind_of(content) else []
        more: list[ContentBlock] = [*blocks(pictures), *(_links(case, case.result) if links else ())]
        return answer(tool_result(case, guest), more)

    async def _printed(self, client: Client, case: Case) -> tuple[list[OutputChunk], bool]:
        """Return what a run wrote, a chunk more than is shown at most, and whether there was more."""
        most = MOST_BYTES if _reads(case) else 2 * self._most
        chunks: list[OutputChunk] = []
        taken = 0
        async with contextlib.aclosing(client.output(case.submission.id)) as output:
            async for chunk in output:
                chunks.append(chunk)
                taken += len(chunk.data)
                if taken > most:
                    return chunks, True
        return chunks, False

    async def _pictures(self, client: Client, case: Case, result: Result) -> list[bytes]:
        """Return the first few pictures that a run showed or left."""
        shown = [Untrusted(one.digest) for one in result.displays if one.digest]
        left = [one.name for one in result.artifacts if named_like_one(one.name.text)]
        found: list[bytes] = []
        for name in [*shown, *left][: 2 * MOST_PICTURES]:
            with contextlib.suppress(Problem):
                found.append(await client.artifact(case.submission.id, name))
        return [content for content in dict.fromkeys(found) if kind_of(content)][:MOST_PICTURES]


def _reads(case: Case) -> bool:
    operation = case.submission.draft.operation
    return operation is not None and operation.kind is OperationKind.READ


def _links(case: Case, result: Result) -> list[ContentBlock]:
    return list(links(case.submission.id, result.artifacts))

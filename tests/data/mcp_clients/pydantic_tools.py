"""pydantic-ai, as its agents call tools."""

import asyncio
import json

from fastmcp.client.transports import StdioTransport
from lines import PATIENCE, given, serve
from pydantic_ai import BinaryContent, ModelRetry
from pydantic_ai.mcp import MCPToolset


async def main():
    options = {"read_timeout": PATIENCE} if PATIENCE else {}
    toolset = MCPToolset(StdioTransport(**given()), **options)

    async def call(tool, arguments):
        try:
            said = await toolset.direct_call_tool(tool, arguments)
        except ModelRetry as retry:
            return {"text": str(retry), "pictures": 0, "failed": True}
        parts = said if isinstance(said, list) else [said]
        pictures = sum(isinstance(part, BinaryContent) and part.is_image for part in parts)
        words = [part for part in parts if not isinstance(part, BinaryContent)]
        text = "\n".join(part if isinstance(part, str) else json.dumps(part) for part in words)
        return {"text": text, "pictures": pictures, "failed": False}

    async with toolset:
        await serve(call)


asyncio.run(main())

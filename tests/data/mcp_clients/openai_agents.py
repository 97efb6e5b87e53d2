"""OpenAI's agents SDK, whose calls time out after 5 s unless it is told otherwise."""

import asyncio

from agents.mcp import MCPServerStdio
from lines import PATIENCE, given, of_blocks, serve


async def main():
    options = {"client_session_timeout_seconds": PATIENCE} if PATIENCE else {}
    async with MCPServerStdio(given(), **options) as server:
        await server.list_tools()

        async def call(tool, arguments):
            result = await server.call_tool(tool, arguments)
            return of_blocks(result.content, getattr(result, "is_error", getattr(result, "isError", False)))

        await serve(call)


asyncio.run(main())

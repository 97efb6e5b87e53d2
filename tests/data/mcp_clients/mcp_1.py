"""The official SDK before its second version."""

import asyncio
from datetime import timedelta

from lines import PATIENCE, given, of_blocks, serve
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main():
    patience = timedelta(seconds=PATIENCE) if PATIENCE else None
    async with stdio_client(StdioServerParameters(**given())) as (read, write):
        async with ClientSession(read, write, read_timeout_seconds=patience) as session:
            await session.initialize()

            async def call(tool, arguments):
                result = await session.call_tool(tool, arguments)
                return of_blocks(result.content, result.isError)

            await serve(call)


asyncio.run(main())

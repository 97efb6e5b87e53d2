"""The official SDK since its second version."""

import asyncio

from lines import PATIENCE, given, of_blocks, serve
from mcp import Client, StdioServerParameters


async def main():
    async with Client(StdioServerParameters(**given()), read_timeout_seconds=PATIENCE) as client:

        async def call(tool, arguments):
            result = await client.call_tool(tool, arguments)
            return of_blocks(result.content, result.is_error)

        await serve(call)


asyncio.run(main())

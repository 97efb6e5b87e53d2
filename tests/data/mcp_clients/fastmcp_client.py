"""fastmcp."""

import asyncio

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from lines import PATIENCE, given, of_blocks, serve


async def main():
    async with Client(StdioTransport(**given()), timeout=PATIENCE) as client:

        async def call(tool, arguments):
            result = await client.call_tool(tool, arguments, raise_on_error=False)
            return of_blocks(result.content, result.is_error)

        await serve(call)


asyncio.run(main())

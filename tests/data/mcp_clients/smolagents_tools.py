"""smolagents, whose tools are functions, and return the first block of what came."""

import asyncio

from lines import PATIENCE, given, serve
from mcp import StdioServerParameters
from smolagents import MCPClient


async def main():
    adapter = {"client_session_timeout_seconds": float(PATIENCE)} if PATIENCE else {}
    with MCPClient(
        StdioServerParameters(**given()), adapter_kwargs=adapter, structured_output=False
    ) as listed:
        tools = {tool.name: tool for tool in listed}

        async def call(tool, arguments):
            said = await asyncio.to_thread(lambda: tools[tool](**arguments))
            return {"text": str(said), "pictures": 0, "failed": False}

        await serve(call)


asyncio.run(main())

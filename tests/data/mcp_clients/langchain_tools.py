"""LangChain's adapters, which start a server for each call."""

import asyncio
from datetime import timedelta

from langchain_core.tools import ToolException
from langchain_mcp_adapters.client import MultiServerMCPClient
from lines import PATIENCE, given, serve


async def main():
    options = {"read_timeout_seconds": timedelta(seconds=PATIENCE)} if PATIENCE else {}
    client = MultiServerMCPClient({"pratique": given(transport="stdio", session_kwargs=options)})
    tools = {tool.name: tool for tool in await client.get_tools()}

    async def call(tool, arguments):
        try:
            said = await tools[tool].ainvoke(arguments)
        except ToolException as error:
            return {"text": str(error), "pictures": 0, "failed": True}
        blocks = said if isinstance(said, list) else [{"type": "text", "text": said}]
        text = "\n".join(one["text"] for one in blocks if one["type"] == "text")
        return {"text": text, "pictures": sum("base64" in one for one in blocks), "failed": False}

    await serve(call)


asyncio.run(main())

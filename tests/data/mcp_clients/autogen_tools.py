"""AutoGen's workbench, whose calls time out after 5 s unless it is told otherwise."""

import asyncio

from autogen_ext.tools.mcp import McpWorkbench, StdioServerParams
from lines import PATIENCE, given, serve


async def main():
    options = {"read_timeout_seconds": PATIENCE} if PATIENCE else {}
    async with McpWorkbench(StdioServerParams(**given(), **options)) as workbench:

        async def call(tool, arguments):
            result = await workbench.call_tool(tool, arguments)
            texts = [part.content for part in result.result if part.type == "TextResultContent"]
            pictures = sum(part.type == "ImageResultContent" for part in result.result)
            return {"text": "\n".join(texts), "pictures": pictures, "failed": result.is_error}

        await serve(call)


asyncio.run(main())

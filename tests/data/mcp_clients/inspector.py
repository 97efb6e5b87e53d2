"""MCP Inspector's command line, which starts a server for each call."""

import asyncio
import json

from lines import ABOUT, serve


async def call(tool, arguments):
    """Return what the Inspector prints of a call."""
    variables = [word for name, value in ABOUT["env"].items() for word in ("-e", f"{name}={value}")]
    named = [word for name, value in arguments.items() for word in ("--tool-arg", f"{name}={value}")]
    program = await asyncio.create_subprocess_exec(
        ABOUT["inspector"], "--cli", *variables, ABOUT["command"], *ABOUT["args"],
        "--method", "tools/call", "--tool-name", tool, *named,
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    result = json.loads((await program.communicate())[0])
    texts = [one["text"] for one in result["content"] if one["type"] == "text"]
    pictures = sum(one["type"] == "image" for one in result["content"])
    return {"text": "\n".join(texts), "pictures": pictures, "failed": result.get("isError", False)}


asyncio.run(serve(call))

"""LlamaIndex: `FunctionAgent(tools=[code_tool()], llm=…)`."""

from __future__ import annotations

from llama_index.core.tools import FunctionTool

from engine.client.integrations.code_runner import DESCRIPTION, CodeRunner


def code_tool(requester: str = "llamaindex", *, session: bool = False) -> FunctionTool:
    """Return a tool that runs Python; with `session`, later calls see what earlier ones left."""
    runner = CodeRunner(requester, session=session)

    def run_python(code: str, purpose: str = "") -> str:
        return runner.run_blocking(code, purpose).text

    async def run_python_async(code: str, purpose: str = "") -> str:
        return (await runner.run(code, purpose)).text

    return FunctionTool.from_defaults(
        fn=run_python, async_fn=run_python_async, name="run_python", description=DESCRIPTION
    )

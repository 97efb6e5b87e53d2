"""LangChain: `create_agent(model, tools=[code_tool()])`."""

from __future__ import annotations

from langchain_core.tools import StructuredTool

from engine.client.integrations.code_runner import DESCRIPTION, CodeRunner


def code_tool(requester: str = "langchain", *, session: bool = False) -> StructuredTool:
    """Return a tool that runs Python; with `session`, later calls see what earlier ones left."""
    runner = CodeRunner(requester, session=session)

    def run_python(code: str, purpose: str = "") -> str:
        return runner.run_blocking(code, purpose).text

    async def run_python_async(code: str, purpose: str = "") -> str:
        return (await runner.run(code, purpose)).text

    return StructuredTool.from_function(
        run_python, run_python_async, name="run_python", description=DESCRIPTION
    )

"""OpenAI Agents: `Agent(name=…, tools=[code_tool()])`."""

from __future__ import annotations

from agents import FunctionTool, function_tool

from engine.client.integrations.code_runner import DESCRIPTION, CodeRunner


def code_tool(requester: str = "openai-agents", *, session: bool = False) -> FunctionTool:
    """Return a tool that runs Python; with `session`, later calls see what earlier ones left."""
    runner = CodeRunner(requester, session=session)

    async def run_python(code: str, purpose: str = "") -> str:
        return (await runner.run(code, purpose)).text

    return function_tool(run_python, name_override="run_python", description_override=DESCRIPTION)

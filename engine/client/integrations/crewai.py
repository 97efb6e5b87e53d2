"""CrewAI: `Agent(role=…, tools=[CodeTool()])`."""

from __future__ import annotations

from crewai.tools import BaseTool
from pydantic import BaseModel, Field, PrivateAttr

from engine.client.integrations.code_runner import DESCRIPTION, CodeRunner


class CodeArguments(BaseModel):
    """What a model calls the tool with."""

    code: str = Field(description="The whole program, in Python.")
    purpose: str = Field("", description="What it is for; the reviewer reads this.")


class CodeTool(BaseTool):
    """A tool that runs Python."""

    name: str = "run_python"
    description: str = DESCRIPTION
    args_schema: type[BaseModel] = CodeArguments
    requester: str = "crewai"
    _runner: CodeRunner | None = PrivateAttr(None)

    def _run(self, code: str, purpose: str = "") -> str:
        if self._runner is None:
            self._runner = CodeRunner(self.requester)
        return self._runner.run_blocking(code, purpose).text

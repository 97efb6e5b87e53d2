"""smolagents: `CodeAgent(tools=…, model=…, executor=PratiquePythonExecutor())`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from smolagents import AgentLogger, LogLevel
from smolagents.local_python_executor import CodeOutput
from smolagents.remote_executors import RemotePythonExecutor
from smolagents.utils import AgentError

from engine.client.integrations.code_runner import CodeRunner, in_thread

ANSWER = re.compile(r"FinalAnswerException: (.*)")


class PratiquePythonExecutor(RemotePythonExecutor):
    """Runs an agent's Python in one session; variables, tools and the final answer work as they do locally.

    The tools' own code runs there, too. Packages that they need have to be in the session's image.
    """

    def __init__(
        self,
        additional_imports: Sequence[str] = (),
        logger: AgentLogger | None = None,
        *,
        requester: str = "smolagents",
    ) -> None:
        super().__init__(list(additional_imports), logger or AgentLogger(level=LogLevel.ERROR))
        self._runner = CodeRunner(requester, session=True)

    def run_code_raise_errors(self, code: str) -> CodeOutput:
        """Run code. Raises AgentError, which the agent reads, if it is denied or fails."""
        outcome = self._runner.run_blocking(code, "a step of an agent")
        if outcome.succeeded:
            return CodeOutput(output=None, logs=outcome.stdout + outcome.stderr, is_final_answer=False)
        answers = ANSWER.findall(outcome.stderr)
        if answers:
            return CodeOutput(self._answer(answers[-1]), outcome.stdout, is_final_answer=True)
        raise AgentError(outcome.text, self.logger)

    def install_packages(self, additional_imports: list[str]) -> list[str]:
        """Take packages to be in the image: nothing is installed without a version and a review."""
        return additional_imports

    def cleanup(self) -> None:
        """Close the session."""
        in_thread(self._runner.close())

    def _answer(self, encoded: str) -> Any:
        return self._deserialize_final_answer(encoded.strip(), allow_pickle=False)

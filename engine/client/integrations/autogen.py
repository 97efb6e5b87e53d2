"""AutoGen: `CodeExecutorAgent("coder", code_executor=PratiqueCodeExecutor())`."""

from __future__ import annotations

import asyncio

from autogen_core import CancellationToken
from autogen_core.code_executor import CodeBlock, CodeExecutor, CodeResult

from engine.client.integrations.code_runner import CodeRunner
from engine.models import Language

LANGUAGES = {
    "python": Language.PYTHON,
    "py": Language.PYTHON,
    "sh": Language.SHELL,
    "bash": Language.SHELL,
    "shell": Language.SHELL,
    "javascript": Language.JAVASCRIPT,
    "js": Language.JAVASCRIPT,
}
NOT_RUN = 125
"""The exit code of code that did not run, or was killed."""


class PratiqueCodeExecutor(CodeExecutor):
    """Runs the code blocks of a message, each in a fresh sandbox, until one fails."""

    def __init__(self, requester: str = "autogen") -> None:
        self._runner = CodeRunner(requester)

    async def execute_code_blocks(
        self, code_blocks: list[CodeBlock], cancellation_token: CancellationToken
    ) -> CodeResult:
        """Run code blocks one after another. Raises ValueError for another language than Pratique's."""
        said: list[str] = []
        for block in code_blocks:
            task = asyncio.ensure_future(self._runner.run(block.code, "a code block", _language(block)))
            cancellation_token.link_future(task)
            outcome = await task
            said.append(outcome.text)
            if not outcome.succeeded:
                return CodeResult(outcome.exit_code or NOT_RUN, "\n".join(said))
        return CodeResult(0, "\n".join(said))

    async def start(self) -> None:
        """Start nothing: each block has a sandbox of its own."""

    async def stop(self) -> None:
        """Stop nothing: a sandbox ends with its block."""

    async def restart(self) -> None:
        """Forget nothing: no block sees another."""


def _language(block: CodeBlock) -> Language:
    try:
        return LANGUAGES[block.language.lower()]
    except KeyError:
        raise ValueError(f"Pratique runs {', '.join(LANGUAGES)}, not {block.language}") from None

"""Clients of MCP that others wrote, as programs in environments of their own."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.ecosystem import environments
from tests.engine_process import EngineProcess

PROGRAMS = Path(__file__).parents[1] / "data" / "mcp_clients"
START_SECONDS = 120.0
CALL_SECONDS = 120.0
SDK, INSPECTOR = "@modelcontextprotocol/sdk@1", "@modelcontextprotocol/inspector@0.15"


@dataclass(frozen=True)
class ForeignClient:
    """A client: its program, and what it is made of."""

    name: str
    program: str
    requirements: tuple[str, ...]
    pictures: bool = True
    """Whether it gives pictures to its agent."""
    marks_failures: bool = True
    """Whether its agent can tell an error from a result by more than the words."""


CLIENTS = (
    ForeignClient("mcp 1", "mcp_1.py", ("mcp>=1.30,<2",)),
    ForeignClient("mcp 2", "mcp_2.py", ("mcp>=2.3,<3",)),
    ForeignClient("TypeScript SDK", "typescript.mjs", (SDK,)),
    ForeignClient("Inspector", "inspector.py", (INSPECTOR,)),
    ForeignClient("fastmcp", "fastmcp_client.py", ("fastmcp>=4.1",)),
    ForeignClient("LangChain", "langchain_tools.py", ("langchain-mcp-adapters>=0.3",), marks_failures=False),
    ForeignClient("pydantic-ai", "pydantic_tools.py", ("pydantic-ai-slim[mcp]>=2",)),
    ForeignClient("openai-agents", "openai_agents.py", ("openai-agents>=0.24",)),
    ForeignClient(
        "smolagents",
        "smolagents_tools.py",
        ("smolagents[mcp]>=1.26", "mcp<2"),
        pictures=False,
        marks_failures=False,
    ),
    ForeignClient("AutoGen", "autogen_tools.py", ("autogen-ext[mcp]>=0.7", "autogen-agentchat", "mcp<2")),
)


@dataclass(frozen=True)
class Answer:
    """What an agent gets of a call through its client."""

    text: str
    pictures: int
    failed: bool

    @property
    def status(self) -> str:
        """The status that the text names, or "" where it names none."""
        return _field(self.text, "status")

    @property
    def id(self) -> str:
        """The id of the submission that the text names."""
        return _field(self.text, "id")


def _field(text: str, name: str) -> str:
    found = re.search(rf'"{name}": ?"([^"]*)"', text)
    return found[1] if found else ""


class Conversation:
    """Calls through a client, one after another."""

    def __init__(self, agent: str, process: asyncio.subprocess.Process, log: Path) -> None:
        self.agent = agent
        """The name of the registered agent."""
        self._process = process
        self._log = log

    async def call(self, tool: str, **arguments: Any) -> Answer:
        """Call a tool and return what the agent gets."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"tool": tool, "arguments": arguments}).encode() + b"\n")
        async with asyncio.timeout(CALL_SECONDS):
            return Answer(**await self.read())

    async def read(self) -> dict[str, Any]:
        """Return the next line of the program."""
        assert self._process.stdout is not None
        line = await self._process.stdout.readline()
        assert line, f"the client ended: {self._log.read_text()[-2000:]}"
        said: dict[str, Any] = json.loads(line)
        return said


@contextlib.asynccontextmanager
async def talking(
    client: ForeignClient, engine: EngineProcess, agent: str, patience: float | None = None
) -> AsyncIterator[Conversation]:
    """Start a client for a registered agent; `patience` is its time-out in seconds, None its own default."""
    command, more = _command(client)
    about = {**_server(engine, agent), **more, "patience": patience}
    path = engine.home / f"{client.program}.log"
    log = path.open("ab")
    process = await asyncio.create_subprocess_exec(
        *command,
        json.dumps(about),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=log,
        env=environments.environment_of(Path(command[0]).parent),
        limit=1 << 24,
    )
    conversation = Conversation(agent, process, path)
    try:
        async with asyncio.timeout(START_SECONDS):
            assert {"ready": True} == await conversation.read()
        yield conversation
    finally:
        assert process.stdin is not None
        process.stdin.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), 20)
        if process.returncode is None:
            process.kill()
            await process.wait()
        log.close()


def _command(client: ForeignClient) -> tuple[tuple[str, ...], dict[str, str]]:
    program = str(PROGRAMS / client.program)
    if client.program.endswith(".mjs"):
        modules = environments.modules_with(*client.requirements)
        return (str(environments.node() / "node"), program), {"modules": str(modules)}
    if client.requirements == (INSPECTOR,):
        folder = environments.modules_with(*client.requirements)
        return (sys.executable, program), {"inspector": str(folder / "node_modules/.bin/mcp-inspector")}
    return (str(environments.python_with(*client.requirements)), program), {}


def _server(engine: EngineProcess, agent: str) -> dict[str, Any]:
    program = f"import sys; from engine.cli import main; sys.exit(main(['mcp', '--name', '{agent}']))"
    environment = {"PRATIQUE_HOME": str(engine.home)}
    return {"command": sys.executable, "args": ["-c", program], "env": environment}

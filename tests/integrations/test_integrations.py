"""The program of each integration's page, with the real package, in an environment of its own."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path

import httpx
import pytest

from engine.client.client import Client
from engine.models import DecisionOutcome
from tests.ecosystem.environments import environment_of, python_with
from tests.engine.server.deciding import deciding
from tests.engine_process import EngineProcess
from tests.packages.light_client import write_sources

PAGES = Path(__file__).parents[2] / "docs" / "integrations"
CLIENT = ("httpx>=0.28", "platformdirs>=4.3", "pydantic>=2.12", "typing-extensions>=4.14")
PACKAGES = {
    "autogen": ("autogen-agentchat>=0.7",),
    "crewai": ("crewai>=1",),
    "inspect-ai": ("inspect-ai>=0.3.200",),
    "langchain": ("langchain-core>=1",),
    "llamaindex": ("llama-index-core>=0.14",),
    "openai-agents": ("openai-agents>=0.24",),
    "smolagents": ("smolagents>=1.26",),
}

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the light client."""
    folder = tmp_path_factory.mktemp("client")
    write_sources(folder)
    return folder


def blocks(page: Path, language: str) -> list[str]:
    """Return the blocks of a language of a page."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("name", sorted(PACKAGES))
async def test_the_program_of_a_page_prints_what_the_page_says(
    engine: EngineProcess, client: Client, sources: Path, name: str
) -> None:
    """A person approves what it submits."""
    page = PAGES / f"{name}.md"
    ((program,), (expected,)) = blocks(page, "python"), blocks(page, "text")
    python = python_with(*PACKAGES[name], *CLIENT)
    async with deciding(client, DecisionOutcome.APPROVED):
        assert expected == await _printed(python, program, engine, sources)


@pytest.mark.parametrize("name", ["langchain"])
async def test_a_denial_is_what_the_model_is_told(
    engine: EngineProcess, client: Client, sources: Path, name: str
) -> None:
    """It did not run, and why."""
    ((program,),) = (blocks(PAGES / f"{name}.md", "python"),)
    async with deciding(client, DecisionOutcome.DENIED):
        said = await _printed(python_with(*PACKAGES[name], *CLIENT), program, engine, sources)
    assert "It did not run (denied): so it is\n" == said


async def test_the_unchanged_sdk_of_e2b_runs_here(
    engine: EngineProcess, client: Client, sources: Path
) -> None:
    """Create, run code with results and errors, files, kill; without the sandbox's token nothing."""
    page = PAGES / "e2b.md"
    ((program,), (expected,)) = blocks(page, "python"), blocks(page, "text")
    python = python_with("e2b-code-interpreter>=2", *CLIENT)
    settings = {"PRATIQUE_HOME": str(engine.home), "PYTHONPATH": str(sources)}
    command = (str(python), "-m", "pratique.integrations.e2b", "--port", "0")
    server = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, env={**environment_of(python.parent), **settings}
    )
    try:
        assert server.stdout is not None
        words = (await server.stdout.readline()).decode().split()[1:]
        address = dict(word.split("=", 1) for word in words)
        async with deciding(client, DecisionOutcome.APPROVED):
            assert expected == await _printed(python, program, engine, sources, **address)
        async with httpx.AsyncClient(base_url=address["E2B_API_URL"]) as stranger:
            answer = await stranger.post("/execute", json={"code": "1"}, headers={"e2b-sandbox-id": "ses-0"})
            refused = await stranger.post("/sandboxes", json={}, headers={"x-api-key": "guess"})
        assert (401, 401) == (answer.status_code, refused.status_code)
    finally:
        server.terminate()
        await server.wait()


def test_each_page_has_a_test() -> None:
    """No integration without one, and no page without an integration."""
    tested_elsewhere = {"e2b"}
    assert {page.stem for page in PAGES.glob("*.md")} - tested_elsewhere == set(PACKAGES)


async def _printed(python: Path, program: str, engine: EngineProcess, sources: Path, **more: str) -> str:
    settings = {"PRATIQUE_HOME": str(engine.home), "PYTHONPATH": str(sources), "OTEL_SDK_DISABLED": "true"}
    file = engine.home / "program.py"
    file.write_text(program)
    process = await asyncio.create_subprocess_exec(
        str(python),
        str(file),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**environment_of(python.parent), **settings, **more, "HOME": os.environ.get("HOME", "/")},
        cwd=engine.home,
    )
    async with asyncio.timeout(170):
        printed, said = await process.communicate()
    assert 0 == process.returncode, said.decode()[-3000:]
    return printed.decode()

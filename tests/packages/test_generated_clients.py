"""Clients that generators make from the OpenAPI document submit to a real engine and read what came of it.

The generators are installed from the registries of their languages, into folders of their own.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.models import Scope
from tests.engine_process import EngineProcess
from tests.packages.api_reference import document
from tests.tls import free_port

SECONDS = 200
UNKNOWN_FORMATS = {"/v1/history/{id}/case"}
"""The one operation whose answer, a ZIP, the generator for Python leaves out."""
PYTHON = """
import sys
import httpx
from generated.api.submissions import get_submission, submit
from generated.client import Client
from generated.models import Draft, Language, ProblemBody, SubmitRequest

transport = httpx.HTTPTransport(uds=sys.argv[1])
with Client("http://localhost", httpx_args={"transport": transport}) as client:
    draft = Draft(code="print(6 * 7)", language=Language.PYTHON)
    made = submit.sync(client=client, body=SubmitRequest(draft=draft, requester="generated"))
    case = get_submission.sync(made.submission.id, client=client)
    missing = get_submission.sync("s-0", client=client)
    assert isinstance(missing, ProblemBody)
    print(case.status, case.submission.requester.name, missing.type_)
"""
TYPESCRIPT = """
import createClient from "openapi-fetch";
import type { components, paths } from "./api";

declare const process: { argv: string[] };
const [address, token] = process.argv.slice(2);
const client = createClient<paths>({
  baseUrl: address,
  headers: { authorization: `Bearer ${token}` },
});
const draft: components["schemas"]["Draft"] = { code: "print(6 * 7)", language: "python" };
const made = await client.POST("/v1/submissions", { body: { draft } });
const id = made.data!.submission.id;
const found = await client.GET("/v1/submissions/{id}", { params: { path: { id } } });
const missing = await client.GET("/v1/submissions/{id}", { params: { path: { id: "s-0" } } });
console.log(found.data!.status, found.data!.submission.requester.name, missing.error!.type);
"""
PACKAGES = ("openapi-typescript@7", "openapi-fetch@0", "typescript@5")
OPTIONAL = ("--default-non-nullable", "false")
"""A field that has a default may be left out of what is sent."""
OPTIONS = ("--strict", "--module", "esnext", "--target", "esnext", "--moduleResolution", "bundler")


def run(*command: str, folder: Path) -> str:
    """Run a command in a folder; return all that it said."""
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False, env=os.environ
    )
    assert 0 == done.returncode, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the OpenAPI document as a file."""
    path = tmp_path_factory.mktemp("generated") / "openapi.json"
    path.write_text(json.dumps(document()))
    return path


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[tuple[EngineProcess, str]]:
    """Yield an engine that listens on a TCP address too, and the address."""
    where = f"127.0.0.1:{free_port()}"
    process = EngineProcess(tmp_path, PRATIQUE_SERVER__LISTEN=where)
    process.start()
    yield process, f"http://{where}"
    process.end()


def test_a_client_in_python_is_generated_and_used(described: Path, engine: EngineProcess) -> None:
    """openapi-python-client leaves out no schema and one answer; its client submits and reads a problem."""
    folder = described.parent / "python"
    folder.mkdir()
    run(sys.executable, "-m", "venv", "env", folder=folder)
    run("env/bin/python", "-m", "pip", "install", "-q", "openapi-python-client>=0.29", folder=folder)
    options = ("--path", str(described), "--output-path", "generated", "--meta", "none")
    said = run("env/bin/openapi-python-client", "generate", *options, folder=folder)
    assert UNKNOWN_FORMATS == set(re.findall(r"WARNING parsing \w+ (\S+) within", said))
    assert not re.search(r"(?i)unable to parse|schema.{0,40}(omitted|ignored|removed)", said)
    (folder / "job.py").write_text(PYTHON)
    told = run("env/bin/python", "job.py", str(engine.socket), folder=folder)
    assert "pending generated urn:pratique:problem:not-found" == told.strip()


async def test_a_client_in_typescript_is_generated_and_used(
    described: Path, listening: tuple[EngineProcess, str]
) -> None:
    """openapi-typescript's types hold in a strict program, which submits over TCP and reads a problem."""
    engine, address = listening
    folder = described.parent / "typescript"
    folder.mkdir()
    (folder / "package.json").write_text('{"type": "module"}')
    run("npm", "install", "--no-audit", "--no-fund", "--silent", *PACKAGES, folder=folder)
    run("npx", "openapi-typescript", str(described), "-o", "api.ts", *OPTIONAL, folder=folder)
    (folder / "job.ts").write_text(TYPESCRIPT)
    run("npx", "tsc", *OPTIONS, "--skipLibCheck", "--lib", "esnext,dom", "job.ts", folder=folder)
    async with engine.client() as client:
        token = await client.tokens.create("typescript", (Scope.SUBMIT,), days=1)
    told = run("node", "job.js", address, token.secret, folder=folder)
    assert "pending typescript urn:pratique:problem:not-found" == told.strip()

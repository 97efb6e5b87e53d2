"""Runs code in inspect_ai's Docker sandbox, a new one each time: a line of JSON for each."""

import asyncio
import json
import os
import sys
import tempfile
import time
from pathlib import Path

from inspect_ai.util._sandbox.docker.docker import DockerSandboxEnvironment

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


async def run(code):
    """Run code once."""
    with tempfile.TemporaryDirectory() as folder:
        compose = Path(folder, "compose.yaml")
        service = f'image: {sys.argv[1]}\n    entrypoint: ["sleep", "infinity"]\n    network_mode: none'
        compose.write_text(f"services:\n  default:\n    {service}\n")
        await DockerSandboxEnvironment.task_init("bench", str(compose))
        boxes = await DockerSandboxEnvironment.sample_init("bench", str(compose), {})
        try:
            return (await boxes["default"].exec(["python3", "-c", code])).stdout
        finally:
            await DockerSandboxEnvironment.sample_cleanup("bench", str(compose), boxes, False)


for line in sys.stdin:
    began = time.perf_counter()
    try:
        said = asyncio.run(run(json.loads(line)["code"]))
        answer = {"total": time.perf_counter() - began, "text": said[:4000], "size": len(said)}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    answers.write(json.dumps(answer) + "\n")
    answers.flush()

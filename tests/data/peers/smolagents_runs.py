"""Runs code in smolagents' Docker executor, a new one each time: a line of JSON for each."""

import json
import os
import sys
import time

from smolagents import AgentLogger
from smolagents.remote_executors import DockerExecutor

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
for line in sys.stdin:
    code = json.loads(line)["code"]
    began = time.perf_counter()
    try:
        executor = DockerExecutor([], AgentLogger(level=0))
        said = executor(code)
        executor.cleanup()
        answer = {"total": time.perf_counter() - began, "text": said.logs[:4000], "size": len(said.logs)}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    answers.write(json.dumps(answer) + "\n")
    answers.flush()

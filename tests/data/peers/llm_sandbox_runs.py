"""Runs code in llm-sandbox's Docker sandbox, a new one each time: a line of JSON for each."""

import json
import os
import sys
import time

from llm_sandbox import SandboxSession

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
for line in sys.stdin:
    code = json.loads(line)["code"]
    began = time.perf_counter()
    try:
        with SandboxSession(
            lang="python",
            image=sys.argv[1],
            skip_environment_setup=True,
            workdir="/workspace",
            runtime_configs={"command": ["sleep", "infinity"]},  # the image's own command waits for Pratique
        ) as box:
            said = box.run(code)
        answer = {"total": time.perf_counter() - began, "text": said.stdout[:4000], "size": len(said.stdout)}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    answers.write(json.dumps(answer) + "\n")
    answers.flush()

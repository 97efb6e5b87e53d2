"""Serves one client of MCP to a test: a line of JSON comes for each call, and a line of JSON answers it.

It runs in the client's own environment, with the standard library alone.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys

ABOUT = json.loads(sys.argv[1])
"""`command`, `args` and `env` of the server, and `patience`: seconds, or null for the client's default."""
PATIENCE = ABOUT["patience"]
ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what a client prints is no answer


def given(**more):
    """Return how the server is started."""
    return {"command": ABOUT["command"], "args": ABOUT["args"], "env": ABOUT["env"], **more}


def of_blocks(blocks, failed):
    """Return an answer of blocks of content that have a `type` and `text`."""
    texts = [block.text for block in blocks if block.type == "text"]
    pictures = sum(block.type == "image" for block in blocks)
    return {"text": "\n".join(texts), "pictures": pictures, "failed": bool(failed)}


async def serve(call):
    """Answer calls until the input ends."""
    say({"ready": True})
    while line := await asyncio.to_thread(sys.stdin.readline):
        asked = json.loads(line)
        try:
            answer = await call(asked["tool"], asked["arguments"])
        except Exception as error:
            answer = {"text": f"{type(error).__name__}: {error}", "pictures": 0, "failed": True}
        say(answer)


def say(answer):
    """Write an answer."""
    ANSWERS.write(json.dumps(answer) + "\n")
    ANSWERS.flush()

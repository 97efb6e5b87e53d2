"""What E2B's SDK reads and writes: the output of an execution, and paths."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any

from engine.models.api import OutputLine

HOME = "/home/user/"
"""Where the SDK's relative paths begin; files of a session lie below `/workspace`."""
ERROR = re.compile(r"^([A-Za-z_][\w.]*): ?(.*)$", re.MULTILINE)


async def as_the_sdk_reads(lines: AsyncIterator[OutputLine]) -> AsyncIterator[dict[str, Any]]:
    """Yield the lines of an execution as the SDK reads them."""
    errors = ""
    async for line in lines:
        if line.image is not None:
            yield {"type": "result", "png": line.image, "is_main_result": False}
        elif line.mime is not None:
            yield {"type": "result", "text": line.text, "is_main_result": line.mime == "text/plain"}
        elif line.text is not None:
            stream = line.stream.value if line.stream else "stdout"
            errors += line.text if stream == "stderr" else ""
            yield {"type": stream, "text": line.text, "timestamp": 0}
        elif line.error is not None:
            name, value = (ERROR.findall(errors) or [("Error", line.error)])[-1]
            yield {"type": "error", "name": name, "value": value, "traceback": errors or line.error}
    yield {"type": "number_of_executions", "execution_count": 1}


def below(path: str) -> str:
    """Return a path of the SDK as one below `/workspace`."""
    return path.removeprefix(HOME).removeprefix("/workspace/").lstrip("/")

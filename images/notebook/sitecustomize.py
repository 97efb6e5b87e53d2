"""Put matplotlib's font list where it may also write: without it, the first plot searches for fonts."""

import contextlib
import os
import shutil

# Every interpreter of a sandbox starts here, so pathlib's import is too dear.
target = os.environ.get("MPLCONFIGDIR", "")
if target and not os.path.exists(target):
    with contextlib.suppress(OSError):
        shutil.copytree("/opt/matplotlib", target, copy_function=shutil.copyfile)

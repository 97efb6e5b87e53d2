"""Rules for secrets and information about the machine."""

from __future__ import annotations

from engine.analysis.python.declare import python_rule
from engine.models import Level

SECRET = python_rule(
    "py-secret-environment",
    "Secrets are read from the environment",
    "secrets_env",
    Level.HIGH,
    attack="Collects keys, tokens and passwords.",
    why="HIGH: everything is collected; MEDIUM for keys of several services; LOW for one.",
    fix="Request the secret by reference.",
    match=(
        "import os\nos.environ['AWS_SECRET_ACCESS_KEY']",
        "import os\nprint(dict(os.environ))",
        "import win32crypt\nwin32crypt.CryptUnprotectData(b)",
    ),
    not_match=("import os\nos.environ['PATH']",),
    cwe=526,
    owasp="LLM02",
)
RECON = python_rule(
    "py-recon",
    "Information about the machine or its user is collected",
    "recon",
    Level.LOW,
    attack="Distinguishes a sandbox from a target, and one target from another.",
    why=("LOW: a single fact is common; MEDIUM for the user's name, processes, or three or more facts."),
    fix="Remove what the purpose does not need.",
    match=(
        "import platform\nplatform.system()",
        "import getpass\ngetpass.getuser()",
        "import psutil\npsutil.cpu_percent()",
    ),
    not_match=("platform()",),
    cwe=200,
)

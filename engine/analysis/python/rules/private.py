"""Rules about secrets, facts about the machine, and what a person sees and types."""

from __future__ import annotations

from engine.analysis.python.rules.make import python_rule
from engine.models import Level

ENVIRONMENT = python_rule(
    "py-environment",
    "The environment is read",
    "secrets_env",
    Level.LOW,
    attack="Looks for keys and tokens.",
    why="LOW: a named variable is common; the sandbox's environment is empty.",
    fix="Ask for the value as an input or a secret by reference.",
    match=("import os\nos.getenv('HOME')", "import os\nos.environ['PATH']"),
    not_match=("environ['a']",),
    cwe=526,
)
SECRET = python_rule(
    "py-secret-environment",
    "Secrets are read from the environment",
    "secrets_env",
    Level.MEDIUM,
    attack="Collects keys, tokens and passwords.",
    why="MEDIUM: clients of services read one; CRITICAL where it is sent out.",
    fix="Ask for the secret by reference.",
    match=(
        "import os\nos.environ['AWS_SECRET_ACCESS_KEY']",
        "import os\nprint(dict(os.environ))",
        "import win32crypt\nwin32crypt.CryptUnprotectData(b)",
    ),
    not_match=("import os\nos.environ['PATH']",),
    cwe=526,
    owasp="LLM02",
)
HARDCODED = python_rule(
    "py-hardcoded-secret",
    "A token stands in the code",
    "secrets_env",
    Level.MEDIUM,
    attack="Lets every reader use it, or sends stolen data to the attacker's own account.",
    why="MEDIUM: its form is that of a real token.",
    fix="Ask for the secret by reference, and revoke this one.",
    match=("t = 'AKIAIOSFODNN7EXAMPLE'", "t = 'ghp_' 'abcdefghijklmnopqrstuvwxyz0123456789'"),
    not_match=("t = 'AKIA'",),
    cwe=798,
)
RECON = python_rule(
    "py-recon",
    "Facts about the machine or its user are gathered",
    "recon",
    Level.LOW,
    attack="Tells a sandbox from a target, and one target from another.",
    why="LOW: one fact is common; MEDIUM for the user's name, processes, or three facts and more.",
    fix="Remove what the purpose does not need.",
    match=(
        "import platform\nplatform.system()",
        "import getpass\ngetpass.getuser()",
        "import psutil\npsutil.cpu_percent()",
    ),
    not_match=("platform()",),
    cwe=200,
)
WATCH = python_rule(
    "py-watch-user",
    "The screen, keyboard, clipboard or camera is watched",
    "recon",
    Level.MEDIUM,
    attack="Sees what the person sees and types: passwords first of all.",
    why="MEDIUM: desktop helpers do it too; HIGH for keys.",
    fix="Remove it.",
    match=(
        "import pyperclip\npyperclip.paste()",
        "from PIL import ImageGrab\nImageGrab.grab()",
        "from pynput import keyboard\nkeyboard.Listener(f)",
    ),
    not_match=("pyperclip", "import pyperclip\npyperclip.copy('a')"),
    cwe=200,
)

RULES = (ENVIRONMENT, SECRET, HARDCODED, RECON, WATCH)

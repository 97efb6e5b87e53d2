"""Rules for imported and requested packages."""

from __future__ import annotations

from engine.analysis.python.declare import python_rule
from engine.models import Level

ATTACK_IMPORT = python_rule(
    "py-attack-module",
    "A module made for attacks or obfuscation is imported",
    "malware",
    Level.HIGH,
    attack="Forges packets, logs keys, obfuscates code or controls the machine remotely.",
    why="HIGH: these modules are made for attacks or for hiding code.",
    fix="Remove it.",
    match=("from scapy.all import *", "from pyarmor_runtime_000000 import __pyarmor__", "import pynput"),
    not_match=("import scipy",),
    cwe=506,
)
IMPERSONATION = python_rule(
    "py-package-lookalike",
    "A module's name looks like a popular one",
    "supply_chain",
    Level.MEDIUM,
    attack="Waits under a misspelt name for a user to install it.",
    why="MEDIUM: one letter from a popular package, and not a known package itself.",
    fix="Import the intended package.",
    match=("import reqeusts", "import numpyy"),
    not_match=("import requests", "import mymodule"),
    cwe=1357,
    owasp="LLM03",
)

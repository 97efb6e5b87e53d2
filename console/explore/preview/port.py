"""The port on which code listens, guessed from its text."""

from __future__ import annotations

import re

READ_CHARACTERS = 64 * 1024
PORT = re.compile(
    r"""\bport["']?\s{0,3}[=:]\s{0,3}(\d{2,5})\b|\blisten\(\s{0,3}(\d{2,5})\b"""
    r"""|\(\s{0,3}["'][\w.:]{0,40}["']\s{0,3},\s{0,3}(\d{2,5})\b|--(?:server\.)?port[ =](\d{2,5})\b""",
    re.IGNORECASE,
)
USUAL = {"flask": 5000, "streamlit": 8501, "vite": 5173, "express": 3000, "gradio": 7860, "dash": 8050}
"""Where programs of these libraries listen that do not say where."""
DEFAULT = 8000
HIGHEST = 65535


def port_of(code: str) -> int:
    """Return the port that code names first, or the usual one of its library."""
    text = code[:READ_CHARACTERS]
    for found in PORT.finditer(text):
        port = int(next(filter(None, found.groups())))
        if port <= HIGHEST:
            return port
    return next((port for name, port in USUAL.items() if name in text.lower()), DEFAULT)

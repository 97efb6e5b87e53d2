"""Rules for the network and the data sent over it."""

from __future__ import annotations

from engine.analysis.python.declare import python_rule
from engine.models import Level

NETWORK = python_rule(
    "py-network",
    "The network is used",
    "net_access",
    Level.MEDIUM,
    attack="Connects to other machines: internal ones, or the attacker's.",
    why=("MEDIUM: legitimate code fetches data; HIGH where private data or a program is transferred."),
    fix="Request the domain as a permission, and name it in the purpose.",
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
    attack="Accepts connections from an attacker.",
    why="MEDIUM: a local server looks the same.",
    fix="Remove it: a run in the sandbox serves no clients.",
    match=(
        "import socket\ns = socket.socket()\ns.bind(('', 80))",
        "import http.server as h\nh.HTTPServer(a, b)",
    ),
    not_match=("import socket\nsocket.socket()", "w.bind('<Key>', f)"),
    cwe=605,
)
DOWNLOAD = python_rule(
    "py-download",
    "Data from the network is written to a file",
    "net_download",
    Level.MEDIUM,
    attack="Brings in a program or a payload that was not reviewed.",
    why=("MEDIUM: data is downloaded too; HIGH where it is a program or is written to a system path."),
    fix="Add the file to the input files of the submission.",
    match=(
        "import urllib.request\nurllib.request.urlretrieve(u, 'a')",
        "import requests\nopen('a', 'wb').write(requests.get(u).content)",
    ),
    not_match=("import requests\nrequests.get(u)",),
    cwe=494,
)
DOWNLOAD_RUN = python_rule(
    "py-download-run",
    "Code from the network is run",
    "net_download",
    Level.CRITICAL,
    attack="Runs whatever the server sends at that moment.",
    why="CRITICAL: the code that runs is not the code that was reviewed.",
    fix="Request the package as a permission, or add the file to the input files.",
    match=(
        "import urllib.request, os\nurllib.request.urlretrieve(u, '/tmp/a')\nos.chmod('/tmp/a', 0o755)",
        "import urllib.request, os\nurllib.request.urlretrieve(u, 'a.py')\nos.system('python a.py')",
    ),
    not_match=("import urllib.request\nurllib.request.urlretrieve(u, 'a.csv')",),
    cwe=494,
)

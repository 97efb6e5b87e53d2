"""Network clients: requests, downloads, uploads."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from engine.analysis.python.declare import python_rule
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.patterns import HOLE, pattern_of
from engine.analysis.python.evaluate.sink_registry import (
    ANY_OBJECT,
    CALLS,
    METHODS,
    PREFIXES,
    PythonCall,
    handles,
)
from engine.analysis.python.evaluate.values import PythonValue, Taint
from engine.analysis.python.rules import network as rules
from engine.analysis.python.sinks import paths
from engine.analysis.python.sinks.outgoing import outgoing, report_destination
from engine.analysis.python.word_lists import words
from engine.models import EffectKind, Level

INSECURE_TLS = python_rule(
    "py-insecure-transport",
    "The server's certificate is not checked",
    "vuln_lint",
    Level.MEDIUM,
    attack="Lets anyone on the network path impersonate the server.",
    why="MEDIUM: needs an attacker on the network path.",
    fix="Remove `verify=False`.",
    match=("import requests\nrequests.get(u, verify=False)", "import ssl\nssl._create_unverified_context()"),
    not_match=("import requests\nrequests.get(u, verify=True)",),
    cwe=295,
)


_CALM = re.compile(
    r"^(?:requests\.(?:exceptions|utils|structures|codes|compat|adapters|auth|models)|http\.(?:HTTPStatus|cookies|cookiejar)|"
    r"urllib\.(?:parse|error|robotparser)|urllib\.request\.(?:Request|quote|build_opener|ProxyHandler|pathname2url|HTTP\w*Handler)|"
    r"socket\.(?:inet_|hto|nto|gethostname|getfqdn|gethostbyname|setdefaulttimeout|getdefaulttimeout|timeout|error|AF_|SO)|"
    r"aiohttp\.(?:Client(?:Timeout|Error)|TCPConnector|web\.Response)|httpx\.Timeout|"
    r"http\.server\.(?:BaseHTTP|SimpleHTTP)\w*$|"
    r"\w+\.(?:Timeout|Session|session|ClientSession|Client|AsyncClient|PoolManager|Retry|HTTPAdapter)$)"
)
_RESULT_READS = re.compile(
    r"\(\)\.(?:json|read|text|iter_content|iter_lines|raise_for_status|decode|close|getcode|info|geturl|readlines|"
    r"settimeout|setsockopt|getsockname|fileno|shutdown|setblocking|getpeername|makefile|quit|login|starttls|ehlo|"
    r"add_header|mount|headers|cookies|get_all|update|encode|split|strip|readline|getheader|iter_any|release)\b"
)
_RAISED = re.compile(
    r"\.\w*(?:Error|Exception|Warning|Timeout)$|\.(?:str|int|len|print|input|disable_warnings)$"
)
"""What a library raises, and built-in names that are taken for its own."""
_READING = frozenset(words("get head options urlopen"))
_ADDRESS = re.compile(r"^\w+://[\w.-]+\.[a-z]{2,}(?::\d+)?(?:[/?#]|$)", re.IGNORECASE)
"""The address of a host that has a name, before anything that is known only at run time."""
_HOST = re.compile(r"^[\w\ufffc-]+(?:\.[\w\ufffc-]+)*\.?$|^[0-9a-fA-F:]+$")
LOCAL = re.compile(r"^(?:localhost|127\.|::1|\[::1\])")


def _client(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Anything that a network library does."""
    name = call.name
    if _CALM.match(name) or _RAISED.search(name):
        return _made(call)
    if _RESULT_READS.search(name):
        taint = call.receiver.taint if call.receiver is not None else 0
        value = PythonValue(name=f"{name}()", taint=taint | call.taint)
        value.trail = call.receiver.trail if call.receiver is not None else ()
        return value
    verb = name.rpartition(".")[2]
    known = ANY_OBJECT.get(verb)
    if known is not None:
        known(evaluator, call)
    return report_request(evaluator, call, verb)


_REQUEST = ("url", "data", "headers")


def _made(call: PythonCall) -> PythonValue:
    """Return an object of a library that reaches nobody yet; a request knows its parts."""
    value = PythonValue(name=f"{call.name}()", taint=call.taint)
    value.items = dict(enumerate(call.args))
    if call.name.endswith(".Request"):
        at = 0 if call.name.startswith("urllib") else 1
        parts = {key: call.arg(at + index, key) for index, key in enumerate(_REQUEST)}
        value.items = {**call.keywords, **parts}
    return value


def report_request(evaluator: Evaluator, call: PythonCall, verb: str) -> PythonValue:
    """Report one use of the network, and what goes out with it."""
    address = address_of(call)
    add_network_effects(evaluator, call, address)
    where = f" of `{address.replace(HOLE, '…')[:120]}`" if address else ""
    evaluator.report(rules.NETWORK, call.node, f"`{verb}`{where}", severity=_weight(call, verb, address))
    evaluator.add_fact("network", call.node)
    report_destination(evaluator, call, verb)
    verify = call.keywords.get("verify")
    if verify is not None and verify.const is False:
        evaluator.report(INSECURE_TLS, call.node, "`verify=False`")
    value = PythonValue(name=f"{call.name}()", taint=Taint.NETWORK)
    value.trail = (call.node,)
    return value


def _weight(call: PythonCall, verb: str, address: str | None) -> Level | None:
    """Reading from a host that the code names is what a script does."""
    reads = verb in _READING and not outgoing(call, verb).has_body
    return Level.LOW if reads and address is not None and _ADDRESS.match(address) else None


def address_of(call: PythonCall) -> str | None:
    """Return the address that a call names, with holes for what is unknown."""
    for value in (*call.args[:2], call.keywords.get("url"), call.keywords.get("host")):
        if value is None:
            continue
        if value.items is not None and isinstance(value.const, list) and len(value.const) == 2:
            return f"{value.const[0]}:{value.const[1]}"
        if isinstance(value.const, list | tuple) and len(value.const) == 2:
            return f"{value.const[0]}:{value.const[1]}"
        if value.items is not None and value.items.get("url") is not None:
            text = pattern_of(value.items["url"])
            return None if text == HOLE else text
        if (
            value.items is not None
            and "pattern" not in value.items
            and len(value.items) == 2
            and 0 in value.items
        ):
            host, port = value.items.get(0), value.items.get(1)
            return f"{pattern_of(host)}:{pattern_of(port)}"
        text = pattern_of(value)
        if text != HOLE and len(text) > 3 and not (text.isupper() and text.isalpha()):
            return text
    return None


def add_network_effects(evaluator: Evaluator, call: PythonCall, address: str | None) -> None:
    """Predict the host, the port and the URL of an address."""
    if address is None:
        evaluator.add_effect(EffectKind.HOST, None, call.node)
        return
    pattern = HOLE in address
    shown = address.replace(HOLE, "…")
    if "://" in address:
        evaluator.add_effect(EffectKind.URL, shown, call.node, pattern=pattern)
        try:
            host = urlsplit(address).hostname or ""
        except ValueError:
            host = ""
        evaluator.add_effect(
            EffectKind.HOST, host.replace(HOLE, "…") or None, call.node, pattern=HOLE in host
        )
        return
    host, _, port = address.rpartition(":")
    if not _HOST.fullmatch(host or address) or not (host or address).strip(HOLE + "."):
        evaluator.add_effect(EffectKind.HOST, None, call.node)
        return
    evaluator.add_effect(EffectKind.HOST, (host or shown).replace(HOLE, "…"), call.node, pattern=pattern)
    if port.isdigit() and host:
        evaluator.add_effect(EffectKind.PORT, port, call.node)


for _module in words(
    "requests urllib http httpx aiohttp ftplib smtplib telnetlib poplib imaplib nntplib paramiko "
    "urllib3 websocket websockets httplib2 pycurl xmlrpc socketserver pysnmp pyghmi twisted "
    "requests_html mechanize cloudscraper wget boto3 botocore tweepy telegram discord slack_sdk "
    "pymongo psycopg2 pymysql redis ldap3 ldap dns whois ntplib pysftp asyncssh yfinance youtube_dl "
    "pytube wikipedia praw googletrans twilio easysnmp speedtest selenium scapy impacket pika kafka "
    "stem instaloader"
):
    PREFIXES[_module] = _client


# --- downloads ---


@handles(
    "urllib.request.urlretrieve",
    "wget.download",
    "urllib.request.URLopener().retrieve",
    "urllib.request.FancyURLopener().retrieve",
)
def retrieve(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A file fetched."""
    report_request(evaluator, call, "urlretrieve")
    target = pattern_of(call.arg(1, "filename"))
    source = address_of(call) or ""
    program = paths.is_program(target) or paths.is_program(source) or paths.is_system(target)
    evaluator.report(
        rules.DOWNLOAD,
        call.node,
        f"Fetches `{source.replace(HOLE, '…')[:120]}`",
        severity=Level.HIGH if program else None,
    )
    if target != HOLE:
        evaluator.downloaded.add(target)
        paths.judge(evaluator, call.node, target, call.arg(1, "filename"), write=True, delete=False)
    return PythonValue(taint=Taint.NETWORK)


@handles("shutil.copyfileobj")
def copy_stream(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A response copied to a file."""
    source, target = call.arg(0), call.arg(1)
    if source is not None and source.taint & Taint.NETWORK:
        evaluator.report(rules.DOWNLOAD, call.node, "Content from the network goes to a file", value=source)
        if target is not None and target.items and target.items.get("path") is not None:
            evaluator.downloaded.add(pattern_of(target.items["path"]))
    return None


@handles("ssl._create_unverified_context")
def unverified(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Certificates unchecked."""
    evaluator.report(INSECURE_TLS, call.node, "Certificates are not checked")
    return PythonValue(name="ssl.SSLContext()")


def _sent(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    evaluator.report(
        rules.NETWORK, call.node, f"`{call.name}` sends over what looks like a socket", severity=Level.LOW
    )
    return None


METHODS["sendall"] = _sent
METHODS["sendto"] = _sent
METHODS["sendmail"] = _sent
CALLS["requests.Session"] = lambda evaluator, call: PythonValue(name="requests.Session()")

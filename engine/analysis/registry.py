"""All rules by id, with their documentation pages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.analysis import limits
from engine.analysis.extension import extensions
from engine.analysis.javascript import rules as javascript
from engine.analysis.python import catalogue as python
from engine.analysis.rule import Rule
from engine.analysis.shell import rules as shell
from engine.analysis.text import rules as text


def _collect() -> dict[str, Rule]:
    shipped = [*limits.RULES, *text.RULES, *python.RULES, *javascript.RULES, *shell.RULES]
    rules: dict[str, Rule] = {}
    for rule in [*shipped, *(extension.rule for extension in extensions())]:
        if rule.id in rules:
            raise ValueError(f"two rules are called {rule.id!r}; rename one")
        rules[rule.id] = rule
    return rules


RULES: Mapping[str, Rule] = MappingProxyType(_collect())


def explain(rule: str) -> str:
    """Return the page of one rule as Markdown. Raises KeyError where no rule has that id."""
    return page(RULES[rule])


def page(rule: Rule) -> str:
    """Return everything that is known about a rule as Markdown."""
    facts = [
        f"## `{rule.id}`",
        f"**{rule.title}**",
        _facts(rule),
        f"*Attack:* {rule.attack}",
        f"*Severity:* {rule.why}",
        f"*Fix:* {rule.fix}",
        *_examples("Fires on", rule.match, rule),
        *_examples("Does not fire on", rule.not_match, rule),
    ]
    return "\n\n".join(facts) + "\n"


def _facts(rule: Rule) -> str:
    languages = ", ".join(sorted(rule.languages))
    known = [f"severity {rule.severity}", f"confidence {rule.confidence}", f"category `{rule.category}`"]
    known += [f"CWE-{rule.cwe}"] if rule.cwe else []
    known += [f"OWASP {rule.owasp}"] if rule.owasp else []
    return f"{languages} · " + " · ".join(known)


def _examples(title: str, examples: tuple[str, ...], rule: Rule) -> list[str]:
    fence = {"python": "python", "javascript": "javascript", "shell": "bash"}
    language = fence[min(rule.languages)]
    shown = [f"```{language}\n{_shown(example)}\n```" for example in examples[:2]]
    return [f"{title}:", *shown] if shown else []


def _shown(example: str) -> str:
    short = example if len(example) <= 400 else example[:400] + " ..."
    return "".join(char if char == "\n" or " " <= char <= "~" else ascii(char)[1:-1] for char in short)


def pages() -> str:
    """Return the page of all rules as Markdown: `docs/rules.md`."""
    categories: dict[str, list[Rule]] = {}
    for rule in RULES.values():
        categories.setdefault(rule.category, []).append(rule)
    parts = [_HEAD.format(rules=len(RULES), categories=len(categories))]
    for category, rules in sorted(categories.items()):
        parts.append(f"# {category}\n")
        parts.extend(page(rule) for rule in sorted(rules, key=lambda rule: rule.id))
    return "\n".join(parts)


_HEAD = """# Rules

{rules} rules in {categories} categories, as `pratique rules explain ID` shows them. MEDIUM and above
require a review; LOW is information. Severities are settings (`analysis.severities`). This page is what
`pratique rules docs` prints.
"""

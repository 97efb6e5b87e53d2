"""What a chain of names means where its first is a global: `Math.max`, `process.stdout.write`."""

from __future__ import annotations

from engine.analysis.verdict.javascript.global_names import FIELDS, MEMBERS
from engine.analysis.verdict.javascript.tree import SyntaxPart

_ROOTS = frozenset({*MEMBERS, *FIELDS, "process", "module", "exports", "require", "globalThis", "global"})


def path_of(part: SyntaxPart) -> str | None:
    """Return the dotted path of a member of a global, or nothing."""
    names: list[str] = []
    while part.type == "member_expression" and part.fields["property"].type == "property_identifier":
        names.append(part.fields["property"].text)
        part = part.fields["object"]
    if part.type != "identifier" or part.variable is not None or part.text not in _ROOTS or not names:
        return None
    return ".".join((part.text, *reversed(names)))

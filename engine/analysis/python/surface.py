"""What is seen without the syntax tree: comments that ask for silence, disguised names, telling texts."""

from __future__ import annotations

import ast
import re
import unicodedata

from engine.analysis.python import literals
from engine.analysis.python.names import ALL_BUILTINS, DANGEROUS_MODULES
from engine.analysis.python.rules import reading
from engine.analysis.python.walk import Walk
from engine.analysis.python.words import words

_SUPPRESSION = re.compile(
    r"#[^\n]*?\b(nosec\b|noqa\s*:\s*S\d+|nosemgrep\b|pylint\s*:\s*disable|type:\s*ignore\[)"
)
_WORD = re.compile(r"\w+")
_TELLING = re.compile(
    r"\\x[0-9a-fA-F]{2}|\\[0-7]{3}|\\u[0-9a-f]{4}|[A-Za-z0-9+/]{24,}|AKIA|gh[pousr]_|xox[abprs]-|\bsk-|\d{8}:|PRIVATE KEY|AIza|"
    r"glpat|pypi-|npm_|webhook|hooks\.slack|/dev/tcp|bash -i|\bnc |mkfifo|/bin/sh|meterpreter|mimikatz|stratum|"
    r"xmrig|pastebin|\.onion|oast|burpcoll|interactsh|ngrok|requestbin|CVE-|rm -rf|:\(\)|powershell|Invoke-|"
    r"DownloadString|169\.254|metadata\.google|api\.telegram|previous instructions|/etc/|etc/|\.ssh|id_|\.aws|\.azure|"
    r"gcloud|\.kube|\.docker|\.gnupg|\.netrc|\.pypirc|\.npmrc|\.git-c|\.pgpass|\.my\.cnf|\.env|_history|/var/|"
    r"docker\.sock|secrets|[Ll]ogin|[Cc]ookies|logins|key[34]|wallet|[Kk]eychain|[Ll]ocal [Ss]tate|[Cc]hrome|"
    r"[Uu]ser [Dd]ata|[Bb]rave|[Oo]pera|mozilla|[Ff]irefox|1[Pp]assword|[Kk]ee[Pp]ass|[Ss]ystem32|ntds|win\.ini|"
    r"serviceaccount|known_hosts|authorized|0x[0-9a-fA-F]{2},|known_hosts|\b_{4,}\b|\b_?[O0oQ]{6,}\b|\b_?[Il1]{6,}\b|_0x|__PYO|"
    r"__obfus|pyarmor|pyminify"
)
_NAMES = re.compile(
    r"\b(?:_{4,}|_+[0-9a-f]{4,}|_?[O0oQ]{6,}|_?[Il1]{6,}|_0x[0-9a-f]{3,}|__(?:PYO|obfuscator|pyarmor|pyminify)\w*)\b"
)


def look(walk: Walk, tree: ast.AST | None) -> None:
    """Look at comments, at the letters of names, and at texts where any might tell something."""
    source = walk.source
    if "#" in source:
        _suppressions(walk)
    if not source.isascii():
        _disguised(walk)
    if tree is not None and _TELLING.search(source):
        _texts(walk, tree)


def _suppressions(walk: Walk) -> None:
    for match in _SUPPRESSION.finditer(walk.source):
        walk.found.violations.append(
            reading.SUPPRESSION.violation(
                walk.lines.span(*match.span()), f"Asks for silence: `{match.group()[:60]}`; not obeyed"
            )
        )


def _disguised(walk: Walk) -> None:
    """Names that are plain only after NFKC, which Python applies to identifiers."""
    for match in _WORD.finditer(walk.source):
        word = match.group()
        if word.isascii():
            continue
        plain = unicodedata.normalize("NFKC", word)
        if (
            plain != word
            and plain.isascii()
            and (plain in ALL_BUILTINS or plain in DANGEROUS_MODULES or plain in _TELLING_NAMES)
        ):
            walk.found.violations.append(
                reading.DISGUISED.violation(walk.lines.span(*match.span()), f"Python reads this as `{plain}`")
            )


_TELLING_NAMES = frozenset(
    words("system popen spawn remove rmtree unlink environ loads run call kill connect")
)


def _texts(walk: Walk, tree: ast.AST) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str | bytes):
                literals.check_text(walk, node)
        elif isinstance(node, ast.List | ast.Tuple):
            if len(node.elts) >= 24 and all(isinstance(part, ast.Constant) for part in node.elts):
                literals.check_numbers(walk, node, [part.value for part in node.elts])  # type: ignore[attr-defined]
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            literals.check_name(walk, node, node.id)

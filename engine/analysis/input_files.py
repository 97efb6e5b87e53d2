"""Finds the code among the input files, its language, and where the submitted code names it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from engine.analysis.archives import modules_in
from engine.analysis.file_kinds import Unreadable, language_of
from engine.analysis.grouping import grouped, merged_effects
from engine.analysis.limits import NAMED, UNREAD
from engine.analysis.positions import Lines
from engine.common.effects.package_places import IMPORT_NAMES
from engine.common.text import Untrusted, visible
from engine.models import (
    Analysis,
    EffectKind,
    Evidence,
    Language,
    Level,
    PredictedEffect,
    Span,
    Verdict,
    Violation,
)

_GLUE = r"\b[\]'\",\[ \t<]+(?:-[\w-]+['\", \t]+)*['\"]?[./\w$-]*?"
_LOADS = (
    (
        Language.SHELL,
        r"(?:\b(?:bash|sh|zsh|dash|ksh|source)" + _GLUE + r"|(?:^|[;&|({]\s*)\.[ \t]+['\"]?[./\w-]*?)",
    ),
    (Language.PYTHON, r"\b(?:python|pypy)[\d.]*" + _GLUE),
    (Language.JAVASCRIPT, r"\bnode" + _GLUE),
    (
        Language.PYTHON,
        r"(?:\bexec\(|\bexecfile\(|run_path|SourceFileLoader|SourcelessFileLoader|spec_from_file_location)[^\n]{0,80}?",
    ),
    (
        Language.JAVASCRIPT,
        r"(?:\brequire|\bimport|\bfrom|\bWorker|\bfork|importScripts|resolve|\brun\w+)\s*\(?\s*['\"`][^'\"`\n]{0,200}?",
    ),
)
"""What loads a file as code of a language, up to the name of the file."""
_CODE = re.compile(
    rb"\b(?:import|exec|eval|require|compile|getattr|Function|constructor|process|open|__\w+__)\b"
)
_ENTRIES = frozenset({"main", "module", "browser", "exports", "imports", "bin"})
_MAX_MANIFEST = 256 * 1024


@dataclass(frozen=True, slots=True)
class CodeFile:
    """One stretch of code among the input files."""

    name: str
    """The file, and behind `!` the member of an archive."""
    source: bytes
    language: Language
    certain: bool
    """Whether it surely is code. What only might be counts where it can be read whole and is dangerous."""


@dataclass(frozen=True, slots=True)
class UnreadableFile:
    """Code among the input files that cannot be read, and why."""

    name: str
    reason: str


File = tuple[str, bytes]
"""A name and a content."""


def code_files(
    code: str, language: Language, files: Sequence[File], limit: int
) -> Iterator[CodeFile | UnreadableFile]:
    """Yield the code among `files`, what surely is code first; no more than about `limit` bytes of each."""
    manifests = set(_manifests(files))
    maybe: list[CodeFile] = []
    for name, content in files:
        try:
            found = language_of(name, content)
            if found is not None:
                yield CodeFile(name, content, found, certain=True)
                continue
            for member, source in modules_in(content, limit):
                yield _module(f"{name}!{member}", source)
        except Unreadable as reason:
            yield UnreadableFile(name, str(reason))
            continue
        loaded = _loaded(name, code, language, manifests)
        if loaded is not None:
            yield CodeFile(name, content, loaded, certain=True)
        elif language is not Language.SHELL and len(content) <= limit and _CODE.search(content):
            maybe.append(CodeFile(name, content, language, certain=False))
    yield from maybe


def _module(name: str, source: bytes) -> CodeFile | UnreadableFile:
    try:
        language = language_of(name, source) or Language.PYTHON
    except Unreadable as reason:
        return UnreadableFile(name, str(reason))
    return CodeFile(name, source, language, certain=True)


def _loaded(name: str, code: str, language: Language, manifests: set[str]) -> Language | None:
    """Return the language in which code loads a file regardless of its suffix, or None."""
    path = PurePosixPath(name)
    if path.suffix == ".json":
        return None
    if str(path) in manifests or str(path.with_suffix("")) in manifests:
        return Language.JAVASCRIPT
    if path.name not in code and (language is not Language.JAVASCRIPT or path.stem not in code):
        return None
    for loaded, loader in _LOADS:
        names = re.escape(path.name)
        if loaded is Language.JAVASCRIPT:
            names = rf"(?:{names}|{re.escape(path.stem)}['\"`])"
        if re.search(loader + names, code, re.MULTILINE):
            return loaded
    return None


def _manifests(files: Sequence[File]) -> Iterator[str]:
    """Yield what each `package.json` names as its package's code, with any suffix."""
    for name, content in files:
        path = PurePosixPath(name)
        if path.name == "package.json" and len(content) <= _MAX_MANIFEST:
            for entry in _entries(content):
                yield str(PurePosixPath(path.parent, entry))


def _entries(content: bytes) -> Iterator[str]:
    try:
        manifest = json.loads(content)
    except (ValueError, RecursionError):
        return
    stack = [manifest[key] for key in _ENTRIES & set(manifest)] if isinstance(manifest, dict) else []
    while stack:
        value = stack.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict | list):
            stack.extend(value.values() if isinstance(value, dict) else value)


# --- their results, at the position that names them ---


def place_of(name: str, code: str) -> Span:
    """Return where `code` names an input file, or else the start of the code."""
    path = PurePosixPath(name.partition("!")[0])
    for word in (path.name, path.stem, path.parent.name):
        match = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", code) if word else None
        if match:
            return Lines(code).span(*match.span())
    return Span(line=1, column=1, end_line=1, end_column=1)


def at_mention(file: CodeFile, found: Analysis, code: str) -> Analysis:
    """Return the analysis of an input file with the spans of the code that names it."""
    if not file.certain and not found.complete:
        return Analysis()
    least = Level.LOW if file.certain else Level.HIGH
    place = place_of(file.name, code)
    lines = Lines(file.source.decode("utf-8", "replace"))
    kept = [violation for violation in found.violations if violation.severity.rank >= least.rank]
    return Analysis(
        violations=tuple(_placed(violation, file.name, lines, place) for violation in kept),
        effects=tuple(_wanted(one, file.name, place) for one in found.effects)
        if file.certain or kept
        else (),
        complete=found.complete,
    )


def _placed(violation: Violation, name: str, lines: Lines, place: Span) -> Violation:
    span = violation.span
    line = lines.line(span.line).strip() if span.line <= len(lines) else ""
    where = f"{name}:{span.line}:{span.column}"
    step = Evidence(span=place, text=Untrusted(f"{where}: {line}"[:300]))
    steps = [
        Evidence(span=place, text=Untrusted(f"{name}:{e.span.line}: {e.text.text}"[:300]))
        for e in violation.evidence
    ]
    message = Untrusted(f"{where}: {violation.message.text}")
    return violation.moved(span=place, related=(), evidence=(*steps, step), message=message)


def _wanted(effect: PredictedEffect, name: str, place: Span) -> PredictedEffect:
    note = f"in an input file{'; ' + effect.note if effect.note else ''}"
    return effect.at_lines((place.line,)).with_note(note)


def unreadable_file(name: str, reason: str, code: str) -> Analysis:
    """Return the violation of an input file that is code and was not read."""
    violation = UNREAD.violation(place_of(name, code), f"{name} was not read: {reason}")
    return Analysis(violations=(violation,), complete=False)


def check_names(files: Iterable[str], code: str) -> Analysis:
    """Return the violations of names that hide what they are: control, bidi and invisible characters."""
    odd = [name for name in files if visible(name) != name or name != name.strip()]
    return Analysis(
        violations=tuple(NAMED.violation(place_of(name, code), f"{name!a}"[:300]) for name in odd)
    )


def without_own_packages(found: Analysis, files: Iterable[str]) -> Analysis:
    """Return an analysis without the packages whose module is an input file."""
    own = {module for name in files for module in _modules_of(PurePosixPath(name))}
    own |= {IMPORT_NAMES[module] for module in own & IMPORT_NAMES.keys()}
    kept = [
        one.with_kind(EffectKind.MODULE, "an input file")
        if one.kind is EffectKind.PACKAGE and one.value.text in own
        else one
        for one in found.effects
    ]
    return found.with_effects(merged_effects(kept))


def _modules_of(path: PurePosixPath) -> Iterator[str]:
    """Yield what Python imports a file as: its stem, or the folder that it lies in."""
    if path.suffix == ".py":
        yield path.parts[0] if len(path.parts) > 1 else path.stem


def merged_analyses(parts: Sequence[Analysis]) -> Analysis:
    """Return one analysis of many: the code's own first, whose verdict the others can only make worse."""
    merged = Analysis(
        violations=grouped((v for part in parts for v in part.violations), {}),
        effects=merged_effects(p for part in parts for p in part.effects),
        complete=all(part.complete for part in parts),
        seconds=sum(part.seconds for part in parts),
    )
    judged = merged.judged(parts[0].unproven, proven=parts[0].verdict is Verdict.HARMLESS)
    return judged.trusting(parts[0].trusts)

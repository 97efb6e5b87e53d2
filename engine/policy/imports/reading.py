"""Reads a file of another tool, whatever its format, into entries."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from engine.common.file_faults import Fault, Place, PolicyError
from engine.common.local_files import read_file
from engine.common.strict_yaml import Document, parse
from engine.policy.imports.bandit import Analyse, read_baseline, read_comments
from engine.policy.imports.claude_code import read_permissions
from engine.policy.imports.imported import ImportedEntry
from engine.policy.imports.llm_sandbox import SandboxPolicy, of_document, read_patterns
from engine.policy.imports.llm_sandbox_source import policies_in
from engine.policy.imports.openshell import read_sandbox_policy

MAX_BYTES = 1 << 18
MAX_BASELINE = 8 << 20
MAX_ENTRIES = 2000


class ImportSource(StrEnum):
    """The tools whose files are read."""

    CLAUDE_CODE = "claude-code"
    LLM_SANDBOX = "llm-sandbox"
    OPENSHELL = "openshell"
    BANDIT = "bandit"


def read_entries(
    source: ImportSource, file: Path, analyse: Analyse, *, policy: str = ""
) -> tuple[ImportedEntry, ...]:
    """Return what becomes of each entry of a file.

    Args:
        source: the tool that the file is for.
        file: the file.
        analyse: returns the findings of the analysis in Python code.
        policy: which of several policies of llm-sandbox.

    Raises:
        PolicyError: it cannot be read, is too large, or is of another format.
    """
    content = _content(source, file)
    entries = _entries(source, file, content, analyse, policy)
    if len(entries) > MAX_ENTRIES:
        raise PolicyError(Fault(Place(file), f"more than {MAX_ENTRIES} entries"))
    return entries


def _content(source: ImportSource, file: Path) -> bytes:
    try:
        return read_file(file, MAX_BASELINE if source is ImportSource.BANDIT else MAX_BYTES)
    except OSError as error:
        raise PolicyError(Fault(Place(file), f"cannot be read: {error.strerror}")) from None


def _entries(
    source: ImportSource, file: Path, content: bytes, analyse: Analyse, policy: str
) -> tuple[ImportedEntry, ...]:
    match source:
        case ImportSource.CLAUDE_CODE:
            return read_permissions(_document(file, content))
        case ImportSource.OPENSHELL:
            return read_sandbox_policy(_document(file, content))
        case ImportSource.LLM_SANDBOX:
            return read_patterns(_sandbox_policy(file, content, policy))
        case ImportSource.BANDIT:
            return _accepted(file, content, analyse)


def _document(file: Path, content: bytes) -> Document:
    """Return a document of YAML or JSON; JSON may be indented with tabs, which are in none of its texts."""
    return parse(file, content.replace(b"\t", b" ") if content.lstrip()[:1] == b"{" else content)


def _sandbox_policy(file: Path, content: bytes, name: str) -> SandboxPolicy:
    if file.suffix != ".py":
        return of_document(_document(file, content))
    policies = policies_in(file, content)
    if name in policies:
        return policies[name]
    if name or len(policies) > 1:
        names = ", ".join(policies)
        raise PolicyError(Fault(Place(file), f"it makes several policies: add --policy with one of {names}"))
    return next(iter(policies.values()))


def _accepted(file: Path, content: bytes, analyse: Analyse) -> tuple[ImportedEntry, ...]:
    if file.suffix == ".json":
        return read_baseline(file, content, analyse)
    try:
        return read_comments(content.decode(), analyse)
    except UnicodeDecodeError:
        raise PolicyError(Fault(Place(file), "not UTF-8 text")) from None

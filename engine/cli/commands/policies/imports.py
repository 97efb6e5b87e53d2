"""`pratique import`: policies of other tools as a policy file, explained line by line."""

from __future__ import annotations

import json as jsons
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from engine.analysis import analyse
from engine.cli.load_settings import load_settings
from engine.cli.options.common import Json
from engine.cli.output.formatting import print_line
from engine.common.errors import Problem
from engine.common.local_files import new_file
from engine.common.text import visible
from engine.models import Language, Violation
from engine.policy import PolicyError, load
from engine.policy.imports.imported import ImportedEntry
from engine.policy.imports.reading import ImportSource, read_entries
from engine.policy.imports.rendering import describe, policy_text, summary


def import_policy(
    source: Annotated[ImportSource, typer.Argument(help="The tool that the file is for.")],
    file: Annotated[Path, typer.Argument(help="Its policy, settings, code or baseline.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the policy to this new file.")
    ] = None,
    policy: Annotated[
        str,
        typer.Option(help="Which policy of llm-sandbox: the function that makes it."),
    ] = "",
    json: Json = False,
) -> None:
    """Turn a policy of another tool into a policy file, and say of each line what became of it."""
    try:
        entries = read_entries(source, file, _findings, policy=policy)
        text = policy_text(f"{source}, {file.name}", entries)
        _check(text)
    except PolicyError as error:
        raise Problem(422, visible(str(error.faults[0]))) from None
    if json:
        for entry in entries:
            print_line(jsons.dumps(_facts(entry)))
    elif output is None:
        print_line(text.rstrip("\n"))
    if output is not None:
        _write(output, text)
        _explain(entries, output, quiet=json)


def _findings(code: str) -> Iterable[Violation]:
    return analyse(code, Language.PYTHON).violations


def _check(text: str) -> None:
    """Load the policy as the engine would, its examples included. Raises PolicyError."""
    with TemporaryDirectory(prefix="pratique-import-") as folder:
        file = Path(folder) / "policy.yaml"
        file.write_text(text)
        load(file, base=load_settings().policy.base)


def _write(output: Path, text: str) -> None:
    try:
        with new_file(output) as file:
            file.write(text.encode())
    except OSError as error:
        raise Problem(
            409, f"{visible(str(output))}: {error.strerror}", hint="Name a file that is not there yet"
        ) from None


def _explain(entries: Sequence[ImportedEntry], output: Path, *, quiet: bool) -> None:
    if not quiet:
        for entry in entries:
            print_line(describe(entry))
    name = visible(str(output))
    print_line(f"{summary(entries)}. Type: pratique policy diff {name}", error=True)


def _facts(entry: ImportedEntry) -> dict[str, object]:
    return {
        "line": entry.line,
        "text": entry.text,
        "status": entry.status.value,
        "reason": entry.reason,
        "rule": entry.rule.get("id"),
    }

"""`pratique analyze` and `pratique rules`: static analysis without an engine, Docker or a run."""

from __future__ import annotations

import asyncio
import json as jsons
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from engine.analysis.registry import RULES, explain, pages
from engine.cli.analysis.batch import Item, analyse_all
from engine.cli.analysis.reports import corpus_record, record, sarif_log
from engine.cli.analysis.sources import INPUT, sources
from engine.cli.exit_codes import ExitCode
from engine.cli.load_settings import load_settings
from engine.cli.options.common import Json
from engine.cli.output.formatting import dim, level, print_line, print_verdict, print_violations
from engine.common.errors import Problem
from engine.common.local_files import open_file
from engine.common.text import many, visible
from engine.models import Analysis, Language, Level

_NAMES = {"bash": Language.SHELL, "sh": Language.SHELL, "js": Language.JAVASCRIPT, "py": Language.PYTHON}
_NAMES.update({language.value: language for language in Language})

rules = typer.Typer(help="List and explain the rules of the analysis.", no_args_is_help=True)


def analyze(
    files: Annotated[
        list[str] | None, typer.Argument(help="Files or directories to analyze; - reads standard input.")
    ] = None,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help="Print one JSON object per file, one per line.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON array.")] = False,
    sarif: Annotated[bool, typer.Option("--sarif", help="Print a SARIF 2.1.0 log.")] = False,
    fail_on: Annotated[
        Level | None, typer.Option(help="Exit with 1 if a violation has at least this severity.")
    ] = None,
    language: Annotated[
        Language | None, typer.Option(help="Language of files without a known suffix.")
    ] = None,
    corpus: Annotated[
        Path | None,
        typer.Option(help="Analyze a JSONL file of {id, language, code}; print one line per entry."),
    ] = None,
) -> None:
    """Analyze code without running it: violations and their severity."""
    if corpus is not None:
        worst = _analyse_corpus(corpus)
    elif files:
        worst = _analyse_files(files, language, jsonl=jsonl, json=json, sarif=sarif)
    else:
        raise Problem(
            422, "nothing to analyze", hint="Type: pratique analyze FILE, or add --corpus FILE.jsonl"
        )
    if fail_on is not None and worst >= fail_on.rank:
        raise SystemExit(ExitCode.FAILED)


@rules.command("list")
def list_rules(
    json: Json = False,
) -> None:
    """List the rules."""
    width = max(map(len, RULES))
    for rule in sorted(RULES.values(), key=lambda rule: rule.id):
        if json:
            print_line(jsons.dumps({"id": rule.id, "severity": rule.severity, "category": rule.category}))
        else:
            print_line(f"{level(rule.severity)} {rule.id:<{width}}  {rule.title} {dim(f'[{rule.category}]')}")


@rules.command("explain")
def explain_rule(name: Annotated[str, typer.Argument(help="Rule ID, as shown with a violation.")]) -> None:
    """Explain a rule: what it finds, why that is dangerous, how to fix it."""
    if name not in RULES:
        raise Problem(404, f"no rule {visible(name)}", hint="Type: pratique rules list")
    print_line(explain(name))


@rules.command("docs")
def print_pages() -> None:
    """Print the reference of all rules (docs/rules.md)."""
    sys.stdout.write(pages())


# --- files ---


def _analyse_files(
    files: list[str], language: Language | None, *, jsonl: bool, json: bool, sarif: bool
) -> int:
    if jsonl + json + sarif > 1:
        raise Problem(422, "more than one output format", hint="Use one of --json, --jsonl and --sarif")
    given = sources(files, language)
    missing = [name for name, _ in given.found if name != INPUT and not Path(name).exists()]
    if missing:
        raise Problem(404, f"{visible(missing[0])} cannot be read: No such file or directory")
    done: list[tuple[Item, Analysis]] = []

    def on_result(item: Item, analysis: Analysis) -> None:
        if jsonl:
            _line(record(item, analysis))
        elif not json and not sarif:
            _print(item, analysis)
        done.append((item, analysis))

    asyncio.run(analyse_all(given.items(), load_settings().analysis, on_result))
    if sarif:
        _line(sarif_log(done))
    elif json:
        _line([record(item, analysis) for item, analysis in done])
    elif not jsonl and (len(done) > 1 or given.skipped):
        _print_summary([analysis for _, analysis in done], given.skipped)
    return max((_worst(analysis) for _, analysis in done), default=-1)


def _print_summary(analyses: list[Analysis], skipped: int) -> None:
    levels = Counter(violation.severity for analysis in analyses for violation in analysis.violations)
    counts = [f"{levels[one]:,} {one.name}" for one in reversed(Level) if levels[one]]
    print_line(f"{many(len(analyses), 'file')}: {', '.join(counts) or 'no violations'}")
    if skipped:
        print_line(dim(f"{many(skipped, 'file')} skipped: unknown language"))


def _print(item: Item, analysis: Analysis) -> None:
    count = len(analysis.violations)
    found = many(count, "violation") if count else "no violations"
    print_line(f"{visible(str(item.id))}: {found}{'' if analysis.complete else ', analysis incomplete'}")
    print_violations(analysis.violations)
    print_verdict(analysis)


def _worst(analysis: Analysis) -> int:
    return max((violation.severity.rank for violation in analysis.violations), default=-1)


def _line(value: object) -> None:
    sys.stdout.write(jsons.dumps(value) + "\n")


# --- corpora ---


def _analyse_corpus(path: Path) -> int:
    worst = -1

    def on_result(item: Item, analysis: Analysis) -> None:
        nonlocal worst
        worst = max(worst, _worst(analysis))
        _line(corpus_record(item, analysis))

    try:
        with open_file(path) as lines:
            asyncio.run(analyse_all(_items(iter(lines)), load_settings().analysis, on_result))
    except OSError as error:
        raise Problem(404, f"{visible(str(path))} cannot be read: {error.strerror}") from None
    return worst


def _items(lines: Iterator[bytes]) -> Iterator[Item]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _item(line, number)


def _item(line: bytes, number: int) -> Item:
    name: object = None
    try:
        entry = jsons.loads(line)
        name = entry.get("id")
        return Item(name, _NAMES[entry["language"]], _text(entry["code"]))
    except (ValueError, AttributeError, RecursionError):
        return Item(None, Language.PYTHON, "", f"line {number} is not a JSON object")
    except (KeyError, TypeError):
        return Item(name, Language.PYTHON, "", f"line {number}: unknown language or no code")


def _text(code: object) -> str:
    if not isinstance(code, str):
        raise TypeError
    return code

"""The command line prints nothing that steers or misleads a terminal, whoever wrote it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from engine.cli import main
from engine.cli.output.formatting import displayed, level, print_line
from engine.common.unicode.repertoire import outside
from engine.models import Level

HOSTILE = "a\u202eb\u0301👨\u200d👩שלום\x1b[8m\x1b]52;c;eA==\x07\u3164\u2800z"
CLI = Path(__file__).parents[3] / "engine" / "cli"
WRITERS = {
    "__init__.py": "sys.stderr.write typer.echo",
    "output/formatting.py": "typer.echo",
    "output/progress.py": "sys.stderr.write",
    "output/build_progress.py": "sys.stderr.write",
    "output/history_export.py": "sys.stdout.writelines",
    "commands/analyze.py": "sys.stdout.write",
    "commands/artifacts.py": "sys.stdout.buffer.write",
    "commands/sessions.py": "sys.stdout.buffer.write",
}
"""The modules that write by themselves: trusted text, exports, and artifacts where no terminal is."""


def stray(text: str) -> list[str]:
    """Return the characters that are neither displayed as they are, nor line ends or tabs."""
    return outside().findall(re.sub("\x1b\\[[0-9;]*m|[\n\t]", "", text))


@pytest.mark.parametrize(
    "arguments",
    [[HOSTILE], ["show", HOSTILE], ["show", f"--{HOSTILE}"], ["show", f"--{HOSTILE}=1"],
     ["show", "x", HOSTILE], ["analyze", HOSTILE], ["analyze", "--fail-on", HOSTILE], ["session", HOSTILE],
     ["session", "close", HOSTILE], ["submit", HOSTILE], ["audit", HOSTILE],
     ["policy", "check", HOSTILE], ["rules", HOSTILE],
     ["history", f"-{HOSTILE}"], ["tail", HOSTILE], ["approve", HOSTILE, "--digest", HOSTILE]],
)  # fmt: skip
def test_no_error_repeats_what_steers_a_terminal(
    arguments: list[str], capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wrong commands, options and values, and problems with them, are displayed by marks."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    monkeypatch.setenv("PRATIQUE_ENGINE", "http://127.0.0.1:9")
    assert main(arguments)
    printed = capfd.readouterr()
    assert [] == stray(printed.out + printed.err)
    assert "\x1b[8m" not in printed.out + printed.err


@given(st.text(st.characters(codec=None)))
def test_a_line_holds_nothing_but_text_and_our_colours(text: str) -> None:
    """Whatever a caller forgot."""
    shown = displayed(f"{level(Level.HIGH)}{text}{typer.style('x', dim=True)}")
    assert [] == stray(shown)
    assert shown.startswith(level(Level.HIGH))


def test_a_guest_cannot_hide_its_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """Concealed, black and blinking text is displayed with its codes."""
    print_line("\x1b[8mx\x1b[30my\x1b[5mz\x1b[38;2;0;0;0m")
    assert "␛[8mx␛[30my␛[5mz␛[38;2;0;0;0m\n" == capsys.readouterr().out


def test_every_command_prints_through_one_function() -> None:
    """No other module of the command line writes to a terminal by itself."""
    for path in sorted(CLI.rglob("*.py")):
        if "samples" not in path.parts:
            name = str(path.relative_to(CLI))
            found = set(writes(ast.parse(path.read_text(encoding="utf-8"))))
            assert found <= set(WRITERS.get(name, "").split()), name


def writes(tree: ast.AST) -> list[str]:
    """Return the calls that write to a terminal."""
    calls = (ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call))
    named = re.compile(r"print|sys\.std(out|err)\.(buffer\.)?write(lines)?|typer\.s?echo")
    return [call for call in calls if named.fullmatch(call)]

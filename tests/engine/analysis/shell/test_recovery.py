"""Commands in a statement that cannot be read are read by themselves."""

from __future__ import annotations

import pytest

from engine.analysis import analyse
from engine.models import Language, Level

BEFORE = (
    "x=1 >f; ",
    "n=1 2>e && ",
    "cat <<=E\n=E\n",
    "if [ a; then ",
    "echo ${a@b(c)} | ",
    "case a in ( ",
    ") ; ",
    "}\n",
    "done\n",
)


@pytest.mark.parametrize("after", ["", "; fi", "\nls", " | cat", " && ls", "; }"])
@pytest.mark.parametrize("before", BEFORE)
def test_a_harmful_command_beside_an_error_is_found(before: str, after: str) -> None:
    """Whatever is wrong before it and after it, at its own place."""
    code = f"{before}rm -rf /home{after}"
    found = [
        violation for violation in analyse(code, Language.SHELL).violations if violation.rule == "sh-rm-tree"
    ]
    assert found
    assert found[0].severity.rank >= Level.HIGH.rank
    assert found[0].span.line == code[: code.index("rm -rf")].count("\n") + 1
    assert found[0].span.column == code.index("rm -rf") - code.rfind("\n", 0, code.index("rm -rf"))


def test_a_script_with_an_error_is_incomplete() -> None:
    """Whatever was found in it."""
    assert not analyse("x=1 >f; ls", Language.SHELL).complete


def test_what_was_read_is_not_said_twice() -> None:
    """A command that the statement told of is one violation."""
    rules = [found.rule for found in analyse("[ -d /x ] y; rm -rf /home; )", Language.SHELL).violations]
    assert 1 == rules.count("sh-rm-tree")

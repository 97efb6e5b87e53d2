"""The hook enters an agent's settings and leaves them, and nothing else there changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import cli
from engine.common.errors import Problem
from engine.hooks.clients import AGENTS
from engine.hooks.hook import Otherwise
from engine.hooks.settings_file import install, settings_path, uninstall

CLAUDE = AGENTS["claude"]
OTHERS = {
    "model": "x",
    "hooks": {
        "PreToolUse": [{"matcher": "Write", "hooks": [{"type": "command", "command": "lint"}]}],
        "Stop": [{"hooks": []}],
    },
    "permissions": {"allow": ["Bash(ls:*)"], "ü": "é"},
}


@pytest.mark.parametrize("name", AGENTS)
def test_it_enters_and_leaves(tmp_path: Path, name: str) -> None:
    """What is there stays, in its order; a second time changes nothing; afterwards all is as before."""
    agent = AGENTS[name]
    path = settings_path(agent, tmp_path)
    path.parent.mkdir()
    before = json.dumps(OTHERS, indent=2, ensure_ascii=False) + "\n"
    path.write_text(before)
    assert install(agent, path, Otherwise.SANDBOX)
    assert not install(agent, path, Otherwise.SANDBOX)
    entered = json.loads(path.read_text())
    hook = entered["hooks"][agent.event][-1]["hooks"][0]
    assert hook["command"].endswith(f"hook run {name} --otherwise sandbox || exit 2")
    assert (120_000 if agent.milliseconds else 120) == hook["timeout"]
    assert list(OTHERS) == list(entered)
    assert uninstall(agent, path)
    assert before == path.read_text()
    assert not uninstall(agent, path)


def test_another_choice_takes_the_place_of_the_first(tmp_path: Path) -> None:
    """There is never more than one hook of ours."""
    path = settings_path(CLAUDE, tmp_path)
    install(CLAUDE, path, Otherwise.SANDBOX)
    install(CLAUDE, path, Otherwise.DENY)
    assert 1 == path.read_text().count("hook run claude")
    assert "--otherwise deny" in path.read_text()


def test_a_new_file_is_its_owners(tmp_path: Path) -> None:
    """Mode 0600 where there was none; the mode of one that was there stays."""
    path = settings_path(CLAUDE, tmp_path)
    install(CLAUDE, path, Otherwise.DENY)
    assert 0o600 == path.stat().st_mode & 0o777
    path.chmod(0o644)
    uninstall(CLAUDE, path)
    assert 0o644 == path.stat().st_mode & 0o777
    assert {} == json.loads(path.read_text())


def test_links_are_refused(tmp_path: Path) -> None:
    """Neither the file nor its folder may be a link."""
    (tmp_path / "real.json").write_text("{}")
    path = settings_path(CLAUDE, tmp_path)
    path.parent.mkdir()
    path.symlink_to(tmp_path / "real.json")
    with pytest.raises(Problem, match="symbolic link"):
        install(CLAUDE, path, Otherwise.DENY)
    (tmp_path / "home").mkdir()
    (tmp_path / "home/.claude").symlink_to(path.parent)
    with pytest.raises(Problem, match="symbolic link"):
        install(CLAUDE, settings_path(CLAUDE, tmp_path / "home"), Otherwise.DENY)
    assert "{}" == (tmp_path / "real.json").read_text()


@pytest.mark.parametrize(
    "content",
    ["// a comment\n{}", "[]", "{", '{"hooks": []}', '{"hooks": {"PreToolUse": {}}}', "[" * 100_000],
)
def test_what_is_not_understood_is_left_alone(tmp_path: Path, content: str) -> None:
    """The file stays as it is, and the problem says what to do."""
    path = settings_path(CLAUDE, tmp_path)
    path.parent.mkdir()
    path.write_text(content)
    with pytest.raises(Problem, match="not understood") as caught:
        install(CLAUDE, path, Otherwise.DENY)
    assert "hooks.md" in caught.value.hint
    assert content == path.read_text()
    assert [path] == list(path.parent.iterdir())


NAMES = st.sampled_from(["hooks", "PreToolUse", "matcher", "command", "type", "a"])
VALUES = st.recursive(
    st.none() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner)
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
@given(st.dictionaries(NAMES, VALUES))
def test_what_was_there_is_there_afterwards(tmp_path: Path, there: dict[str, object]) -> None:
    """Whatever a file held, after entering and leaving it says the same, but for empty places of ours."""
    path = settings_path(CLAUDE, tmp_path)
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(there))
    try:
        install(CLAUDE, path, Otherwise.DENY)
    except Problem:
        assert there == json.loads(path.read_text())
        return
    uninstall(CLAUDE, path)
    assert _without_empty(there) == _without_empty(json.loads(path.read_text()))


def _without_empty(there: dict[str, object]) -> dict[str, object]:
    hooks = there.get("hooks")
    kept = {key: value for key, value in hooks.items() if value != []} if isinstance(hooks, dict) else hooks
    return {
        key: value for key, value in {**there, "hooks": kept}.items() if not (key == "hooks" and not kept)
    }


def test_the_commands_enter_it_and_take_it_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--project` means the folder of the project; an agent that cannot ask is not told to."""
    monkeypatch.chdir(tmp_path)
    assert 0 == cli.main(["hook", "install", "gemini", "--project", "--otherwise", "ask"])
    assert ".gemini/settings.json" in capsys.readouterr().out
    assert 0 == cli.main(["hook", "uninstall", "gemini", "--project", "--json"])
    assert json.loads(capsys.readouterr().out)["changed"]
    assert 5 == cli.main(["hook", "install", "codex", "--project", "--otherwise", "ask"])
    assert "cannot be told to ask" in capsys.readouterr().err
    assert 5 == cli.main(["hook", "install", "cursor"])

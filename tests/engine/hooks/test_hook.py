"""The hook of coding agents: what is proven harmless passes, everything else does not."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import locations
from engine.hooks import proof
from engine.hooks.calls import Refusal, read_call
from engine.hooks.clients import AGENTS
from engine.hooks.hook import BLOCKED
from engine.hooks.own_commands import is_own, result_command
from engine.hooks.surroundings import doubt
from tests.engine.hooks.messages import UNPROVEN, message
from tests.engine_process import EngineProcess

LARGE = {"asyncio", "httpx", "pydantic", "typer", "yaml", "textual", "pathlib", "inspect", "platformdirs"}
COMMAND = (
    "import sys; from console.main import main; code = main(); "
    "sys.stderr.write(' '.join(sys.modules)); sys.exit(code)"
)
PLAIN = {"PATH": "/usr/bin:/bin", "SHELL": "/bin/bash"}


def hooked(
    home: Path, agent: str, sent: bytes, otherwise: str = "deny", **more: str
) -> subprocess.CompletedProcess[bytes]:
    """Run the hook as the settings of an agent do; standard error ends with the modules that it imported."""
    command = [sys.executable, "-c", COMMAND, "hook", "run", agent, "--otherwise", otherwise]
    environment = {**PLAIN, "PRATIQUE_HOME": str(home), **more}
    root = Path(__file__).parents[3]
    return subprocess.run(
        command, input=sent, env=environment, cwd=root, capture_output=True, timeout=120, check=False
    )


def decision(agent: str, ended: subprocess.CompletedProcess[bytes]) -> str:
    """Return what an agent understands: `allow`, `deny`, `ask`, or nothing."""
    if ended.returncode != 0:
        return "deny" if ended.returncode == BLOCKED else "none"
    if not ended.stdout:
        return "none"
    said = json.loads(ended.stdout)
    return str(
        said["hookSpecificOutput"]["permissionDecision"] if agent in {"claude", "codex"} else said["decision"]
    )


@contextmanager
def listening(home: Path, answer: bytes) -> Iterator[None]:
    """Answer every request at the socket with these bytes."""
    (home / "run").mkdir(mode=0o700, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home / "run/engine.sock"))
        listener.listen()

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield
        thread.join(30)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_proven_command_passes(engine: EngineProcess, agent: str) -> None:
    """Each agent is told so in its own form; Codex, which takes no such word, is told nothing."""
    ended = hooked(engine.home, agent, message(agent))
    assert ("none" if agent == "codex" else "allow", 0) == (decision(agent, ended), ended.returncode)


def test_a_proven_command_waits_for_no_large_import(engine: EngineProcess) -> None:
    """Neither the client nor the models nor anything slow is imported before the answer."""
    imported = hooked(engine.home, "claude", message("claude")).stderr.decode().split()
    assert set() == LARGE & set(imported)


@pytest.mark.parametrize("agent", AGENTS)
def test_what_is_not_proven_is_denied_with_the_reason(engine: EngineProcess, agent: str) -> None:
    """The model is told what the analysis found, and what it may do instead."""
    ended = hooked(engine.home, agent, message(agent, UNPROVEN))
    assert "deny" == decision(agent, ended)
    assert "line 1" in ended.stdout.decode()
    assert "code_execute" in ended.stdout.decode()


@pytest.mark.parametrize("agent", AGENTS)
def test_where_it_may_ask_it_asks_and_elsewhere_denies(engine: EngineProcess, agent: str) -> None:
    """`ask` reaches only agents that know the word."""
    ended = hooked(engine.home, agent, message(agent, UNPROVEN), "ask")
    assert ("ask" if AGENTS[agent].asks else "deny") == decision(agent, ended)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"tool_name": "Bash"}',
        b'{"tool_name": "Bash", "tool_input": "ls"}',
        b'{"tool_name": ["Bash"], "tool_input": {"command": "true"}}',
        message("claude", ""),
        message("claude", None),
        message("claude", ["echo"]),
        message("claude", "echo \ud800"),
        message("claude", is_input=True),
        message("claude").replace(b"Bash", b"Write"),
        message("claude", "echo " + "a" * (1 << 20)),
    ],
    ids=lambda sent: repr(sent[:40]),
)
@pytest.mark.parametrize("agent", ["claude", "openhands"])
def test_garbage_is_denied(tmp_path: Path, sent: bytes, agent: str) -> None:
    """A message that is not understood lets nothing pass, with or without an engine."""
    assert "deny" == decision(agent, hooked(tmp_path, agent, sent, PRATIQUE_ENGINE="http://127.0.0.1:9"))


ANALYSIS = b'{"verdict":"harmless","complete":true}'
PROOF = b'{"analysis":%s,"refused":"","held":""}' % ANALYSIS


def answered(body: bytes) -> bytes:
    """Return a successful answer of an engine."""
    return b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body) + body


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]",
        b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n" + PROOF,
        b"HTTP/1.1 500 Error\r\ncontent-length: %d\r\n\r\n" % len(PROOF) + PROOF,
        answered(ANALYSIS),
        answered(b'{"analysis":%s}' % ANALYSIS),
        answered(b'{"analysis":%s,"refused":"","held":null}' % ANALYSIS),
        answered(PROOF.replace(b'"refused":""', b'"refused":"by a rule"')),
        answered(PROOF.replace(b'"held":""', b'"held":"by a rule"')),
        answered(PROOF.replace(b"true", b"1")),
        answered(PROOF.replace(b"harmless", b"violations")),
    ],
)
def test_an_engine_that_answers_anything_but_a_proof_lets_nothing_pass(tmp_path: Path, answer: bytes) -> None:
    """A cut, wrong or failing answer is none."""
    with listening(tmp_path, answer):
        assert "deny" == decision("claude", hooked(tmp_path, "claude", message("claude")))


def test_the_form_of_a_proof_is_the_one_that_passes(tmp_path: Path) -> None:
    """The answers above fail for what is wrong with them, not for how they are sent."""
    with listening(tmp_path, answered(PROOF)):
        assert "allow" == decision("claude", hooked(tmp_path, "claude", message("claude")))


def test_without_an_engine_nothing_passes(tmp_path: Path) -> None:
    """Also what would be proven harmless."""
    assert "deny" == decision("claude", hooked(tmp_path, "claude", message("claude")))


def test_a_remote_engine_that_does_not_answer_lets_nothing_pass(tmp_path: Path) -> None:
    """The way by the client fails closed, too."""
    ended = hooked(tmp_path, "claude", message("claude"), "sandbox", PRATIQUE_ENGINE="http://127.0.0.1:9")
    assert "deny" == decision("claude", ended)


def test_a_broken_installation_denies(tmp_path: Path) -> None:
    """The command in the settings ends with 2, which denies, where the program is missing."""
    missing = tmp_path / "missing"
    ended = subprocess.run(
        ["sh", "-c", f"{missing} hook run claude --otherwise deny || exit 2"],
        capture_output=True,
        check=False,
    )
    assert BLOCKED == ended.returncode


@pytest.mark.parametrize(
    "surroundings",
    [
        {"SHELL": "/bin/zsh"},
        {"BASH_ENV": "/tmp/first"},
        {"LD_PRELOAD": "/tmp/x.so"},
        {"BASH_FUNC_echo%%": "() { rm -rf /; }"},
    ],
    ids=str,
)
def test_where_the_proof_does_not_hold_nothing_passes(
    engine: EngineProcess, surroundings: Mapping[str, str]
) -> None:
    """Another shell, and an environment that changes what commands mean."""
    assert "deny" == decision("claude", hooked(engine.home, "claude", message("claude"), **surroundings))


@pytest.mark.parametrize("command", ["((reboot))", "declare -A m; m[$1]=1", "echo a &>/dev/null"])
def test_an_old_or_another_shell_runs_only_words(command: str) -> None:
    """What bash computes may be a command for sh, and for the bash of macOS."""
    assert doubt(command, {"SHELL": "/bin/sh"}, platform="linux")
    assert doubt(command, {"SHELL": "/bin/bash"}, platform="darwin")
    assert not doubt(command, {"SHELL": "/bin/bash"}, platform="linux")
    assert not doubt("echo 'b a' | wc -l", {"SHELL": "/bin/sh"}, platform="darwin")


def test_a_program_that_lies_elsewhere_on_the_path_is_not_the_one_of_the_proof(
    engine: EngineProcess, tmp_path: Path
) -> None:
    """An agent may have written a `tr` of its own into a folder of the search path."""
    (tmp_path / "tr").write_text("#!/bin/sh\nrm -rf /\n")
    (tmp_path / "tr").chmod(0o755)
    path = f"{tmp_path}:/usr/bin:/bin"
    assert "deny" == decision("claude", hooked(engine.home, "claude", message("claude"), PATH=path))


@pytest.mark.parametrize(
    "command", ["f() { echo $1; }; f hi", "x=1; echo $x", "echo $((1 + 1))", "echo `true`"]
)
def test_in_a_shell_that_lasts_only_words_pass(engine: EngineProcess, command: str) -> None:
    """What could leave something in the shell, or read what is left there, is not proven by its own text."""
    assert "deny" == decision("openhands", hooked(engine.home, "openhands", message("openhands", command)))


def test_the_socket_is_where_the_engine_makes_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The short way to its path leads to the same place."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    assert str(locations.socket()) == proof._socket()
    monkeypatch.delenv("PRATIQUE_HOME")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert str(locations.socket()) == proof._socket()


def test_only_its_own_command_is_known_as_its_own() -> None:
    """The command that fetches a result passes; nothing that merely begins or ends like it does."""
    own = result_command("s-1abc")
    assert is_own(own)
    for other in (
        f"{own}; rm -rf /",
        f"{own}\nid",
        f" {own}",
        f"{own} $(id)",
        own.replace("s-1abc", "*"),
        f"{own}\n",
    ):
        assert not is_own(other)


TEXT = st.text(max_size=40)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
)
FIELDS = st.sampled_from(["tool_name", "tool_input", "command", "cwd", "is_input"])


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=200) | st.dictionaries(FIELDS, JSON).map(lambda value: json.dumps(value).encode()))
def test_no_message_breaks_the_reader(sent: bytes) -> None:
    """Every message is a call with a command or a refusal."""
    try:
        call = read_call(sent, ("Bash",))
    except Refusal:
        return
    assert call.command.strip()


def test_a_deadline_denies(tmp_path: Path) -> None:
    """A hook whose input never ends has denied long before its agent gives it up and goes on."""
    script = (
        "from engine.hooks import hook as h; h.DEADLINE_SECONDS = 0.2; raise SystemExit(h.run_hook('claude'))"
    )
    read, write = os.pipe()
    try:
        ended = subprocess.run(
            [sys.executable, "-c", script], stdin=read, capture_output=True, timeout=60, check=False
        )
    finally:
        os.close(read)
        os.close(write)
    assert (BLOCKED, b"") == (ended.returncode, ended.stdout)
    assert b"did not decide in time" in ended.stderr

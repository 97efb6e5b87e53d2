"""daemon.json keeps all that it holds, and what is no JSON object is refused with its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.setup.daemon_json import add_runtime, merged
from engine.setup.machine import Machine, SetupError

AS_ROOT = Machine(
    root=True, sudo=False, apt=True, systemd=False, distribution="debian", release=12, architecture="x86_64"
)
ENTRY = {"path": "/usr/bin/runsc", "runtimeArgs": ["--network=none"]}

_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
_configs = st.dictionaries(st.text().filter(lambda key: key != "runtimes"), _json, max_size=5)
_runtimes = st.dictionaries(st.text().filter(lambda key: key != "runsc"), _json, max_size=3)


@given(config=_configs, runtimes=_runtimes)
def test_merging_loses_nothing(config: dict[str, object], runtimes: dict[str, object]) -> None:
    """Whatever is configured stays, key by key; the runtime is added."""
    text = merged(json.dumps(config | {"runtimes": runtimes}), "runsc", "/usr/bin/runsc")
    assert text is not None
    assert config | {"runtimes": runtimes | {"runsc": ENTRY}} == json.loads(text)


@pytest.mark.parametrize("text", ["", " \n", "{}"])
def test_empty_file_becomes_one_runtime(text: str) -> None:
    """No file, an empty one and an empty object give the same."""
    assert {"runtimes": {"runsc": ENTRY}} == json.loads(merged(text, "runsc", "/usr/bin/runsc") or "")


def test_runtime_of_that_name_stays_as_it_is() -> None:
    """A runtime that the user configured is not touched, whatever its arguments."""
    text = '{"runtimes": {"runsc": {"path": "/opt/mine", "runtimeArgs": ["--network=host"]}}}'
    assert merged(text, "runsc", "/usr/bin/runsc") is None


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{"debug": true,\n "log-level" "info"}', r"daemon\.json:2:14: Expecting ':' delimiter"),
        ('{\n// comment\n"debug": true}', r"daemon\.json:2:1: "),
        ("[1, 2]", r"daemon\.json: not a JSON object"),
        ('{"runtimes": []}', r"daemon\.json: `runtimes` is not an object"),
        ('{"debug": true, "debug": false}', r"daemon\.json: `debug` appears twice"),
    ],
)
def test_broken_file_is_refused_with_its_place(text: str, where: str) -> None:
    """Broken JSON is neither mended nor overwritten: the line says where, and what to type afterwards."""
    with pytest.raises(
        SetupError, match=where + r".*Edit /etc/docker/daemon\.json, then type: pratique setup$"
    ):
        merged(text, "runsc", "/usr/bin/runsc")


def test_old_file_is_kept_with_its_mode(tmp_path: Path) -> None:
    """The file is replaced whole, its copy and its mode stay, and nothing is left beside it."""
    path = tmp_path / "docker" / "daemon.json"
    path.parent.mkdir()
    path.write_text('{"debug": true}')
    path.chmod(0o600)
    asked: list[str] = []

    def yes(what: str) -> bool:
        asked.append(what)
        return True

    assert add_runtime("runsc", "/usr/bin/runsc", AS_ROOT, yes, path)
    assert {"debug": True, "runtimes": {"runsc": ENTRY}} == json.loads(path.read_text())
    kept = path.with_name("daemon.json.before-pratique")
    assert '{"debug": true}' == kept.read_text()
    assert 0o600 == path.stat().st_mode & 0o777
    assert {path, kept} == set(path.parent.iterdir())
    assert [f"add the runtime runsc to {path}, and keep the old file as {kept}"] == asked


def test_missing_file_is_made(tmp_path: Path) -> None:
    """Where Docker has no configuration, folder and file are made."""
    path = tmp_path / "docker" / "daemon.json"
    assert add_runtime("runsc", "/usr/bin/runsc", AS_ROOT, lambda _: True, path)
    assert {"runtimes": {"runsc": ENTRY}} == json.loads(path.read_text())
    assert not add_runtime("runsc", "/usr/bin/runsc", AS_ROOT, lambda _: True, path)


def test_refusal_changes_nothing_and_says_what_to_add(tmp_path: Path) -> None:
    """Who says no is told the entry, and the file is as it was."""
    path = tmp_path / "daemon.json"
    path.write_text("{}")
    with pytest.raises(SetupError, match=r'Add to the runtimes in .*"runsc": \{"path": "/usr/bin/runsc"'):
        add_runtime("runsc", "/usr/bin/runsc", AS_ROOT, lambda _: False, path)
    assert "{}" == path.read_text()
    assert [path] == list(tmp_path.iterdir())

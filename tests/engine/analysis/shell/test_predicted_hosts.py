"""Which hosts a script is said to reach, and how surely."""

from __future__ import annotations

import pytest

from engine.analysis import analyse
from engine.models import EffectKind, Language


def _hosts(script: str) -> set[str]:
    effects = analyse(script, Language.SHELL).effects
    return {effect.value.text for effect in effects if effect.kind is EffectKind.HOST}


@pytest.mark.parametrize("script", ["echo see https://a.example/docs", "printf '%s' https://a.example"])
def test_an_address_that_is_only_shown_is_not_reached(script: str) -> None:
    """Who prints a link does not follow it."""
    assert set() == _hosts(script)


@pytest.mark.parametrize(
    "script",
    ["curl https://a.example", "echo https://a.example | xargs curl", "echo https://a.example > urls"],
)
def test_an_address_that_another_command_may_get_is_named(script: str) -> None:
    """A pipe or a file passes it on."""
    assert {"a.example"} == _hosts(script)


def test_what_echo_prints_ends_with_a_new_line() -> None:
    """Base64 of what `echo` prints encodes that, too, as bash does."""
    assert {"aGVsbG8hCg.a.example"} == _hosts("ping $(echo 'hello!' | base64 | tr -d =).a.example")

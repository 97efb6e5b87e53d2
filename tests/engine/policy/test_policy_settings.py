"""The settings of policy."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from engine.settings import PolicySettings


@pytest.mark.parametrize(
    "deadlines", [{"high": -1}, {"high": 0}, {"high": "never"}, {"high": float("inf")}, {"low": 9}]
)
def test_no_deadline_is_without_end(deadlines: dict[str, object]) -> None:
    """`never`, a negative or an endless deadline, and one for LOW are refused."""
    with pytest.raises(ValidationError):
        PolicySettings.model_validate({"deadlines": deadlines})

"""Predicted effects of JavaScript."""

from __future__ import annotations

import pytest

from engine.analysis import analyse
from engine.models import Language


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("const { TOKEN } = process.env; f(TOKEN)", {("environment", "TOKEN")}),
        ("const h = process.env.HOME;\nf(h)", {("environment", "HOME")}),
        ("console.log(process.env)", {("environment", "*")}),
        ("export { x } from 'lodash'", {("module", "lodash"), ("package", "lodash")}),
        ("import('got')", {("module", "got"), ("package", "got")}),
        (
            "const r = require('module').createRequire(__filename); r('left-pad')",
            {("module", "module"), ("module", "left-pad"), ("package", "left-pad")},
        ),
        ("fetch(new URL('/p', 'https://b.example'))", {("host", "b.example"), ("url", "https://b.example/p")}),
        ("const o = { env: 1 }; f(o.env)", set()),
    ],
)  # fmt: skip
def test_effects_are_predicted(code: str, expected: set[tuple[str, str]]) -> None:
    """By destructuring, by export, through a loader of its own, from a base address."""
    found = analyse(code, Language.JAVASCRIPT).effects
    assert expected == {(one.kind.value, one.value.text) for one in found}


def test_an_environment_variable_is_reported_where_it_is_read() -> None:
    """Later uses of its name are not reported."""
    found = analyse("const h = process.env.HOME;\nf(h);\nf(h);", Language.JAVASCRIPT).effects
    assert [(1,)] == [one.lines for one in found]

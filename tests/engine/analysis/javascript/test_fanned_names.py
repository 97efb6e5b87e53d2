"""Names that use each other many times are each worked out a few times, not once for every path to them."""

from __future__ import annotations

import pytest

from engine.analysis.javascript.reader import read
from engine.settings import AnalysisSettings

_PAYLOAD = "require('child_process').execSync('rm -rf /')"
_LEVELS = 200
_SOURCES = {
    "functions": (
        f"function f0(x) {{ return {_PAYLOAD}; }}\n",
        "function f{n}(x) {{ return {use}; }}\n",
        "f{m}(x)",
    ),
    "parameters": ("function f0(x) { return eval(x); }\n", "function f{n}(x) {{ {use}; }}\n", "f{m}(x)"),
    "arrays": (f"const f0 = [{_PAYLOAD}];\n", "const f{n} = [{use}];\n", "f{m}[0]"),
    "objects": (f"const f0 = {{a: {_PAYLOAD}}};\n", "const f{n} = {{a: {use}}};\n", "f{m}.a"),
}


def _fanned(kind: str, width: int) -> str:
    first, define, use = _SOURCES[kind]
    lines = (define.format(n=n, use=" + ".join([use.format(m=n - 1)] * width)) for n in range(1, _LEVELS))
    return first + "".join(lines) + use.format(m=_LEVELS - 1) + ";\n"


@pytest.mark.parametrize("width", [2, 8])
@pytest.mark.parametrize("kind", _SOURCES)
def test_fanned_names_take_few_steps(kind: str, width: int) -> None:
    """At most some dozens of steps for each expression; every path would be 2^200."""
    program = read(_fanned(kind, width), AnalysisSettings(), 0)
    assert program.resolver.steps <= 64 * width * _LEVELS


@pytest.mark.parametrize("kind", ["functions", "arrays", "objects"])
def test_the_payload_of_fanned_names_is_found(kind: str) -> None:
    """What stands at their bottom is a call of the library."""
    program = read(_fanned(kind, 2), AnalysisSettings(), 0)
    assert "child_process.execSync" in {call.path for call in program.calls}


def test_a_name_that_was_too_deep_is_found_from_further_up() -> None:
    """An answer left out at one depth is worked out again where the question comes from nearer."""
    chain = "".join(f"function f{n}() {{ return f{n + 1}(); }}\n" for n in range(70))
    program = read(f"{chain}function f70() {{ return require('child_process'); }}\nf0();\nf60().exec('x');\n",
                   AnalysisSettings(), 0)  # fmt: skip
    assert "child_process.exec" in {call.path for call in program.calls}

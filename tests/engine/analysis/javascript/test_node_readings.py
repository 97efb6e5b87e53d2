"""What the grammar calls a comment, a string or a regular expression is that for Node too, or is marked."""

from __future__ import annotations

import shutil

import pytest

from engine.analysis import analyse
from engine.models import Language, Level
from tests.engine.analysis.javascript.node_programs import asked, node_takes, program, variants
from tests.fuzzing import rounds

RULE = "text-two-readings"
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node reads the programs")


def is_marked(code: str) -> bool:
    """Return whether the analysis says that it is not sure, and marks a place as HIGH at least."""
    analysis = analyse(code, Language.JAVASCRIPT)
    marked = [one for one in analysis.violations if one.rule == RULE and one.severity.rank >= Level.HIGH.rank]
    return bool(marked) and not analysis.complete


MISREAD = [
    '{x:1}/"/+evil()//"',
    'label:{x:1}/"/+evil()//"',
    'if (x) {y:1}/"/+evil()//"',
    'x=>{y:1}\n/"/+evil()//"',
    'x = y => {}\n/"/ + evil() //"/',
    'await /"/ 1; evil() //"/',
    'yield /"/ 1; evil() //"/',
    'var await = 1; x = await /"/ 1; evil() //"/',
    'function f() { yield\n/"/+evil()//" }',
    'async function f() { () => { await /"/+evil()//"/ } }',
    "function* f() { function g() { yield /a/g } }",
    "async function f() { class A { x = await /a/g } }",
    'let /"/+evil()//"/',
    "of\n/a/g",
    "x\n++/a/.lastIndex",
    "x = /a//*\n*/evil('x')",
    "x = /a//* b */ /*\n*/eval('evil()')",
    "x /*\n*/ ++\ny",
    "var await = eval; await('evil()')",
    "var yield = eval; yield('evil()')",
    "var \\u0061wait = eval; await('evil()')",
    "var yi\\u{65}ld = 1",
    "globalThis.await = eval; await('evil()')",
    "globalThis.await = eval; await`evil()`",
    "globalThis.await = eval; await\n('evil()')",
    "function f(x = yield) {}",
    "await: f()",
    "x = y => {}\n(eval)('evil()')",
    "x = async () => {}\n[eval][0]('evil()')",
    "{x:1}\n(eval)('evil()')",
    "x = <b>//</b>",
    "yield <b>//'</b>/ 1",
]


@pytest.mark.parametrize("code", MISREAD)
def test_what_node_may_read_otherwise_is_marked(code: str) -> None:
    """Code that is a string, a comment or an operand for the grammar alone is never called read."""
    assert is_marked(code)


ORDINARY = [
    "a = b / c / d; e /= 2",
    "x = /re/.test(y) ? z[1] / 2 : f(1) / 3",
    "if (/x/.test(a)) b = `${a / 2}${'/'}` / 3 // fine",
    "const f = async () => { await g(/x/, await y); for await (const z of y) z / 2 }",
    "await fetch('x'); const y = await z; await new X()",
    "x = { await: 1, yield: 2, let: 3 }; x.await / 2; x.yield / 2; x.get / 2; x.of / x.set",
    "class A { async m() { await (1) } *g() { yield (1) } async *h() { yield await [1] } static s = 1 / 2 }",
    "function* g() { const a = yield (x); yield* [1] }",
    "const f = x => ({ y: 1 })\nconst g = x => { return 1 }\ng(1)",
    "(() => {})(); (function () {})(); ({ x: 1 }).x / 2; !function () {}()",
    "x.replace(/[/\"']/g, '').split(/\\//); return_(/a/)",
    "for (const x of y) if (x) continue\nx++ / 2; i-- / 3",
    "const { a, b: { c } } = d; [x, y] = [y, x]; x = y ? /a/ : /b/",
    "export default async function () { await (x) }",
]


@pytest.mark.parametrize("code", ORDINARY)
def test_ordinary_code_is_not_marked(code: str) -> None:
    """Division, regular expressions, await and yield as everybody writes them."""
    assert RULE not in {one.rule for one in analyse(code, Language.JAVASCRIPT).violations}


@needs_node
def test_node_reads_what_the_grammar_reads() -> None:
    """Of random programs that Node takes, none has other comments, strings or expressions without a mark."""
    compared = 0
    misread: list[tuple[str, str]] = []
    for random in rounds(most=8):
        programs = list(dict.fromkeys(program(random) for _ in range(20_000)))
        taken = [(one, how) for one, how in zip(programs, node_takes(programs), strict=True) if "1" in how]
        read = [(one, how) for one, how in taken if analyse(one, Language.JAVASCRIPT).complete]
        misread += asked(variants(one, how, random) for one, how in read)
        compared += len(read)
    assert [] == misread
    assert compared > 200


@needs_node
def test_the_comparison_finds_what_is_not_marked() -> None:
    """Programs that Node and the grammar are known to read otherwise are told apart."""
    known = ['{x:1}/"/+f()//"', "await /a/g", "yield /a/g", 'x = y => {}\n/"/ + f() //"/']
    random = next(rounds(0))
    asking = (variants(one, how, random) for one, how in zip(known, node_takes(known), strict=True))
    assert set(known) == {one for one, _ in asked(asking)}

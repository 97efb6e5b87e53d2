"""The walk of the Python proof passes over nothing but names of operators and contexts."""

from __future__ import annotations

import ast
import inspect

import pytest

from engine.analysis.python.parse.child_nodes import child_nodes

_LEFT_OUT = (ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop)
_PROGRAM = """
import a.b as c
from . import d as e
global f, g
match h:
    case None | True: pass
    case [1, *i] | {"j": k, **l} | M(n, o=p) as q: pass
    case M.r: pass
async def s(t, /, u: v = 1, *w: x, y, z=2, **aa) -> bb:
    nonlocal t
    await (yield (yield from cc))
    async for dd in ee: pass
    async with ff as gg, hh: return [ii async for ii in jj if kk if ll]
@mm
class nn(oo, metaclass=pp): qq: rr = ss
try: del tt[uu:vv:ww], xx.yy
except* (zz, ab) as ac: raise ad from ae
f"{af!r:{ag}}", {**ah, ai: aj}, lambda *, ak, al=am: an, {ao for ap in aq}, {ar: at for au in av}
if aw < ax <= ay and not az: ba += bb = 1 if bc else (bd := be)
""".replace("ba += bb = 1", "ba = 1")


@pytest.mark.parametrize("source", [_PROGRAM, inspect.getsource(ast), inspect.getsource(inspect)])
def test_all_children_are_walked_but_operators_and_contexts(source: str) -> None:
    for node in ast.walk(ast.parse(source)):
        expected = [one for one in ast.iter_child_nodes(node) if not isinstance(one, _LEFT_OUT)]
        assert expected == child_nodes(node)

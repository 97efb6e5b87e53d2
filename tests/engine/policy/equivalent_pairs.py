"""Random pairs of different programs that the matcher of pre-approvals calls equivalent."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator
from random import Random

from engine.analysis import analyse
from engine.common.text import Untrusted
from engine.models import Draft, Language, Verdict
from engine.policy.comparison.fingerprint import structural_fingerprint

_NAMES = ("a", "b", "c", "total", "x", "_", "print_", "l1", "ª", "sum", "list", "__d")
_FORMS = r"""{0} = {2}
{0} = {1} + {2}
{0} += {2}
{0}: int = {2}
print({0})
print({0}, {1}, sep='{0}', end='{1}')
print(f'{{{0}}} {{{1}!r:>5}}')
print(f'{{{0}=}}')
print('{0}', "{1}")
for {0} in range(3):\n    print({1})
for {0}, {1} in enumerate('{0}{1}'):\n    print({0}, {1})\nelse:\n    print({1})
while {0} < {2}:\n    {0} += 1
def f({0}):\n    {1} = {2}\n    return {0}\nprint(f({2}))
def f({0}={1}):\n    return {0}\nprint(f())
def f():\n    global {0}\n    {0} = {2}\nf()\nprint({0})
def f():\n    {0} = {2}\n    def g():\n        nonlocal {0}\n        {0} += 1\n    g()\n    print({0})\nf()
def f():\n    {0} = {1}\n    return {0}\nprint(f())
def f():\n    yield from ({0} for {0} in range({2}))\nprint(list(f()))
print([{0} for {0} in range({2})], {1})
print({{{0}: {1} for {0} in range({2})}})
print([({0}, {1}) for {0} in range({2}) for {1} in range({0})])
print(({0} := {2}), {0}, {1})
try:\n    print({0})\nexcept Exception as {1}:\n    print({2})
try:\n    print({0})\nexcept NameError:\n    print({2})\nfinally:\n    {1} = {2}
match {0}:\n    case {1}:\n        print({1})
match [{0}, {1}]:\n    case [{2}, *rest]:\n        print(rest)\n    case _:\n        print({0})
class C:\n    {0} = {2}\n    {1} = {0}\nprint(C.{1})
class C:\n    def m(self, {0}):\n        self.{1} = {0}\n        return self.{1}\nprint(C().m({2}))
del {0}
{0}, {1} = {1}, {0}
[{0}, *{1}] = [1, 2, {2}]
{0} = {1} = {2}
print((lambda {0}: {1})({2}))
print(*map(lambda {0}: {0} + {2}, [1, 2]))
import math\nprint(math.sqrt({0} * {0}))
from math import pi\n{0} = pi\nprint({0})
assert {0} == {2}, {1}
if {0} and {1}:\n    print(1)\nelif {0}:\n    print(2)\nelse:\n    print(3)
print(sorted([{0}, {1}, {2}], key=lambda {0}: -{0}))
print({0} if {1} else {2})
with_ = {0}\nprint(with_)
print(dict({0}={1}))
print('{{}} {{}}'.format({0}, {1}))
{0} = [{2}]\n{0}.append({1})\nprint({0})
raise ValueError({0})"""
_NUMBERS = {"1": ("0x1", "0b1", "0_1"[2:], "0o1"), "2": ("0x2", "0b10"), "3": ("0x3", "0o3")}


_STATEMENTS = [line.replace("\\n", "\n") for line in _FORMS.splitlines()]


def program(random: Random, names: tuple[str, ...] = _NAMES) -> str:
    """Return a program of a few statements over a few names, which may end in an error."""
    few = random.sample(names, 3)
    known = [f"{name} = {number}" for number, name in enumerate(few) if random.random() < 0.8]
    chosen = random.choices(_STATEMENTS, k=random.randint(1, 5))
    filled = [one.format(*random.choices(few, k=2), random.randint(0, 3)) for one in chosen]
    return "\n".join([*known, *filled]) + "\n"


def _changed(text: str, random: Random) -> str:
    """Return a program with other names in every place or in some, other blanks, comments and numbers."""
    new = list(_NAMES)
    random.shuffle(new)
    names = dict(zip(_NAMES, new, strict=True))
    some = random.random() < 0.2
    tokens = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        word = token.string
        if token.type == tokenize.NAME and (not some or random.random() < 0.9):
            word = names.get(word, word)
        elif token.type == tokenize.NUMBER and random.random() < 0.2:
            word = random.choice(_NUMBERS.get(word, (word,)))
        elif token.type == tokenize.NEWLINE and random.random() < 0.3:
            word = f"  # {random.choice(_NAMES)} = 1\n"
        elif token.type == tokenize.OP and word in "(,+" and random.random() < 0.1:
            word += " "
        tokens.append((token.type, word))
    return tokenize.untokenize(tokens)


def _fingerprint(text: str, verdict: Verdict) -> str | None:
    return structural_fingerprint(Draft(code=Untrusted(text), language=Language.PYTHON), verdict)


def _are_equivalent(*programs: str) -> bool:
    """Return whether the matcher approves one of two programs upon the other. The cheap half comes first."""
    assumed = {_fingerprint(one, Verdict.HARMLESS) for one in programs}
    if len(assumed) > 1 or None in assumed:
        return False
    found = {_fingerprint(one, analyse(one, Language.PYTHON).verdict) for one in programs}
    return len(found) == 1 and None not in found


def pairs(random: Random, most: int) -> Iterator[tuple[str, str]]:
    """Yield pairs of programs that differ and that the matcher calls equivalent."""
    found = 0
    while found < most:
        one = program(random)
        other = _changed(one, random) if random.random() < 0.95 else program(random)
        if one != other and _are_equivalent(one, other):
            found += 1
            yield one, other

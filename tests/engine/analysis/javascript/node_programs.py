"""Random JavaScript around what parsers disagree about, and what Node itself says of it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from tree_sitter import Node

from engine.analysis.javascript.grammar import parse

_BEFORE = """await|yield|let|x|x++|x--|x\n++|(x)|[x]|{}|if(x)|while(x)|for(;;)|with(x)|x=>{}|x=>x|()=>({})|
function f(){}|class A{}|({})|x={}|return|typeof x|typeof|of|async|get|set|static|this|null|true|new X|
new X()|do{}while(x)|a:|x?y:|x,|`a`|1|1.|.5|"s"|/r/|/r/g|if(x);else|try{}finally{}|x in|void|throw|yield*|
async x=>{}|var v=|let v=|let v|x=await|x=yield|x=function(){}|x=class{}|x=async|x=let|
for(x of|for(x in|for(let of|
for(of of|x=`${|x[|x(|!|x\n|x;\n|\n|{x}|{x:1}|x={x:1}|switch(x){case|switch(x){}|break|new.target|x?.y|x.if|
x.return|x.await|x.yield|({await|({get x(){}})|class B{x=|class B{static{|class B{get|class B{x\n|
class B{x=1\n|debugger\n|arguments|await x|yield x|await(x)|yield(x)|yield\n|await\n|async\n|
async function f(){}|x=async()=>{}|x=x=>{}|function*f(){}|var await,|var yield,|await:|-|
x-->|x<|x>|x<!|/**/|x/**/|//c\n|x//c\n|
-->c\n|<!--c\n|#!c\n|`${x}`|x`a`|x??|x&&|x**|...x|({x:|({x}=|label:{}|label:{x:1}|if(x){x:1}|else|of\n|let\n|
static\n|let[|for await(x of|for(await|x\\|'\\\n'|"\\"|"'"|`\\``|`"`|`//`|`/*`|'//'|"*/"|/[/]/|/[/"]/|/\\//|
/[\\]/]/|x=>{y:1}|x=x=>{y:1}|<b>|x<b>""".replace("|\n", "|").split("|")
_WITHIN = """a|"|'|`|//|/*|*/|[|]|(|)|{|}|\\|${|\n|1|;|x|=|*|/|g| |+|f()|"x"|'x'|,|.|<|>|!|-->|<!--|#|@|:|?|
await|yield|=>""".replace("|\n", "|").split("|")
_AFTER = ["", "}", "})", "}}", ")", "]", "\n", '//"', "//'", "//`", '/*"*/', '"', "'", "`", "/", "*/", "//",
          "}`", " /", "/g", ".x", " + 1", ";"]  # fmt: skip
_AROUND = """%s|function f(){%s}|function*g(){%s}|async function h(){%s}|async function*h(){%s}|
(async()=>{%s})|(()=>{%s})|class A{m(){%s}}|class A{*m(){%s}}|class A{async m(){%s}}|class A{static{%s}}|
({async x(){%s}})|
function*g(){function h(){%s}}|async function g(){function h(){%s}}|function*g(){(()=>{%s})}|({get x(){%s}})|
async function g(){()=>{%s}}|'use strict';%s|x=`${%s}`|x=`${()=>{%s}}`|({*x(){%s}})|class A{x=%s}|
function f(x=%s){}|function*g(x=%s){}|async function f(x=%s){}|(x=%s)=>{}|async(x=%s)=>{}|{%s}|if(x){%s}|
switch(x){case 1:%s}|function*g(){class A{[%s]=1}}|function*g(){class A{x=%s}}|
async function g(){class A{x=%s}}|async function g(){class A{async[%s](){}}}|
async function g(){function h(x=%s){}}|(%s)|[%s]|x(%s)|({x:%s})""".replace("|\n", "|").split("|")
_BLANKS = ["", " ", "\n", " /", "/", " / ", "\n/", "/ "]
_READER = """
const vm = require('node:vm');
const names = ['exports', 'require', 'module', '__filename', '__dirname'];
const takes = (compile) => { try { compile(); return 1; } catch { return 0; } };
for (const line of require('node:fs').readFileSync(0, 'utf8').split('\\n').filter(Boolean)) {
  const code = JSON.parse(line);
  console.log([
    takes(() => vm.compileFunction(code, names)),
    takes(() => new vm.Script(code)),
    takes(() => new vm.Script(`(async () => {${code}\\n})()`)),
  ].join(''));
}
"""
"""The three ways in which the guests of `images/node` compile code: see `runner.js` and `session.js`."""


def program(random: Random) -> str:
    """Return a short text that is a program now and then."""
    parts = []
    for _ in range(random.choice((1, 1, 1, 2))):
        parts += [random.choice(_BEFORE), random.choice(_BLANKS)]
        parts += random.choices(_WITHIN, k=random.randint(0, 6))
        parts += [random.choice(("", "/", " /", "/g", ";", "\n", "/ ", '"', "'"))]
        parts += random.choices(_WITHIN, k=random.randint(0, 5))
        parts += [random.choice(_AFTER), random.choice(("", ";", "\n", " "))]
    text = "".join(parts)
    return random.choice(_AROUND).replace("%s", text) if random.random() < 0.7 else text


def node_takes(programs: Sequence[str]) -> list[str]:
    """Return for each program, as 0 and 1, whether Node compiles it as a module, a script, an async body."""
    lines = "".join(f"{json.dumps(one)}\n" for one in programs)
    done = subprocess.run(
        ["node", "-e", _READER], input=lines, capture_output=True, text=True, timeout=300, check=True
    )
    return done.stdout.split()


@dataclass(frozen=True)
class Variants:
    """A program changed so that Node's answer tells how it reads the tokens of the grammar."""

    program: str
    taken: str
    """What Node says of the program."""
    same: str
    """What the grammar calls a comment, a string or a regular expression has another content: still valid."""
    broken: tuple[str, ...]
    """What the grammar calls code has a character that no code has: not valid any more."""

    def of_both(self) -> tuple[str, ...]:
        """Return all variants."""
        return (self.same, *self.broken)

    def misread(self, answers: Sequence[str]) -> str:
        """Return a variant that shows, by Node's answers, that it reads the program otherwise."""
        for mode, valid in enumerate(self.taken):
            if valid == "1" and answers[0][mode] == "0":
                return self.same
            for variant, answer in zip(self.broken, answers[1:], strict=True):
                if valid == answer[mode] == "1":
                    return variant
        return ""


def variants(text: str, taken: str, random: Random, most: int = 6) -> Variants:
    """Return what to ask Node about a program."""
    data, tokens = text.encode(), list(_tokens(parse(text).root))
    same, last = b"", 0
    for node in tokens:
        if (other := _other(node, data[node.start_byte : node.end_byte])) is not None:
            same += data[last : node.start_byte] + other
            last = node.end_byte
    starts = sorted({node.start_byte for node in tokens if not node.type.endswith(("comment", "line"))})
    random.shuffle(starts)
    broken = tuple((data[:at] + b" @ " + data[at:]).decode() for at in starts[:most])
    return Variants(text, taken, (same + data[last:]).decode(), broken)


def _other(node: Node, content: bytes) -> bytes | None:
    if node.type == "string":
        return content[:1] + b"@@" + content[-1:]
    if node.type == "regex":
        return b"/@@/"
    if node.type == "comment" and content.startswith(b"/*"):
        return b"/*@@" + b"\n" * (b"\n" in content) + b"*/"
    return b"//@@" if node.type == "comment" and content.startswith(b"//") else None


def _tokens(root: Node) -> Iterator[Node]:
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type in {"comment", "html_comment", "hash_bang_line", "string", "regex"}:
            yield node
        elif node.children:
            stack.extend(reversed(node.children))
        elif node.end_byte > node.start_byte and not _is_text(node):
            yield node


def _is_text(node: Node) -> bool:
    """Return whether a character in front of a token would be one of a template's text."""
    if node.type in {"string_fragment", "escape_sequence", "${"}:
        return True
    parent = node.parent
    return node.type == "`" and parent is not None and parent.children[0] != node


def asked(programs: Iterable[Variants]) -> Iterator[tuple[str, str]]:
    """Yield the programs that Node reads otherwise, each with the variant that shows it."""
    listed = list(programs)
    answers = iter(node_takes([one for each in listed for one in each.of_both()]))
    for each in listed:
        if shown := each.misread([next(answers) for _ in each.of_both()]):
            yield each.program, shown

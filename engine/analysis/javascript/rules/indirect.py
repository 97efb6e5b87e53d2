"""Rules of JavaScript about what is reached past its name, handed on, or calls itself."""

from __future__ import annotations

from engine.analysis.javascript.declare import ABUSE, CONSUMPTION, HIGH, MEDIUM, rule

LOOSE_FUNCTION = rule(
    "js-loose-function",
    "Passes on a function that runs texts",
    "exec_eval",
    MEDIUM,
    attack="Hands `eval` on under another name, in a container or as a callback, unseen.",
    why="MEDIUM: it is named, but what it will run is not seen here.",
    fix="Call what you mean where you mean it.",
    match=("['1'].forEach(eval)", "const o = { run: eval }", "(0, eval)(x)", "class A extends Function {}"),
    not_match=("typeof eval", "const o = { eval: 1 }", "x.eval(1)", "x instanceof Function"),
    cwe=95,
    owasp=ABUSE,
)
INDIRECT = rule(
    "js-indirect-name",
    "Picks a global by other means than by its name",
    "obfuscation",
    MEDIUM,
    attack="Walks through all globals, or takes one by a computed name, so that no name is written.",
    why="MEDIUM: the name is not seen, so nor is what is called; HIGH where it is put together from pieces.",
    fix="Write the name.",
    match=(
        "globalThis[name](x)",
        "Object.values(globalThis).find(f)(x)",
        "with (process) { kill(1) }",
        "const { [name]: f } = globalThis; f(x)",
    ),
    not_match=("handlers[name](x)", "Object.values(o).find(f)", "globalThis.setTimeout(f, 1)"),
    cwe=470,
)
LOADED_TOO = rule(
    "js-loader-variable",
    "Makes other programs load code",
    "persistence",
    HIGH,
    attack="Every program that is started later loads the attacker's library or script first.",
    why="HIGH: nothing but loading other code into programs needs these variables.",
    fix="Pass what you need to the one program that needs it.",
    match=("process.env.LD_PRELOAD = '/tmp/x.so'", "process.env['NODE_OPTIONS'] = '--require /tmp/x.js'"),
    not_match=("process.env.NODE_ENV = 'test'", "const p = process.env.LD_PRELOAD"),
    cwe=426,
)
RECURSION = rule(
    "js-endless-recursion",
    "A function calls itself on every path",
    "resource",
    MEDIUM,
    attack="Fills the stack, or the memory where it waits in between, until the program ends.",
    why="MEDIUM: the run's limits end it.",
    fix="Return before the call where there is nothing left to do.",
    match=("function f() { f() }", "const f = () => f()", "function f(n) { const a = n + 1; return f(a) }"),
    not_match=(
        "function f(n) { return n ? f(n - 1) : 0 }",
        "function f(n) { if (!n) return; f(n - 1) }",
        "const f = (n) => n && f(n - 1)",
        "function f() { setTimeout(f, 10) }",
        "function f() { return { f() {} } }",
    ),
    cwe=674,
    owasp=CONSUMPTION,
)
RULES = (LOOSE_FUNCTION, INDIRECT, LOADED_TOO, RECURSION)

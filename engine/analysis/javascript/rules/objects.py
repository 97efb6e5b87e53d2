"""Rules: prototypes, disguise and resources."""

from __future__ import annotations

from engine.analysis.javascript.declare import ABUSE, CONSUMPTION, HIGH, MEDIUM, rule
from engine.models import Confidence

CONSTRUCTOR = rule(
    "js-constructor-escape",
    "Gets at the Function constructor through an object",
    "escape",
    HIGH,
    attack="Makes code out of text, past what guards `eval` and `Function` (vm and vm2 escapes).",
    why="HIGH: nobody who may use `Function` writes it so.",
    fix="Call the function that is meant.",
    match=(
        "this.constructor.constructor('return process')()",
        "[].filter.constructor('alert(1)')()",
        "(() => {}).constructor('return this')()",
        "const A = Object.getPrototypeOf(async function () {}).constructor; A('x')()",
        "''['constructor']['constructor']('x')",
    ),
    not_match=(
        "x.constructor === Array",
        "class A { constructor() { super(); } }",
        "new this.constructor(1)",
    ),
    cwe=693,
    owasp=ABUSE,
)
PROTOTYPE = rule(
    "js-prototype",
    "Changes the prototype that all objects share",
    "escape",
    MEDIUM,
    attack="Gives every object a property of the attacker's choice, which other code then obeys.",
    why="MEDIUM: old libraries extend prototypes too; what reads the property decides what happens.",
    fix="Use a Map, or Object.create(null).",
    match=(
        "obj.__proto__.isAdmin = true",
        "a['__proto__']['x'] = 1",
        "a.constructor.prototype.x = 1",
        "Object.prototype.x = 1",
    ),
    not_match=("A.prototype.f = function () {}", "Object.getPrototypeOf(a)", "o = { __proto__: null }"),
    cwe=1321,
)
MANGLED = rule(
    "js-obfuscated",
    "Is written so that nobody can read it",
    "obfuscation",
    HIGH,
    attack="Hides what the code does from reviewers and scanners.",
    why="HIGH: a reviewer cannot judge it, whatever it does; minified code is no more than MEDIUM.",
    fix="Send the source.",
    match=(
        "[][(![]+[])[+[]]+(![]+[])[!+[]+!+[]]+(![]+[])[+!+[]]+(!![]+[])[+[]]]" * 4,
        "var _0x1a2b=['log'];(function(_0x3c4d,_0x5e6f){_0x3c4d.push(_0x3c4d.shift())})(_0x1a2b,1)",
        "eval(function(p,a,c,k,e,d){return p}('0 1',2,2,'a|b'.split('|'),0,{}))",
    ),
    not_match=("const a = [1, 2, 3].map(x => x + 1)", "let _0 = 1", "!![]"),
    cwe=506,
)
ESCAPED = rule(
    "js-escaped-text",
    "Writes plain text as escapes",
    "obfuscation",
    MEDIUM,
    attack="Keeps words from being read or searched for.",
    why="MEDIUM: the message shows what the text is.",
    fix="Write the text as it is.",
    match=(
        "const a = '\\x63\\x68\\x69\\x6c\\x64\\x5f\\x70\\x72\\x6f\\x63'",
        "x = '\\u0065\\u0076\\u0061\\u006c\\u0028\\u0031\\u0029'",
    ),
    not_match=("'\\x1b[31mred\\x1b[0m'", "'\\u00e9\\u00e8\\u00ea\\u00e0\\u00f9\\u00fb'", "'a\\n\\tb'"),
    cwe=506,
)
HIDDEN_NAME = rule(
    "js-hidden-name",
    "Puts the name of something powerful together from pieces",
    "obfuscation",
    HIGH,
    attack="Calls eval, require or a shell under a name that no search finds.",
    why="HIGH: nobody splits such a name but to hide it; the message shows what it is.",
    fix="Write the name.",
    match=(
        "globalThis['ev' + 'al']('1')",
        "require('child_' + 'process')",
        "global[atob('ZXZhbA==')]('1')",
        "global[String.fromCharCode(101, 118, 97, 108)]('1')",
    ),
    not_match=("obj['a' + 'b']()", "require('./a' + '.js')", "window['fetch']('/a')"),
    cwe=506,
)
ENCODED = rule(
    "js-encoded-literal",
    "Carries a long encoded text",
    "obfuscation",
    MEDIUM,
    attack="Carries a payload that is unpacked later.",
    why="MEDIUM: pictures and certificates look the same.",
    fix="Send the data as an input file.",
    match=("const a = '" + "QUJDr2" * 60 + "'", "const b = '" + "4a6f686e" * 50 + "'"),
    not_match=("const a = '" + "lorem ipsum " * 40 + "'", "const c = '" + "a" * 500 + "'"),
    cwe=506,
    confidence=Confidence.MEDIUM,
)
TABLE = rule(
    "js-code-table",
    "Decodes text through an alphabet of its own",
    "obfuscation",
    MEDIUM,
    attack="Writes the payload in dots and dashes, or any signs that no scanner knows.",
    why="MEDIUM: a teaching example of Morse code looks the same.",
    fix="Write the text as it is.",
    match=(
        "const t = {"
        + ",".join(f"'{'.' * (n % 5 + 1)}{'-' * (n // 5)}': '{chr(97 + n)}'" for n in range(25))
        + "}",
    ),
    not_match=("const t = { '+': 'a', '-': 'b' }", "const m = { a: '.-', b: '-...' }"),
    cwe=506,
    confidence=Confidence.LOW,
)
ENDLESS = rule(
    "js-endless-loop",
    "Loops without an exit",
    "resources",
    MEDIUM,
    attack="Burns the processor until the deadline.",
    why="MEDIUM: the run's time limit ends it.",
    fix="Give the loop an end.",
    match=("while (true) { x++ }", "for (;;) {}", "do { f() } while (1)"),
    not_match=(
        "while (true) { if (x) break; }",
        "for (let i = 0; i < 3; i++) {}",
        "while (true) { await f(); }",
        "function* g() { while (true) yield 1; }",
    ),
    cwe=835,
    owasp=CONSUMPTION,
)
HUGE = rule(
    "js-huge-allocation",
    "Asks for very much memory",
    "resources",
    HIGH,
    attack="Fills the memory until the machine fails.",
    why="HIGH: the run's limits end it, but nothing useful comes of it; MEDIUM where it grows by doubling.",
    fix="Say how much is needed, and keep it small.",
    match=(
        "'x'.repeat(1e10)",
        "Buffer.alloc(8 * 1024 ** 3)",
        "new Array(4e9).fill(0)",
        "new Uint8Array(5e9)",
        "let s = 'a';\nfor (let i = 0; i < 64; i++) { s += s; }",
        "let a = [1];\nwhile (go()) { a = a + a; }",
    ),
    not_match=(
        "'x'.repeat(100)",
        "Buffer.alloc(1024)",
        "new Array(10).fill(0)",
        "let n = 1;\nwhile (n < 9e9) { n += n; }",
        "let s = 'a';\nfor (let i = 0; i < 3; i++) { s += s; }",
    ),
    cwe=770,
    owasp=CONSUMPTION,
)
FORK_BOMB = rule(
    "js-fork-bomb",
    "Starts itself again, or processes without end",
    "resources",
    HIGH,
    attack="Fills the process table until nothing else can start.",
    why="HIGH: the run's limits end it, but nothing useful comes of it.",
    fix="Remove it.",
    match=(
        "while (true) { require('child_process').fork(__filename) }",
        "for (;;) require('child_process').spawn('sleep', ['9'])",
    ),
    not_match=("require('child_process').spawn('ls')", "while (true) { break; }"),
    cwe=400,
    owasp=CONSUMPTION,
)
REGEX = rule(
    "js-explosive-regex",
    "Has a regular expression that can take for ever",
    "resources",
    MEDIUM,
    attack="Stops the program with one crafted text (ReDoS).",
    why="MEDIUM: it needs a hostile text, and the run's time limit ends it.",
    fix="Do not repeat what already repeats.",
    match=("/(a+)+$/.test(x)", "new RegExp('^(([a-z])+.)+[A-Z]([a-z])+$')", "/(.*)*x/"),
    not_match=("/^a+b$/", "/(ab)+/", "/(?:a|b)*/"),
    cwe=1333,
    owasp=CONSUMPTION,
    confidence=Confidence.MEDIUM,
)
BUFFER = rule(
    "js-unsafe-buffer",
    "Uses memory without checks",
    "vuln_lint",
    MEDIUM,
    attack="Reads or writes beyond a buffer, or shows what memory held before.",
    why="MEDIUM: old versions of Node only.",
    fix="Use Buffer.from and Buffer.alloc, and leave checks on.",
    match=("buf.readUInt8(0, true)", "Buffer.allocUnsafe(9)", "buf.writeInt16LE(1, 2, true)"),
    not_match=("buf.readUInt8(0)", "Buffer.alloc(9)"),
    cwe=119,
)
RULES = (
    CONSTRUCTOR,
    PROTOTYPE,
    MANGLED,
    ESCAPED,
    HIDDEN_NAME,
    ENCODED,
    TABLE,
    ENDLESS,
    HUGE,
    FORK_BOMB,
    REGEX,
    BUFFER,
)

"""Changing what tests and results rest on, and data that is lost or held to ransom."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis.javascript.declare import ABUSE, HIGH, MEDIUM, found, rule
from engine.analysis.javascript.model import JavaScriptCall, Program
from engine.analysis.javascript.rules.files import WRITES
from engine.analysis.sql import destroys_everything, destroys_rows
from engine.analysis.weakened_tests import is_runner, is_test, strips_assertions, weakens
from engine.models import Violation

TAMPER = rule(
    "js-tamper",
    "Replaces what tests and results rest on",
    "defense_evasion",
    HIGH,
    attack="Makes failing tests pass, stops clocks, or changes what is parsed and compared.",
    why="HIGH: every later line may behave differently, and a report of success says nothing.",
    fix="Pass a clock or a double as an argument.",
    match=(
        "const assert = require('assert'); assert.strictEqual = () => {}",
        "Date.now = () => 0",
        "global.Date = class {}",
        "JSON.parse = () => ({ ok: true })",
        "globalThis.expect = () => ({ toBe() {} })",
        "process.exit = () => {}",
        "text.replace(/expect\\(.*\\)/g, 'expect(true).toBe(true)')",
        "require('fs').writeFileSync('a.test.js', 'process.exit(0)')",
        "process.on('exit', () => { process.exitCode = 0 })",
        "Object.defineProperty(Math, 'random', { value: () => 0.5 })",
    ),
    not_match=(
        "clock.now = () => 0",
        "const Date = 1",
        "module.exports.parse = f",
        "process.on('exit', () => console.log('bye'))",
        "process.exitCode = 1",
        "text.replace('assert.equal', 'assert.strictEqual')",
    ),
    cwe=471,
)
DATA_LOSS = rule(
    "js-database-loss",
    "Data of a database is deleted",
    "data_loss",
    MEDIUM,
    attack="Destroys tables, collections or whole databases.",
    why="MEDIUM: migrations drop tables too; HIGH for whole databases, schemas and stores.",
    fix="Delete the rows that the purpose names, with a condition.",
    match=(
        "pool.query('DROP TABLE users')",
        "client.db('a').dropDatabase()",
        "db.collection('a').deleteMany({})",
        "require('redis').createClient().flushAll()",
    ),
    not_match=(
        "pool.query('DELETE FROM users WHERE id = 1')",
        "db.collection('a').deleteMany({ id: 1 })",
        "console.log('DROP TABLE users')",
    ),
    cwe=1188,
    owasp=ABUSE,
)
RANSOM = rule(
    "js-encrypts-files",
    "Encrypts files in place",
    "malware",
    HIGH,
    attack="Takes the files of the machine hostage.",
    why="HIGH: honest programs keep what they encrypt.",
    fix="Write the result beside the file, and keep the file.",
    match=(
        (
            "const fs = require('fs'), c = require('crypto'); for (const f of fs.readdirSync('/home')) {"
            " fs.writeFileSync(f + '.x', c.createCipheriv('aes-256-cbc', k, v).update(fs.readFileSync(f)));"
            " fs.unlinkSync(f) }"
        ),
    ),
    not_match=("require('crypto').createCipheriv('aes-256-cbc', k, v).update(x)",),
    cwe=506,
)

_JUDGES = re.compile(
    r"^(?:globalThis\.)?(?:assert(?:\.\w+)+|(?:Date|performance)\.now|Date|JSON\.(?:parse|stringify)|Math\.\w+"
    r"|expect|test|it|describe|assert|process\.(?:exit|hrtime|exitCode)|Object\.is|Promise|Array\.isArray"
    r"|node:test\.\w+|crypto\.(?:random\w+|timingSafeEqual|createHash))$"
)
_QUERIES = re.compile(r"\.(?:query|execute|exec|run|raw|\$executeRawUnsafe|\$queryRawUnsafe|none|any)$")
_DROPS = re.compile(
    r"(?:^|\.)(?:dropDatabase|dropAllTables|flushAll|flushall|flushDb|flushdb|dropSchema|dropAllSchemas)$"
    r"|^sequelize\.Sequelize\(\)\.drop$"
)


def check(program: Program) -> Iterator[Violation]:
    """Yield what is replaced, what is dropped, and files that are encrypted in place."""
    for node, scope in program.names.of("assignment_expression"):
        left = node.child_by_field_name("left")
        if left is None or left.type not in {"member_expression", "subscript_expression"}:
            continue
        owner = program.resolver.path(left.child_by_field_name("object"), scope)
        name = left.child_by_field_name("property") or left.child_by_field_name("index")
        key = program.tree.of(name).strip("'\"`") if name is not None else ""
        if _is_judge(owner, key):
            yield TAMPER.violation(program.tree.span(node), program.text(node))
    for call in program.calls:
        yield from _called(program, call)
    yield from _ransom(program)


def _is_judge(owner: str, key: str) -> bool:
    path = key if owner == "globalThis" else f"{owner}.{key}"
    return bool(owner) and path != "process.exitCode" and _JUDGES.match(path) is not None


def _called(program: Program, call: JavaScriptCall) -> Iterator[Violation]:
    if _weakens_tests(program, call):
        yield found(TAMPER, program, call, "Keeps tests from failing")
    elif (
        call.path == "process.on" and call.arg(0).text == "exit" and "exitCode = 0" in _spaced(program, call)
    ) or (call.path == "Object.defineProperty" and _is_judge(call.arg(0).path, call.arg(1).text)):
        yield found(TAMPER, program, call)
    elif _DROPS.search(call.path):
        yield found(DATA_LOSS, program, call, severity=HIGH)
    elif call.path.endswith("deleteMany") and call.nodes and program.tree.of(call.nodes[0]) in {"{}", "{ }"}:
        yield found(DATA_LOSS, program, call)
    elif _QUERIES.search(call.path) and call.arg(0).kind == "text":
        text = call.arg(0).text
        if destroys_everything(text) or destroys_rows(text):
            yield found(DATA_LOSS, program, call, severity=HIGH if destroys_everything(text) else None)


def _weakens_tests(program: Program, call: JavaScriptCall) -> bool:
    """Whether assertions are edited away, or a test is written so that it cannot fail."""
    if call.path.endswith((".replace", ".replaceAll")) and len(call.nodes) > 1:
        return strips_assertions(program.tree.of(call.nodes[0]), call.arg(1).text)
    written = WRITES.match(call.path) is not None and call.arg(0).kind == "text"
    path = call.arg(0).text
    return written and (is_runner(path) or (is_test(path) and weakens(call.arg(1).text)))


def _spaced(program: Program, call: JavaScriptCall) -> str:
    return re.sub(r"\s*=\s*", " = ", program.tree.of(call.node))


def _ransom(program: Program) -> Iterator[Violation]:
    paths = [call.path for call in program.calls]
    parts = (r"createCipher", r"^fs\..*(?:readdir|glob)", r"^fs\..*write", r"^fs\..*(?:unlink|rm|rename)")
    if all(any(re.search(part, path) for path in paths) for part in parts):
        first = next(call for call in program.calls if "createCipher" in call.path)
        yield found(RANSOM, program, first)

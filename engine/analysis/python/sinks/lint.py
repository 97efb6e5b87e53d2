"""Insecure coding: SQL injection, weak hashes, debug servers, templates."""

from __future__ import annotations

import re

from engine.analysis.python.declare import python_rule
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.patterns import HOLE
from engine.analysis.python.evaluate.sink_registry import PythonCall, handles
from engine.analysis.python.evaluate.values import PythonValue, text_of
from engine.analysis.python.rules.network import LISTEN
from engine.analysis.python.sinks.network import LOCAL
from engine.models import Level

SQL = python_rule(
    "py-sql-injection",
    "SQL is built from strings",
    "vuln_lint",
    Level.MEDIUM,
    attack="Ends the statement early and starts another.",
    why="MEDIUM: depends on where the text comes from.",
    fix="Pass the values as parameters.",
    match=(
        "c.execute('SELECT * FROM t WHERE a = ' + b)",
        "c.execute(f'DELETE FROM t WHERE a = {b}')",
        "c.execute('SELECT * FROM t WHERE a = %s' % b)",
    ),
    not_match=("c.execute('SELECT 1')", "c.execute('SELECT * FROM t WHERE a = ?', (b,))"),
    cwe=89,
)
WEAK_HASH = python_rule(
    "py-weak-hash",
    "A broken hash is used",
    "vuln_lint",
    Level.LOW,
    attack="Finds a second text with the same hash.",
    why="LOW: harmless where nothing depends on the hash.",
    fix="Use SHA-256, or `usedforsecurity=False`.",
    match=("import hashlib\nhashlib.md5(x)", "import hashlib\nhashlib.new('sha1', x)"),
    not_match=("import hashlib\nhashlib.sha256(x)",),
    cwe=327,
)
DEBUG = python_rule(
    "py-debug-server",
    "A server runs with an open debugger",
    "vuln_lint",
    Level.MEDIUM,
    attack="Runs code remotely in the debugger's console.",
    why="MEDIUM: only while the server is reachable.",
    fix="Remove `debug=True`.",
    match=("from flask import Flask\napp = Flask(__name__)\napp.run(debug=True)",),
    not_match=("from flask import Flask\napp = Flask(__name__)\napp.run()", "log(debug=True)"),
    cwe=489,
)
TEMPLATE = python_rule(
    "py-template",
    "A template is not constant, or does not escape its values",
    "vuln_lint",
    Level.LOW,
    attack="Reaches Python through the template, or injects a script into the page.",
    why="LOW: depends on where the text comes from.",
    fix="Use constant templates with `autoescape=True`.",
    match=("import jinja2\njinja2.Environment()", "from mako.template import Template\nTemplate(x)"),
    not_match=("import jinja2\njinja2.Environment(autoescape=True)",),
    cwe=94,
)


_SQL = re.compile(
    r"(?i)^\s*(?:select\b.+\bfrom|insert\s+into|update\b.+\bset|delete\s+from|drop\s+table|create\s+table|alter\s+table|with\b.+\bselect)\b",
    re.DOTALL,
)


def check_sql(evaluator: Evaluator, call: PythonCall, text: str) -> None:
    """Report SQL that is put together from parts."""
    if HOLE in text and _SQL.search(text):
        evaluator.report(SQL, call.node, f"`{text[:80].replace(HOLE, '…')}`")


@handles(
    "hashlib.md5",
    "hashlib.sha1",
    "hashlib.md4",
    "hashlib.new",
    "Crypto.Hash.MD5.new",
    "Crypto.Cipher.DES.new",
    "Crypto.Cipher.ARC4.new",
)
def weak(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A broken hash or cipher."""
    name = call.text(0, "name") if call.name == "hashlib.new" else call.name
    spared = call.keywords.get("usedforsecurity")
    if (
        name is not None
        and re.search(r"(?i)md[45]|sha1|DES|ARC4", name)
        and not (spared is not None and spared.const is False)
    ):
        evaluator.report(WEAK_HASH, call.node, f"`{name}` is broken")
    return PythonValue(name="hashlib.hash()", taint=call.taint)


@handles("flask.Flask().run")
def debug(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A server with a debugger."""
    wanted = call.keywords.get("debug")
    if wanted is not None and wanted.const:
        evaluator.report(DEBUG, call.node, "`debug=True`")
    host = call.text(0, "host")
    if host is not None and not LOCAL.match(host):
        evaluator.report(LISTEN, call.node, f"Listens on `{host}`")
    return None


@handles(
    "jinja2.Environment",
    "jinja2.Template",
    "mako.template.Template",
    "flask.render_template_string",
    "django.utils.safestring.mark_safe",
)
def template(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A template that is not constant, or escapes nothing."""
    if call.name == "jinja2.Environment":
        escape = call.keywords.get("autoescape")
        bad = not call.has(9, "autoescape") or (escape is not None and escape.const is False)
    else:
        bad = text_of(call.arg(0)) is None
    if bad:
        level = Level.MEDIUM if call.name == "flask.render_template_string" else None
        evaluator.report(TEMPLATE, call.node, f"`{call.name}`", severity=level)
    return PythonValue(name=f"{call.name}()")

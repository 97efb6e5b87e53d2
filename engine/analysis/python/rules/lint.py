"""Rules about mistakes that attackers use: injection, weak randomness, weak cryptography."""

from __future__ import annotations

from engine.analysis.python.rules.make import python_rule
from engine.models import Level

SQL = python_rule(
    "py-sql-injection",
    "SQL is put together from text",
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
    why="LOW: fine where nothing depends on it.",
    fix="Use SHA-256, or `usedforsecurity=False`.",
    match=("import hashlib\nhashlib.md5(x)", "import hashlib\nhashlib.new('sha1', x)"),
    not_match=("import hashlib\nhashlib.sha256(x)",),
    cwe=327,
)
DEBUG = python_rule(
    "py-debug-server",
    "A server runs with its debugger open",
    "vuln_lint",
    Level.MEDIUM,
    attack="Runs code in the debugger's console from afar.",
    why="MEDIUM: only while the server is reachable.",
    fix="Remove `debug=True`.",
    match=("from flask import Flask\napp = Flask(__name__)\napp.run(debug=True)",),
    not_match=("from flask import Flask\napp = Flask(__name__)\napp.run()", "log(debug=True)"),
    cwe=489,
)
TEMPLATE = python_rule(
    "py-template",
    "A template comes from text that is not constant, or escapes nothing",
    "vuln_lint",
    Level.LOW,
    attack="Reaches Python through the template, or puts a script on the page.",
    why="LOW: depends on where the text comes from.",
    fix="Use constant templates with `autoescape=True`.",
    match=("import jinja2\njinja2.Environment()", "from mako.template import Template\nTemplate(x)"),
    not_match=("import jinja2\njinja2.Environment(autoescape=True)",),
    cwe=94,
)

RULES = (SQL, WEAK_HASH, DEBUG, TEMPLATE)

"""Functions of libraries that read, write, send and query, as the table of libraries describes them."""

from __future__ import annotations

import re

from engine.analysis.python.declare import python_rule
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.patterns import HOLE, pattern_of
from engine.analysis.python.evaluate.sink_registry import ANY_OBJECT, CALLS, METHODS, Handler, PythonCall
from engine.analysis.python.evaluate.values import PythonValue, Taint
from engine.analysis.python.libraries import LIBRARIES, Access
from engine.analysis.python.rules import files as rules
from engine.analysis.python.sinks import lint
from engine.analysis.python.sinks.files import access_path, check_content, path_of, shown, weight
from engine.analysis.python.sinks.network import report_request
from engine.analysis.sql import destroys_everything, destroys_rows
from engine.models import Level

DATA_LOSS = python_rule(
    "py-database-loss",
    "Data of a database is deleted",
    "data_loss",
    Level.MEDIUM,
    attack="Destroys tables, collections or whole databases.",
    why="MEDIUM: migrations drop tables too; HIGH for whole databases, schemas and stores.",
    fix="Delete the rows that the purpose names, with a condition.",
    match=(
        "import sqlite3\nsqlite3.connect('a.db').execute('DROP TABLE users')",
        "import sqlalchemy\nengine.execute(sqlalchemy.text('DROP SCHEMA public CASCADE'))",
        "cursor.execute('DELETE FROM users')",
        "from pymongo import MongoClient\nMongoClient(u).drop_database('shop')",
        "import redis\nredis.Redis().flushall()",
        "db.users.delete_many({})",
    ),
    not_match=(
        "cursor.execute('DELETE FROM users WHERE id = 1')",
        "cursor.execute('DROP TABLE IF EXISTS scratch')",
        "db.users.delete_many({'id': 1})",
        "print('DROP TABLE users')",
    ),
    cwe=1188,
)

_ADDRESS = re.compile(r"^\w{2,}://")


def judge_sql(evaluator: Evaluator, call: PythonCall, text: str) -> None:
    """Report SQL that deletes more than the rows it names."""
    if destroys_everything(text):
        evaluator.report(DATA_LOSS, call.node, f"`{text.strip()[:80]}`", severity=Level.HIGH)
    elif destroys_rows(text):
        evaluator.report(DATA_LOSS, call.node, f"`{text.strip()[:80]}`")


def _handler(access: Access) -> Handler:
    def handle(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
        return _EFFECTS[access.effect](evaluator, call, call.arg(access.position, access.keyword))

    return handle


def _read(evaluator: Evaluator, call: PythonCall, place: PythonValue | None) -> PythonValue | None:
    name = call.name.rpartition(".")[2]
    if _ADDRESS.match(pattern_of(place)):
        value = report_request(evaluator, PythonCall(call.node, call.name, [place], {}), "get")
        value.name = f"{call.name}()"
        return value
    if place is not None and place.name == "builtins.open()":
        return PythonValue(name=f"{call.name}()", taint=place.taint)
    taint = access_path(evaluator, call, place)
    evaluator.report(rules.OPEN, call.node, f"`{name}` reads {shown(place)}")
    value = PythonValue(name=f"{call.name}()", taint=taint)
    value.trail = (call.node,)
    return value


def _write(evaluator: Evaluator, call: PythonCall, place: PythonValue | None) -> PythonValue | None:
    name = call.name.rpartition(".")[2]
    if place is None or (place.name == "builtins.open()" or (place.name or "").startswith("io.")):
        return None
    if _ADDRESS.match(pattern_of(place)):
        sent = [place, call.receiver, *call.args]
        report_request(evaluator, PythonCall(call.node, call.name, sent, call.keywords), "put")
        return None
    access_path(evaluator, call, place, write=True)
    evaluator.report(rules.WRITE, call.node, f"`{name}` writes {shown(place)}", severity=weight(place))
    check_content(evaluator, call, call.taint, path_of(place) or "", place)
    return None


def _upload(evaluator: Evaluator, call: PythonCall, place: PythonValue | None) -> PythonValue | None:
    taint = access_path(evaluator, call, place)
    name = path_of(place)
    own = name is not None and not taint & Taint.SENSITIVE and weight(place) is not None
    content = PythonValue(taint=0 if own else taint)
    content.trail = (call.node,)
    return report_request(evaluator, PythonCall(call.node, call.name, [], {"data": content}), "upload")


def _query(evaluator: Evaluator, call: PythonCall, place: PythonValue | None) -> PythonValue | None:
    text = pattern_of(place)
    if text != HOLE:
        judge_sql(evaluator, call, text)
        lint.check_sql(evaluator, call, text)
    return place if call.name == "sqlalchemy.text" else None


def _drop(evaluator: Evaluator, call: PythonCall, place: PythonValue | None) -> PythonValue | None:
    verb = call.name.rpartition(".")[2]
    if verb != "delete_many":
        evaluator.report(DATA_LOSS, call.node, f"`{verb}` deletes everything", severity=Level.HIGH)
    elif place is not None and place.items == {}:
        evaluator.report(DATA_LOSS, call.node, "`delete_many` without a condition deletes everything")
    return PythonValue(taint=Taint.NETWORK)


_EFFECTS = {"read": _read, "write": _write, "upload": _upload, "query": _query, "drop": _drop}

for _name, _access in LIBRARIES.items():
    if _name.startswith("*."):
        METHODS[_name[2:]] = ANY_OBJECT[_name[2:]] = _handler(_access)
    else:
        CALLS[_name] = _handler(_access)

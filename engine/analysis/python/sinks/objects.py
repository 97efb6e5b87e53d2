"""Deserialisation: data that becomes objects, and with them calls."""

from __future__ import annotations

import pickletools
import re

from engine.analysis.python.declare import python_rule
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.names import HEAVY_MODULES, canonical
from engine.analysis.python.evaluate.sink_registry import CALLS, METHODS, PREFIXES, PythonCall, handles
from engine.analysis.python.evaluate.values import FOREIGN, PythonValue, Taint, taint_words
from engine.analysis.python.rules import objects as rules
from engine.analysis.python.rules.files import PERSISTENCE
from engine.analysis.python.sinks.paths import OUTSIDE
from engine.analysis.python.word_lists import words
from engine.models import Level

XML = python_rule(
    "py-xml",
    "XML is parsed without protection against entities",
    "deserialization",
    Level.LOW,
    attack="Expands entities to gigabytes, or fetches files through them.",
    why=("LOW: the standard parsers no longer fetch entities; MEDIUM for the SAX, DOM and lxml parsers."),
    fix="Use `defusedxml`.",
    match=("import xml.etree.ElementTree as E\nE.fromstring(x)", "import xml.sax\nxml.sax.parseString(x, h)"),
    not_match=("import xml.etree.ElementTree as E\nE.Element('a')",),
    cwe=611,
)


_LOADERS = words(
    "pickle.load pickle.loads pickle.Unpickler pickle.Unpickler().load dill.load dill.loads "
    "dill.Unpickler marshal.load marshal.loads shelve.open jsonpickle.decode "
    "jsonpickle.unpickler.decode jsonpickle.unpickler.Unpickler jsonpickle.loads pandas.read_pickle "
    "joblib.load sklearn.externals.joblib.load pickle._loads pickle._load "
    "torch.package.PackageImporter keras.models.load_model tensorflow.keras.models.load_model "
    "anyconfig.load ruamel.yaml.load yaml.unsafe_load yaml.full_load yaml.unsafe_load_all "
    "yaml.full_load_all compress_pickle.load mlflow.pyfunc.load_model "
    "multiprocessing.connection.Listener().accept rpyc.connect PIL.ImageMath.eval "
    "numpy.lib.npyio.load klepto.loads hickle.load rpyc.classic.connect srsly.pickle_loads skops.io.load "
    "pickle.pickle.load pickle.pickle.loads pyarrow.deserialize pyarrow.deserialize_from "
    "multiprocessing.connection.Client().recv multiprocessing.connection.Listener().accept().recv "
    "multiprocessing.managers.BaseManager().connect multiprocessing.managers.SyncManager().connect "
    "django.contrib.sessions.serializers.PickleSerializer().loads "
    "hydra.utils.instantiate hydra.utils.call"
)


@handles(*_LOADERS)
def load(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report loading, by where the data comes from; a constant pickle is read."""
    data = call.arg(0)
    taint = data.taint if data is not None else 0
    foreign = taint & FOREIGN
    level = Level.CRITICAL if foreign else Level.MEDIUM if _own_data(evaluator, call, data) else None
    origin = f" from {taint_words(foreign)}" if foreign else ""
    evaluator.report(rules.DESERIALIZE, call.node, f"`{call.name}` loads{origin}", severity=level, value=data)
    if data is not None and isinstance(data.const, bytes):
        _read_pickle(evaluator, call, data.const)
    value = PythonValue(
        taint=(taint & ~Taint.FILE) | (Taint.DECODED if call.name.startswith("marshal") else 0)
    )
    value.layers = (*(data.layers if data is not None else ()), call.name.partition(".")[0])
    if call.name.endswith(("Unpickler",)):
        value.name = f"{call.name}()"
    return value


_TEXTS = ("loads", "decode")
"""Loaders that are given the data itself, and no file."""


_MODELS = re.compile(r"^(?:torch|keras|tensorflow|joblib|sklearn|mlflow|skops|hydra)\.")


def _own_data(evaluator: Evaluator, call: PythonCall, data: PythonValue | None) -> bool:
    """Whether data is a model, a named file of the working folder, or of files that this code writes too."""
    if _MODELS.match(call.name):
        return True
    if call.name.endswith(_TEXTS):
        return False
    written = data is not None and bool(data.taint & Taint.FILE) and _DUMPS(evaluator.source) is not None
    return written or _own_file(call, data)


_BY_PATH = frozenset(("shelve.open", "pandas.read_pickle", "numpy.load"))
_DUMPS = re.compile(r"\b(?:pickle|dill|marshal|\w+\.Pickler\(.*\))\.dump\(").search


def _own_file(call: PythonCall, data: PythonValue | None) -> bool:
    """Whether data comes from a file of the working folder that the code names, or that its operator does."""
    if data is None or data.layers:
        return False
    path = data.items.get("path") if data.items else data if call.name in _BY_PATH else None
    if path is not None and path.taint & Taint.ENVIRONMENT and not path.taint & FOREIGN:
        return True
    name = path.const if path is not None else None
    return isinstance(name, str) and bool(name) and not OUTSIDE.search(name)


def _read_pickle(evaluator: Evaluator, call: PythonCall, data: bytes) -> None:
    """Read the opcodes of a pickle, without loading it, for the functions that it names."""
    strings: list[str] = []
    try:
        for opcode, argument, _ in pickletools.genops(data[:100_000]):
            if opcode.name in ("GLOBAL", "INST"):
                _named(evaluator, call, str(argument).replace(" ", "."))
            elif opcode.name == "STACK_GLOBAL":
                _named(evaluator, call, ".".join(strings[-2:]))
            elif isinstance(argument, str):
                strings.append(argument)
    except Exception:  # broken from here on: what was read counts
        return


def _named(evaluator: Evaluator, call: PythonCall, name: str) -> None:
    known = canonical(name)
    if known.partition(".")[0] in HEAVY_MODULES or known in CALLS:
        evaluator.report(rules.PICKLE_PAYLOAD, call.node, f"The pickle calls `{known}`")


@handles("yaml.load", "yaml.load_all", "ruamel.yaml.YAML().load")
def load_yaml(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """YAML is safe with a safe loader."""
    loader = call.arg(1, "Loader")
    name = loader.name or "" if loader is not None else ""
    if "Safe" in name or "Base" in name or call.name.startswith("ruamel"):
        return None
    return load(evaluator, call)


@handles("ruamel.yaml.YAML")
def make_yaml(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A YAML reader, which can create objects of any class."""
    if call.text(0, "typ") == "unsafe":
        evaluator.report(
            rules.DESERIALIZE, call.node, "Creates a YAML loader that can create objects of any class"
        )
    return PythonValue(name="ruamel.yaml.YAML()")


@handles("torch.load", "torch.jit.load")
def load_torch(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """PyTorch's files are pickles, unless only weights are loaded."""
    weights = call.keywords.get("weights_only")
    return None if weights is not None and weights.const is True else load(evaluator, call)


@handles("numpy.load")
def load_numpy(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """NumPy reads pickles only where asked to."""
    allowed = call.keywords.get("allow_pickle")
    return load(evaluator, call) if allowed is not None and allowed.const else PythonValue(taint=Taint.FILE)


def _from_hub(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    revision = call.keywords.get("revision")
    trusted = call.keywords.get("trust_remote_code")
    fixed = revision is not None and isinstance(revision.const, str) and len(revision.const) >= 7
    if not fixed or (trusted is not None and trusted.const):
        evaluator.report(
            rules.DESERIALIZE,
            call.node,
            f"`{call.name}` fetches a model whose content may change",
            severity=None if trusted is not None and trusted.const else Level.MEDIUM,
        )
    return None


METHODS["from_pretrained"] = _from_hub


def _transformers(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    trusted = call.keywords.get("trust_remote_code")
    if trusted is not None and trusted.const:
        return _from_hub(evaluator, call)
    return PythonValue(name=f"{call.name}()", taint=call.taint)


PREFIXES["transformers"] = _transformers
for _name in (
    "datasets.load_dataset",
    "huggingface_hub.hf_hub_download",
    "huggingface_hub.snapshot_download",
    "torch.hub.load",
):
    CALLS[_name] = _from_hub

_QUIET_XML = words(
    "xml.etree.ElementTree.fromstring xml.etree.ElementTree.parse xml.etree.ElementTree.XML "
    "xml.etree.ElementTree.iterparse xml.etree.cElementTree.fromstring xml.etree.cElementTree.parse"
)
_LOUD_XML = words(
    "xml.sax.parse xml.sax.parseString xml.sax.make_parser xml.dom.minidom.parse "
    "xml.dom.minidom.parseString xml.dom.pulldom.parse xml.dom.pulldom.parseString "
    "xml.dom.expatbuilder.parse xml.dom.expatbuilder.parseString xml.dom.expatreader.create_parser "
    "xml.parsers.expat.ParserCreate lxml.etree.parse lxml.etree.fromstring lxml.etree.XML "
    "xml.sax.expatreader.create_parser lxml.etree.XMLParser xmlrpc.client.loads"
)


@handles(*_QUIET_XML, *_LOUD_XML)
def parse_xml(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """XML parsed by a parser that expands entities."""
    level = Level.MEDIUM if call.name in _LOUD_XML else None
    evaluator.report(XML, call.node, f"`{call.name}` expands entities", severity=level)
    return PythonValue(name=f"{call.name}()", taint=call.taint)


@handles("plistlib.load", "plistlib.loads", "csv.reader", "configparser.ConfigParser().read")
def plain_data(_: Evaluator, call: PythonCall) -> PythonValue | None:
    """Data that stays data."""
    return PythonValue(taint=call.taint) if call.taint else None


@handles("winreg.SetValueEx", "winreg.CreateKey", "winreg.CreateKeyEx", "winreg.SetValue", "winreg.DeleteKey")
def registry(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Windows' registry changed."""
    evaluator.report(PERSISTENCE, call.node, "Changes the registry")
    return None


@handles("crontab.CronTab", "win32com.client.Dispatch().RegisterTask", "schedule_task.create")
def schedule(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """The system's table of what runs when."""
    evaluator.report(PERSISTENCE, call.node, f"`{call.name}` schedules code to run later")
    return PythonValue(name=f"{call.name}()")


@handles("setuptools.setup", "distutils.core.setup")
def setup(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A package whose installation runs code."""
    commands = call.keywords.get("cmdclass")
    if commands is not None or call.has(9, "cmdclass"):
        evaluator.report(PERSISTENCE, call.node, "Installing the package runs this code (`cmdclass`)")
    return None

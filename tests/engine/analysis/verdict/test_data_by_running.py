"""Programs for data that are called harmless are run in their image, watched: one effect fails."""

from __future__ import annotations

import json
from itertools import islice

import pytest

from engine.analysis.verdict.python.data.library import DATA_MODULES
from tests.engine.analysis.verdict import campaign, in_sandbox
from tests.engine.analysis.verdict.harmless_data import HARMLESS
from tests.engine.analysis.verdict.writing_data import DRAWING, WRITING

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(400)]
SEED = 20
GENERATED = 150

EFFECTS = (
    "import pandas as pd\npd.Series([1]).to_csv('../out.csv')",
    "import pandas as pd\npd.Series([1]).agg('to_pickle', path='out.pkl')",
    "import numpy as np\nnp.arange(3).dump('out.npy')",
    "import numpy as np\nprint(np.loadtxt('/etc/hostname', dtype=str))",
    "import pandas as pd\npd.read_csv('http://127.0.0.1:9/x.csv')",
    "import matplotlib.pyplot as plt\nplt.savefig('plot.png')\nplt.savefig('/tmp/plot.png')",
    "import matplotlib.pyplot as plt\nplt.savefig('plot.png', format='pgf')",
    "import matplotlib.pyplot as plt\nplt.title('x', usetex=True)\nplt.savefig('plot.png')",
    "import pandas as pd\ngetattr(pd.Series([1]), 'to_csv')('out.csv')",
)
_LISTED = """
import importlib, json, sys, types
modules = json.load(sys.stdin)
held = [(getattr(importlib.import_module(path), name), name) for path, names in modules for name in names]
json.dump([name for value, name in held if isinstance(value, types.ModuleType)], sys.stdout)
"""


def test_the_watcher_sees_the_effects_of_the_libraries() -> None:
    """Files written, other files read, processes and connections are noticed, whatever library has them."""
    _, run = campaign.LANGUAGES["python-data"][0](SEED)
    assert set(EFFECTS) == {program for _, program in run(list(EFFECTS))}


def test_the_examples_have_no_effect() -> None:
    """Every example of a harmless program is one, and what writes only its workspace does."""
    _, run = campaign.LANGUAGES["python-data"][0](SEED)
    assert [] == run([*HARMLESS, *DRAWING, *WRITING])


def test_generated_programs_that_are_proven_have_no_effect() -> None:
    """Mutations of harmless programs and of attacks, as far as they are called harmless, only compute."""
    make, prove = campaign.LANGUAGES["python-data"]
    programs, run = make(SEED)
    proven = list(islice((one for one in programs if campaign.is_proven(prove(one))), GENERATED))
    assert [] == run(proven)


def test_no_listed_value_is_a_module() -> None:
    """Each listed name is in the image's library, and none is a module."""
    modules = [(path, sorted(module.names)) for path, module in DATA_MODULES.items()]
    command = ("python3", "-I", "-W", "ignore", "-c", _LISTED)
    assert [] == json.loads(in_sandbox.run("python-data", command, json.dumps(modules)))

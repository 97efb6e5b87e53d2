"""The verdict of a submission counts what surrounds its code."""

from __future__ import annotations

import pytest

from engine.analysis import analyse
from engine.analysis_pool import AnalysisPool
from engine.core.submissions.draft_analysis import analyse_draft
from engine.core.submissions.verdict import verdict_of_draft
from engine.models import Draft, Language, Verdict

_CODE = "import math\nprint(math.pi)\n"


def _verdict(**fields: object) -> Verdict:
    draft = Draft.model_validate({"code": _CODE, "language": "python", **fields})
    return verdict_of_draft(draft, analyse(_CODE, Language.PYTHON)).verdict


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"image": "python-data"},
        {"files": [{"name": "data.csv", "content": "YQ=="}]},
        {"permissions": {"secrets": ["API_TOKEN", "KEY", "DB_PASSWORD"]}},
    ],
)
def test_a_draft_keeps_the_proof_of_its_code(fields: dict[str, object]) -> None:
    """Data beside the code changes nothing."""
    assert Verdict.HARMLESS is _verdict(**fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"session": "s1"},
        {"permissions": {"session": True}},
        {"permissions": {"packages": [{"name": "numpy", "version": "1.0"}]}},
        *({"permissions": {"secrets": ["API_TOKEN", name]}} for name in (
            "PYTHONPATH", "MPLBACKEND", "PYTHONSTARTUP", "NODE_OPTIONS", "BASH_ENV", "OPENSSL_CONF",
            "TZ", "GCONV_PATH", "POSIXLY_CORRECT", "API_TOKEN_FILE", "TOKENS",
        )),
        {"image": "notebook"},
        {"image": "own"},
        *({"files": [{"name": name, "content": "YQ=="}]} for name in (
            "math.py", "math.PY", "math.pyc", "math.so", "math.cpython-313-x86_64-linux-gnu.so",
            "math.abi3.so",
            "math/__init__.py", "a.pth", "a.zip", "a.egg", "math.pyw", "math.pyd", "math.py ", "math.py.",
        )),
    ],
)  # fmt: skip
def test_what_surrounds_the_code_can_end_the_proof(fields: dict[str, object]) -> None:
    """Sessions, packages, other images and importable files decide what the code means."""
    assert Verdict.UNPROVEN is _verdict(**fields)


_TABLE = "import pandas as pd\nprint(pd.read_csv('data.csv').head())\n"


@pytest.mark.parametrize(
    ("expected", "name"),
    [(Verdict.HARMLESS, "data.csv"), (Verdict.UNPROVEN, "other.csv"), (Verdict.UNPROVEN, "pandas.py")],
)
async def test_a_program_reads_the_files_of_its_own_draft(expected: Verdict, name: str) -> None:
    """A worker is told the names of the input files; what else is read is not proven."""
    file = {"name": name, "content": "YQ=="}
    draft = Draft.model_validate({"code": _TABLE, "language": "python", "files": [file]})
    pool = AnalysisPool(workers=1)
    try:
        assert expected is (await analyse_draft(pool, draft)).verdict
    finally:
        await pool.close()


_SCRIPT = "console.log(Math.PI)\n"


def _verdict_of_script(**fields: object) -> Verdict:
    draft = Draft.model_validate({"code": _SCRIPT, "language": "javascript", **fields})
    return verdict_of_draft(draft, analyse(_SCRIPT, Language.JAVASCRIPT)).verdict


@pytest.mark.parametrize(
    "fields", [{}, {"image": "node"}, {"files": [{"name": "data.json", "content": "YQ=="}]}]
)
def test_a_script_keeps_the_proof_of_its_code(fields: dict[str, object]) -> None:
    """Data beside a script changes nothing."""
    assert Verdict.HARMLESS is _verdict_of_script(**fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"session": "s1"},
        {"permissions": {"session": True}},
        {"permissions": {"packages": [{"name": "lodash", "version": "1.0.0"}]}},
        {"image": "python"},
        {"image": "own"},
        *({"files": [{"name": name, "content": "YQ=="}]} for name in (
            "fs.js", "fs.JS", "fs.cjs", "fs.mjs", "a.node", "node_modules/util/index.js", "package.json",
            "a.wasm", "fs.js ",
        )),
    ],
)  # fmt: skip
def test_what_surrounds_a_script_can_end_the_proof(fields: dict[str, object]) -> None:
    """Sessions, packages, other images and files that `require` could load decide what a script means."""
    assert Verdict.UNPROVEN is _verdict_of_script(**fields)

"""The measures of the analysis: shares, the area under the curve, hosts named by code."""

from __future__ import annotations

import pytest

from engine.models import Language
from tests.benchmarks.corpora import Sample
from tests.benchmarks.detection import Measure, Verdicts, auc, matrix, measures
from tests.benchmarks.named_hosts import decoded_texts, named_hosts
from tests.benchmarks.rewrites import kept


def _sample(name: str, tier: str, code: str, category: str = "malware") -> Sample:
    return Sample(name, Language.PYTHON, tier, category, name, code)


_RISKY = _sample("risky", "core", "import os\nos.system(input())")
_PLAIN = _sample("plain", "plain", "print(1 + 1)")


def test_the_area_is_one_where_risky_code_is_always_worse() -> None:
    """Risky above benign counts 1, a tie one half, and no samples nothing."""
    found = Verdicts([_RISKY, _PLAIN])
    assert auc(found, [_RISKY], [_PLAIN]) == pytest.approx(1.0)
    assert auc(found, [_PLAIN], [_PLAIN]) == pytest.approx(0.5)
    assert auc(found, [], [_PLAIN]) is None


def test_the_table_has_a_line_for_every_measure_and_marks_what_is_missed() -> None:
    """Values, what is asked, and NO where it is missed."""
    found = Verdicts([_RISKY, _PLAIN])
    lines = list(matrix({Language.PYTHON: found}))
    assert len(list(measures(found, Language.PYTHON))) == len(lines) - 2
    assert any(line.startswith("grave classes HIGH+") and "100.0 (>= 90)" in line for line in lines)
    assert any(line.startswith("plain proven harmless") and "100.0 (>= 60)" in line for line in lines)


def test_rewrites_that_keep_a_category_are_counted_by_the_way_in_which_values_travel() -> None:
    """All of one sample are kept, in all and in each way; plain code has none."""
    found = list(kept([_RISKY, _PLAIN]))
    assert {one.value for one in found} == {100.0}
    assert {"rewrites: closures", "rewrites: loops"} < {one.name for one in found}
    assert list(kept([_PLAIN])) == []


def test_rewrites_of_javascript_are_counted_in_ways_of_its_own() -> None:
    """Binding and taking apart are ways that only JavaScript has; shell has no rewrites."""
    code = "require('child_process').exec(process.argv[2])"
    risky = Sample("risky", Language.JAVASCRIPT, "core", "process", "c", code)
    assert {"rewrites: bind", "rewrites: destructuring"} < {one.name for one in kept([risky])}
    assert list(kept([Sample("risky", Language.SHELL, "core", "process", "c", "rm -rf /")])) == []


def test_a_measure_without_samples_is_neither_passed_nor_missed() -> None:
    """Nothing measured is not a success."""
    assert Measure("x", None, 1.0).passed is None
    assert Measure("x", 1.5, 1.0, at_most=True).passed is False


def test_hosts_are_read_from_texts_and_not_from_prose() -> None:
    """A docstring or an incomplete URL names no host."""
    code = '"""See https://docs.example/."""\nget("https://api.example/v1?k=1")\nget(f"https://{h}/x")'
    assert named_hosts(_sample("x", "core", code)) == {"api.example"}
    script = Sample("y", Language.SHELL, "core", "c", "c", "# https://a.example\ncurl http://b.example:80/x")
    assert named_hosts(script) == {"b.example"}


def test_hosts_in_encoded_literals_count_as_named() -> None:
    """Base64, another character set and lists of bytes are read without the analysis."""
    code = (
        "a = 'aHR0cDovL2EuZXhhbXBsZQ=='\nb = b'\\x82K\\x85\\xa7\\x81\\x94\\x97\\x93\\x85'.decode('cp1026')\n"
        "c = [99, 46, 101, 120, 97, 109, 112, 108, 101]"
    )
    found = decoded_texts(_sample("hidden", "core", code))
    assert ["a.example", "b.example", "c.example"] == [
        host for host in ("a.example", "b.example", "c.example") if host in found
    ]

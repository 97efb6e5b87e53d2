"""The table of benchmarks is aligned and marks missed targets."""

from __future__ import annotations

from tests.benchmarks.__main__ import names, table
from tests.benchmarks.row import Row


def test_columns_line_up() -> None:
    """Names are aligned left, numbers right, and a missed target says NO."""
    rows = [
        Row("print, warm", 5.0, 9.25, 12.0, "ms", 196.0, 39.2, "<= 15 ms", passed=True),
        Row("fill", 12345.6, 2.0, 3.0, "ms", None, None, "", passed=None),
        Row("x", 1.0, 2.0, 3.0, "s", None, None, "< 1 s", passed=False),
    ]
    assert [
        "                p50   p95  p99  unit  baseline   ratio  target    passed",
        "print, warm       5  9.25   12  ms         196  39.20x  <= 15 ms  yes",
        "fill         12,346     2    3  ms",
        "x                 1     2    3  s                       < 1 s     NO",
    ] == list(table(rows))


def test_every_benchmark_is_found() -> None:
    """Every benchmark in the folder is listed."""
    assert "sandbox" in names()

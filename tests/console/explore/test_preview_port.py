"""The port of a preview is the one that code names."""

from __future__ import annotations

import pytest

from console.explore.preview.port import port_of


@pytest.mark.parametrize(
    ("port", "code"),
    [
        (8000, "print(1)"),
        (5000, "from flask import Flask\napp.run()"),
        (5001, "from flask import Flask\napp.run(port=5001)"),
        (9090, "http.server.HTTPServer(('127.0.0.1', 9090), Handler)"),
        (3001, "server.listen(3001)"),
        (8502, "subprocess.run(['streamlit', 'run', 'a.py', '--server.port=8502'])"),
        (4000, '{"port": 4000}'),
        (8000, "port = 99999"),
    ],
)
def test_the_port_that_code_names_is_found(port: int, code: str) -> None:
    """Else the usual one of its library, else 8000."""
    assert port == port_of(code)

"""The judgement of the isolation probe."""

from __future__ import annotations

import pytest

from engine.sandbox.isolation.probe import judge


@pytest.mark.parametrize(
    ("isolated", "output"),
    [
        (True, "4.4.0\n[    0.000000] Starting gVisor...\n[    0.25] Feeding the init monster...\n"),
        (False, "6.1.0-18-amd64\n[    0.000000] Starting gVisor...\n"),
        (False, "4.4.0\n[    0.000000] Linux version 4.4.0\n[    1.0] Starting gVisor...\n"),
        (False, "4.4.0\n"),
        (False, ""),
        (False, "\n[    0.000000] Starting gVisor...\n"),
    ],
)
def test_only_the_gvisor_log_on_another_kernel_is_a_proof(isolated: bool, output: str) -> None:
    """The host's own kernel, an empty log, or the words further down prove nothing."""
    assert isolated == judge(output, "6.1.0-18-amd64", "runsc").isolated

"""Judges what a sandbox reports about its kernel. Pure."""

from __future__ import annotations

from engine.common.text import Untrusted
from engine.models import IsolationProof

_GVISOR = "Starting gVisor"


def judge(output: str, host_kernel: str, runtime: str) -> IsolationProof:
    """Judge the output of `uname -r; dmesg` inside a sandbox. Only gVisor's kernel log is a proof."""
    kernel, _, log = output.partition("\n")
    kernel = kernel.strip()
    first = log.strip().partition("\n")[0][:200]
    isolated = bool(kernel) and kernel != host_kernel and _GVISOR in first
    detail = first if isolated else f"no gVisor kernel log inside the sandbox: {first or 'it is empty'}"
    return IsolationProof(
        isolated=isolated, runtime=runtime, kernel=Untrusted(kernel), detail=Untrusted(detail)
    )

"""The row of Health about the certificate of the TCP address: until when it holds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509

from engine.common.local_files import read_file
from engine.common.text import Untrusted
from engine.models import Check

SOON = timedelta(days=14)
"""A certificate that ends within this time fails the check."""
MOST_BYTES = 1 << 20
NAME = "certificate"


def certificate_check(path: Path, now: datetime | None = None) -> Check:
    """Return the row: failing where the certificate ended, ends soon, or cannot be read."""
    try:
        until = x509.load_pem_x509_certificate(read_file(path, MOST_BYTES)).not_valid_after_utc
    except (OSError, ValueError) as error:
        return Check(name=NAME, ok=False, detail=Untrusted(f"{path}: {error}"), hint=f"ls -l {path}")
    left = until - (now or datetime.now(UTC))
    if left > SOON:
        return Check(name=NAME, ok=True, detail=Untrusted(f"{path}, until {until:%Y-%m-%d}"))
    state = "ended" if left <= timedelta(0) else "ends soon:"
    hint = f"openssl x509 -enddate -noout -in {path}   (then put a new one there and restart)"
    return Check(
        name=NAME, ok=False, detail=Untrusted(f"{path} {state} {until:%Y-%m-%d %H:%M} UTC"), hint=hint
    )

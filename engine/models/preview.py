"""Previews: a server in a running sandbox, shown in a browser."""

from __future__ import annotations

from datetime import datetime

from engine.common.text import Untrusted
from engine.models.base import FrozenModel


class PreviewRequest(FrozenModel):
    """A request that a preview answered. Bytes of the body, seconds until its end."""

    method: Untrusted
    path: Untrusted
    status: int
    size: int
    seconds: float


class Preview(FrozenModel):
    """A preview that is open."""

    id: str
    run: str
    port: int
    """The port in the sandbox."""
    host: str
    """The host name of its pages, with the port on this machine."""
    opened_at: datetime
    requests: int = 0


class OpenedPreview(FrozenModel):
    """A preview, and the link that opens it: in one browser, once."""

    preview: Preview
    link: str

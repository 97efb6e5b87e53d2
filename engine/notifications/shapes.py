"""The form of a notice for each service, where nothing that an agent wrote is markup or a mention. Pure."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from typing import Any

from engine.models import Level
from engine.notifications.notice import Notice

COLOURS = {Level.LOW: 0x2E7D32, Level.MEDIUM: 0xF9A825, Level.HIGH: 0xEF6C00, Level.CRITICAL: 0xC62828}
PRIORITIES = {Level.LOW: "2", Level.MEDIUM: "3", Level.HIGH: "4", Level.CRITICAL: "5"}
JSON = "application/json"
TEXT = "text/plain; charset=utf-8"


def shaped(kind: str, notice: Notice) -> tuple[bytes, Mapping[str, str]]:
    """Return the body and the headers that a service is sent."""
    if kind == "ntfy":
        return _ntfy(notice)
    makers = {"slack": _slack, "discord": _discord, "teams": _teams, "webhook": _plain}
    return json.dumps(makers[kind](notice)).encode(), {"content-type": JSON}


def _plain(notice: Notice) -> Any:
    return notice.model_dump(mode="json") | {"text": notice.text}


def _slack(notice: Notice) -> Any:
    """Text objects of the type plain_text, which Slack does not read as its markup."""
    parts = [{"type": "plain_text", "text": text[:3000], "emoji": False} for text in _parts(notice)]
    return {
        "text": html.escape(notice.title, quote=False),
        "mrkdwn": False,
        "unfurl_links": False,
        "unfurl_media": False,
        "blocks": [{"type": "section", "text": part} for part in parts],
    }


def _discord(notice: Notice) -> Any:
    """Inline code, in which Discord reads no markup; mentions are switched off."""
    lines = [f"`{line.replace('`', 'ˋ')}`" for line in notice.lines if line.strip()]
    embed = {"title": notice.title[:256], "description": "\n".join(lines)[:4000]}
    colour = {"color": COLOURS[notice.risk]} if notice.risk else {}
    return {"embeds": [embed | colour], "allowed_mentions": {"parse": []}}


def _teams(notice: Notice) -> Any:
    """Text runs, in which Teams reads no markup."""
    runs = [
        {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": text}]}
        for text in _parts(notice)
        if text
    ]
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.2",
        "body": runs,
    }
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "content": card}
    return {"type": "message", "attachments": [attachment]}


def _ntfy(notice: Notice) -> tuple[bytes, Mapping[str, str]]:
    """The text as the body; headers hold fixed words alone."""
    priority = PRIORITIES[notice.risk] if notice.risk else "4"
    headers = {"content-type": TEXT, "title": f"Pratique: {notice.kind.value}", "priority": priority}
    return notice.text.encode(), headers | {"markdown": "no"}


def _parts(notice: Notice) -> tuple[str, ...]:
    return tuple(part for part in (notice.title, "\n".join(notice.lines)) if part)

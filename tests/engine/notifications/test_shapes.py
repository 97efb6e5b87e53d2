"""What services are sent: nothing in it is an agent's markup, and nothing is code unless asked for."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.common.text import Untrusted, visible
from engine.models import Level
from engine.notifications.notice import Notice
from engine.notifications.senders.mail import mail
from engine.notifications.settings import MailSettings, NoticeKind
from engine.notifications.shapes import shaped

KINDS = ("webhook", "slack", "discord", "ntfy", "teams")
HOSTILE = "<!channel> @everyone <http://evil|click> *bold* `x` [a](http://evil) \r\nBcc: a@b\x1b[2J \u202e"
MAIL = MailSettings(name="m", kind="email", host="localhost", sender="a@example.org", to=("b@example.org",))


def notice(text: str) -> Notice:
    """Return a notice whose texts an agent chose."""
    shown = " ".join(visible(Untrusted(text), keep="\n\t").split())
    return Notice(
        id="waiting-s-1",
        kind=NoticeKind.WAITING,
        at=datetime(2026, 1, 2, tzinfo=UTC),
        title="HIGH: s-1 waits for you",
        risk=Level.HIGH,
        submission="s-1",
        agent=shown,
        purpose=shown,
        why=shown,
        command="pratique show s-1",
    )


def test_slack_reads_no_markup_in_it() -> None:
    """Agents' text is in objects of plain text alone."""
    body = json.loads(shaped("slack", notice(HOSTILE))[0])
    assert {"plain_text"} == {block["text"]["type"] for block in body["blocks"]}
    assert "evil" not in body["text"]
    assert not body["mrkdwn"]
    assert not body["unfurl_links"]


def test_discord_mentions_nobody() -> None:
    """Mentions are off, and every line is code that no backtick ends."""
    body = json.loads(shaped("discord", notice(HOSTILE))[0])
    assert {"parse": []} == body["allowed_mentions"]
    for line in body["embeds"][0]["description"].split("\n"):
        assert (2, "`", "`") == (line.count("`"), line[0], line[-1])


def test_teams_gets_runs_of_text() -> None:
    """No block of a card is one in which Teams reads markup."""
    card = json.loads(shaped("teams", notice(HOSTILE))[0])["attachments"][0]["content"]
    assert {"RichTextBlock"} == {block["type"] for block in card["body"]}


@given(st.text(max_size=60))
def test_no_text_reaches_a_header(text: str) -> None:
    """The headers of a request and of a mail are the same whatever an agent says."""
    for kind in KINDS:
        assert dict(shaped(kind, notice("x"))[1]) == dict(shaped(kind, notice(text))[1])
    plain, hostile = mail(MAIL, notice("x")), mail(MAIL, notice(text))
    named = {"Subject", "From", "To", "Date", "Message-ID", "Auto-Submitted"}
    assert {name: plain[name] for name in named} == {name: hostile[name] for name in named}
    assert set(hostile.keys()) <= named | {"Content-Type", "Content-Transfer-Encoding", "MIME-Version"}
    assert "text/plain" == hostile.get_content_type()


@pytest.mark.parametrize("kind", KINDS)
def test_control_characters_are_marks(kind: str) -> None:
    """What steers a terminal or turns the direction of writing arrives as something to see."""
    body = shaped(kind, notice(HOSTILE))[0]
    text = body.decode() if kind == "ntfy" else json.dumps(json.loads(body), ensure_ascii=False)
    assert "\x1b" not in text
    assert "\u202e" not in text

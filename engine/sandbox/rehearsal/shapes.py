"""Credentials of nobody, shaped like real ones and drawn anew each time."""

from __future__ import annotations

import base64
import json
import secrets
import string
from collections.abc import Callable

ALPHANUMERIC = string.ascii_letters + string.digits
_BASE32 = string.ascii_uppercase + "234567"
_URL = ALPHANUMERIC + "-_"


def drawn(alphabet: str, length: int) -> str:
    """Return random characters."""
    return "".join(secrets.choice(alphabet) for _ in range(length))


def aws_key() -> str:
    """Return the id of an access key of AWS."""
    return f"AKIA{drawn(_BASE32, 16)}"


def aws_secret() -> str:
    """Return the secret of an access key of AWS."""
    return drawn(ALPHANUMERIC, 18) + drawn(ALPHANUMERIC + "/+", 4) + drawn(ALPHANUMERIC, 18)


def jwt() -> str:
    """Return a token with a head, a body and a signature."""
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    body = json.dumps({"sub": drawn(string.digits, 10), "iat": 1_700_000_000 + secrets.randbelow(10**7)})
    return f"{head}.{base64.urlsafe_b64encode(body.encode()).decode().rstrip('=')}.{drawn(_URL, 43)}"


def password() -> str:
    """Return a long password that needs no quoting in an address."""
    return drawn(ALPHANUMERIC, 20)


def key_body(head: bytes, lines: int) -> str:
    """Return the lines of a key in base64, the first of which begins as such keys do."""
    body = base64.b64encode(head + secrets.token_bytes(48 * lines - len(head))).decode()
    return "\n".join(body[start : start + 64] for start in range(0, len(body), 64))


def openssh_key() -> str:
    """Return something that looks like a private key of OpenSSH."""
    body = key_body(
        b"openssh-key-v1\0\0\0\0\4none\0\0\0\4none\0\0\0\0\0\0\0\1\0\0\0\x33\0\0\0\x0bssh-ed25519", 6
    )
    return f"-----BEGIN OPENSSH PRIVATE KEY-----\n{body}\n-----END OPENSSH PRIVATE KEY-----\n"


def rsa_key() -> str:
    """Return something that looks like a private RSA key."""
    body = key_body(b"\x30\x82\x04\xa4\x02\x01\x00\x02\x82\x01\x01\x00", 24)
    return f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\n"


TOKENS: dict[str, Callable[[], str]] = {
    "GitHub token": lambda: f"ghp_{drawn(ALPHANUMERIC, 36)}",
    "GitLab token": lambda: f"glpat-{drawn(_URL, 20)}",
    "npm token": lambda: f"npm_{drawn(ALPHANUMERIC, 36)}",
    "PyPI token": lambda: f"pypi-AgEIcHlwaS5vcmc{drawn(_URL, 80)}",
    "OpenAI key": lambda: f"sk-proj-{drawn(ALPHANUMERIC, 48)}",
    "Anthropic key": lambda: f"sk-ant-api03-{drawn(_URL, 93)}AA",
    "Hugging Face token": lambda: f"hf_{drawn(string.ascii_letters, 34)}",
    "Slack token": lambda: (
        f"xoxb-{drawn(string.digits, 12)}-{drawn(string.digits, 13)}-{drawn(ALPHANUMERIC, 24)}"
    ),
    "Stripe key": lambda: f"sk_live_{drawn(ALPHANUMERIC, 24)}",
    "Google key": lambda: f"AIza{drawn(_URL, 35)}",
    "SendGrid key": lambda: f"SG.{drawn(_URL, 22)}.{drawn(_URL, 43)}",
    "Discord token": lambda: f"M{drawn(ALPHANUMERIC, 25)}.{drawn(_URL, 6)}.{drawn(_URL, 38)}",
    "Vault token": lambda: f"hvs.{drawn(ALPHANUMERIC, 24)}",
    "DigitalOcean token": lambda: f"dop_v1_{secrets.token_hex(32)}",
    "session secret": lambda: secrets.token_hex(32),
    "JWT": jwt,
    "database password": password,
    "registry password": password,
    "cluster token": jwt,
    "browser password": password,
}
"""A decoy of each kind that has one value."""
HOMES: dict[str, tuple[str, ...]] = {
    "GitHub token": ("github.com", "githubusercontent.com"),
    "GitLab token": ("gitlab.com",),
    "npm token": ("npmjs.org", "npmjs.com"),
    "PyPI token": ("pypi.org",),
    "OpenAI key": ("openai.com",),
    "Anthropic key": ("anthropic.com",),
    "Hugging Face token": ("huggingface.co",),
    "Slack token": ("slack.com",),
    "Stripe key": ("stripe.com",),
    "Google key": ("googleapis.com",),
    "SendGrid key": ("sendgrid.com",),
    "Discord token": ("discord.com",),
    "DigitalOcean token": ("digitalocean.com",),
    "AWS key": ("amazonaws.com",),
}
"""The hosts at which a credential is meant to be shown."""

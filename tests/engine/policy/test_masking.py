"""Nothing that looks like a secret goes back to an agent, however it is printed, and plain text stays."""

from __future__ import annotations

import base64
import json
import re
import urllib.parse
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.models import Stream
from engine.policy.output.masking import mask_beginning, mask_secrets
from engine.policy.output.masking.formats import SecretFormat, formats
from engine.server.http.session_output import LineBuffer
from tests.engine.policy.secret_samples import DRAWN, Sample, armour, samples

Form = Callable[[str], str]


def _unicode(text: str) -> str:
    return "".join(f"\\u{ord(letter):04x}" if not letter.isalnum() else letter for letter in text)


def _wrapped(text: str) -> str:
    encoded = base64.b64encode(text.encode()).decode()
    return "\n".join(encoded[place : place + 76] for place in range(0, len(encoded), 76))


PRINTED: dict[str, Form] = {
    "as it is": str,
    "in a sentence": lambda text: f"the value is {text} and no other\n",
    "behind an escaped line end": lambda text: f"line one\\n{text}\\nline three",
    "repr": repr,
    "repr in a list": lambda text: repr(["a", text, 1]),
    "json": json.dumps,
    "json in an object": lambda text: json.dumps({"data": {"x": [text]}}),
    "json in json": lambda text: json.dumps({"log": json.dumps({"x": text})}),
    "json in json in json": lambda text: json.dumps(json.dumps(json.dumps(text))),
    "unicode escapes": _unicode,
    "percent": lambda text: urllib.parse.quote(text, safe=""),
    "query": lambda text: f"GET /x?y={urllib.parse.quote(text)}&z=1",
    "percent twice": lambda text: urllib.parse.quote(urllib.parse.quote(text, safe=""), safe=""),
    "html": lambda text: (
        f"<p>{text.replace('&', '&amp;').replace(chr(34), '&quot;').replace(chr(39), '&#39;')}</p>"
    ),
    "carriage returns": lambda text: text.replace("\n", "\r\n"),
    "escaped carriage returns": lambda text: text.replace("\n", "\\r\\n"),
}
ENCODED: dict[str, Form] = {
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 of more": lambda text: base64.b64encode(f"some text {text} more".encode()).decode(),
    "base64, url-safe": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "base64 in lines": _wrapped,
    "base64 in json": lambda text: json.dumps({"x": _wrapped(text)}),
    "base64 of json": lambda text: base64.b64encode(json.dumps({"x": text}).encode()).decode(),
    "base64 of base64": lambda text: base64.b64encode(base64.b64encode(text.encode())).decode(),
    "base64 of UTF-16": lambda text: base64.b64encode(text.encode("utf-16-le")).decode(),
    "base64 behind a word": lambda text: f"data/{base64.b64encode(text.encode()).decode()}",
    "hexadecimal": lambda text: text.encode().hex(),
}
EVERY = samples()


def test_the_corpus_is_large() -> None:
    assert len(EVERY) > 900


@pytest.mark.parametrize("form", PRINTED)
def test_every_secret_is_masked_as_printed(form: str) -> None:
    """Of every secret nothing is left, in whichever way it is printed."""
    kept = [sample.name for sample in EVERY if _is_left(sample, PRINTED[form](sample.text))]
    assert [] == kept


@pytest.mark.parametrize("form", ENCODED)
def test_every_secret_is_masked_encoded(form: str) -> None:
    """Of every secret nothing is left where the text around it is base64 or hexadecimal."""
    masked = {sample.name: mask_secrets(ENCODED[form](sample.text)) for sample in EVERY}
    assert [] == [name for name, text in masked.items() if "[masked: " not in text]


def _is_left(sample: Sample, printed: str) -> bool:
    """Return whether a part of a secret that would help is still there."""
    return _is_left_of(sample, mask_secrets(printed))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("x " + "gh" + "p_" + DRAWN + " y", "x [masked: token] y"),
        (f"DB_PASS={DRAWN}\nHOME=/root", "DB_PASS=[masked: secret]\nHOME=/root"),
        ('{"password": "hunter2", "n": 1}', '{"password": "[masked: secret]", "n": 1}'),
        (f"a\n{armour('PRIVATE KEY')}\nb", "a\n[masked: private key]\nb"),
        (json.dumps({"k": armour("PRIVATE KEY"), "n": 1}), '{"k": "[masked: private key]", "n": 1}'),
        ("postgres://u:p@ss@h/x", "postgres://u:[masked: password]@h/x"),
        (f"Authorization: Bearer {DRAWN}\nHost: x", "Authorization: [masked: secret]\nHost: x"),
        ("two: " + base64.b64encode(f"password={DRAWN}".encode()).decode(), "two: [masked: secret, encoded]"),
    ],
)
def test_what_is_around_a_secret_stays(text: str, left: str) -> None:
    assert left == mask_secrets(text)


PLAIN = [
    "the token of my esteem", "total: 1234567", "tokens: 4096, max_tokens=512", "key: value",
    "keys = ['a', 'b']",
    "pass: 12, fail: 3", "PASSED tests/test_x.py::test_password", "password: None",
    "password = os.environ['DB_PASS']",
    "password=${DB_PASSWORD}", "api_key: <your key>", "secret = get_secret('x')", "session: 12 users",
    "author: bob",
    "https://example.org:8080/@scope/pkg@1.0", "https://example.org/a@b", "http://localhost:8000/",
    "git@github.com:a/b.git",
    "mailto:bob@example.org", "sha256: " + "ab" * 32, "commit 0123456789abcdef0123456789abcdef01234567",
    "550e8400-e29b-41d4-a716-446655440000",
    "data:image/png;base64," + base64.b64encode(bytes(range(200))).decode(),
    "/usr/lib/python3.13/site-packages/numpy/core/_multiarray_umath.cpython-313-x86_64-linux-gnu.so",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMCow\n-----END PUBLIC KEY-----",
    "sk-learn", "sk-SK", "AKIRA", "task-12345678901234567890", "12:30:45:00:11", "00:1a:2b:3c:4d:5e",
    "eyJ is how JSON begins",
    "the password was wrong", "Enter password:", "token_type: bearer", "password_length: 16",
    "cookie policy", "pin: 3",
    "basic training", "bearer of bad news", "signature: f(x, y)", "auth: required", "n_keys=12345678",
    "primary key: id",
    "monkey: banana1", "hotkey: ctrl+k", "sort key = lambda x: x[0]", "username:password@host is the form",
    "100%25 of %41ll", "C:\\new\\table\\x41", "<token>", "****", "password: ********",
    "token: [masked: token]",
]  # fmt: skip


@pytest.mark.parametrize("text", PLAIN)
def test_plain_text_stays(text: str) -> None:
    assert text == mask_secrets(text)


@pytest.mark.parametrize("form", formats(), ids=lambda form: form.name)
def test_a_format_is_matched_without_backtracking(form: SecretFormat) -> None:
    """A body consists of literals and of bounded possessive repetitions of one class of characters."""
    repeated = r"(?:\[[^\]]+\]\{\d+(?:,\d+)?\}\+|\\\.|=\{0,2\}\+|\(\?!\[[^\]]+\]\))"
    assert re.fullmatch(rf"{repeated}+(?:\(\?:{repeated}+\)\?)?", form.body)
    assert all(
        4 <= len(prefix) or prefix in {"SG.", "hf_", "r8_", "SK", "sk-", "$1$", "$5$", "$6$", "$y$", "fw_"}
        for prefix in form.prefixes
    )
    assert "{" in form.example


PIECES = ["-eyJ", "eyJ.", "eyJ", "a://b:", "a://", "@", "-----BEGIN PRIVATE KEY-----", "-----BEGIN ",
"-----END PRIVATE KEY-----",
          "password=", "token=", "password: |\n ", "'password': '", "password \"", "\\u0070", "\\\\",
          "\\", "%25", "%", "&#39;",
          "\x1b[", "\x1b[1m", "QUJD", "QUJD\n", "sk-", "gh" + "p_", "xoxb-", "AKIA", "SG.", "$1$",
          "<password>", "machine ",
          "Bearer ", "Basic ", "a:1234:", "00", "Private-Lines: 1\n", "jdbc:oracle:thin:", "root:", "M.",
          "1:AA", "\n", " ", "a", "a.", "_"]  # fmt: skip


@pytest.mark.parametrize("piece", PIECES)
def test_hostile_text_is_read_in_one_go(piece: str) -> None:
    """300,000 characters of beginnings come to an end, as they would not if each read all that follows."""
    assert mask_secrets(piece * (300_000 // len(piece))) is not None


@given(st.text(alphabet=st.sampled_from("\\\"'u0nx%25=:@/{}[]pasword &#39;\x1b[m\n-BEGIN"), max_size=200))
def test_no_text_breaks_the_masking(text: str) -> None:
    mask_secrets(text)
    mask_beginning(text, 20)


@pytest.mark.parametrize("most", range(0, 120, 7))
def test_a_secret_at_the_cut_is_masked_whole(most: int) -> None:
    """Where output is cut, no beginning of a secret is left."""
    text = f"{'x ' * 10}{'gh'}p_{DRAWN} and {'y ' * 100}"
    assert DRAWN[:3] not in mask_beginning(text, most)


@pytest.mark.parametrize("size", [1, 7, 64, 333])
def test_a_secret_in_parts_is_masked(size: int) -> None:
    """However a stream is cut into parts, nothing of a secret is released before it is known."""
    kept = [
        sample.name
        for sample in EVERY[:: 1 if size > 10 else 5]
        for form in ("as it is", "in a sentence", "json in an object")
        if _is_left_of(sample, _streamed(f"first\n{PRINTED[form](sample.text)}\nlast\n", size))
    ]
    assert [] == kept


@pytest.mark.parametrize("size", [100, 4096])
def test_encoded_secrets_in_parts_are_masked(size: int) -> None:
    """Lines of base64 are held back until they are over."""
    texts = [f"first\n{_wrapped(armour('PRIVATE KEY'))}\nlast\n", f"x{'a' * 200_000} password={DRAWN} y"]
    assert "[masked: private key, encoded]" in _streamed(texts[0], size)
    assert DRAWN not in _streamed(texts[1], size)


def _streamed(text: str, size: int) -> str:
    buffer = LineBuffer(Stream.STDOUT)
    content = text.encode()
    parts = [buffer.feed(content[place : place + size]) for place in range(0, len(content), size)]
    return "".join((*parts, buffer.flush()))


def _is_left_of(sample: Sample, masked: str) -> bool:
    parts = [sample.secret[place : place + 12] for place in range(0, max(1, len(sample.secret) - 11), 6)]
    return "[masked: " not in masked or any(part in masked for part in parts)

"""Exactly what is masked and what stays, where one character more or less decides."""

from __future__ import annotations

import pytest

from engine.policy.output.masking import mask_secrets
from engine.policy.output.masking.assignments import NameStrength, strength_of
from engine.policy.output.masking.shapes import MOST_KEY, open_key, private_keys
from engine.policy.output.masking.spans import MaskedSpan, joined, masked

BEGIN, END = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"
HEAD = "eyJhbGciOiJub25lIn0"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("postgres://u:p@h", "postgres://u:[masked: password]@h"),
        ("https://user:secret@host/path", "https://user:[masked: password]@host/path"),
        ("https://u:p/w@h", "https://u:[masked: password]@h"),
        ("amqp://u:p/w@h", "amqp://u:[masked: password]@h"),
        ("https://u@x:p@h", "https://u@x:[masked: password]@h"),
        ("HTTPS://u:p@h?x=1@2", "HTTPS://u:[masked: password]@h?x=1@2"),
        ("redis://:pw@h", "redis://:[masked: password]@h"),
        ("postgres://host:5432/db@x", "postgres://host:[masked: password]@x"),
        ("https://Abcdef0123456789@host/x", "https://[masked: token]@host/x"),
        (
            "a https://u:p@h and https://u:q@h",
            "a https://u:[masked: password]@h and https://u:[masked: password]@h",
        ),
    ],
)
def test_what_an_address_gives_away_is_masked(text: str, left: str) -> None:
    """The password, with everything up to the last `@` of the authority, or the token in its place."""
    assert left == mask_secrets(text)


@pytest.mark.parametrize(
    "text",
    [
        *("https://host:8080/a@b", "https://host:/a@b", "https://host/a@b", "postgres://host/db@x"),
        *("postgres://u:@h", "file:///a@b", "https://Abcdef012345678@host/x"),
        *("https://aaaaaaaaaaaaaaaaaaaa@host", "bob:pw@udp(h)", "h:123:d:u:p"),
    ],
)
def test_an_address_without_a_password_stays(text: str) -> None:
    """Ports, paths with `@`, empty passwords and short or plain user names."""
    assert text == mask_secrets(text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"{HEAD}.e30.", "[masked: web token]"),
        (f"a {HEAD}.e30.abc b {HEAD}.e30.abd c", "a [masked: web token] b [masked: web token] c"),
        (f"{HEAD}.e30", f"{HEAD}.e30"),
        (f"{HEAD}..x", f"{HEAD}..x"),
        ("eyJhb.e30.x", "eyJhb.e30.x"),
        ("Bearer aB3dE6gH9jK2mN5p", "Bearer [masked: token]"),
        ("token aB3dE6gH9jK2mN5p", "token [masked: token]"),
        ("Bearer aB3dE6gH9jK2mN5", "Bearer aB3dE6gH9jK2mN5"),
        ("Basic dXNlcjpw", "Basic [masked: password]"),
        ("Basic dXNlcjpwdw==", "Basic [masked: password]"),
        ("Basic dXNlcnBw", "Basic dXNlcnBw"),
        ("db.example:5432:mydb:bob:s3cret", "db.example:5432:mydb:bob:[masked: password]"),
        ("h:*:d:u:p x", "h:*:d:u:[masked: password] x"),
        ("bob:pw@tcp(h:3306)/db", "bob:[masked: password]@tcp(h:3306)/db"),
        ("JDBC:ORACLE:oci:bob/p@h", "JDBC:ORACLE:oci:bob/[masked: password]@h"),
    ],
)
def test_tokens_and_credentials_are_masked_by_their_parts(text: str, left: str) -> None:
    """A token has three parts, a header of 16 characters, and credentials have a colon."""
    assert left == mask_secrets(text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"{BEGIN}\nMIIB\nQUJD\n\nplain text here", "[masked: private key]plain text here"),
        (f"{BEGIN}\nMIIB\n{BEGIN}\nMIIC\n{END}\nx", "[masked: private key][masked: private key]\nx"),
        (f"x\n{END}\ny", f"x\n{END}\ny"),
        ("-----BEGIN CERTIFICATE-----\nMIIB", "-----BEGIN CERTIFICATE-----\nMIIB"),
        (
            "a -----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIB\nnot one",
            "a [masked: private key]not one",
        ),
    ],
)
def test_a_private_key_ends_with_its_last_line(text: str, left: str) -> None:
    """Or as far as there are lines of a key."""
    assert left == mask_secrets(text)


@pytest.mark.parametrize(("size", "end"), [(MOST_KEY, MOST_KEY), (MOST_KEY + 1, 0)])
def test_a_key_has_an_end_near_its_beginning(size: int, end: int) -> None:
    """What begins and ends further apart is not taken for one key."""
    text = f"{BEGIN}{'!' * size}{END}"
    (span,) = private_keys(text)
    assert (0, len(BEGIN) + end + (len(END) if end else 0)) == (span.start, span.end)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (f"{BEGIN}\nM", 0),
        (f"x{BEGIN}\n{END}", None),
        ("-----BEGIN CERTIFICATE-----", None),
        (f"{BEGIN}\n-----END CERTIFICATE-----", 0),
        (f"a\n{BEGIN}\n{END}\n{BEGIN}", len(f"a\n{BEGIN}\n{END}\n")),
        (f"{BEGIN}{'x' * MOST_KEY}", None),
    ],
)
def test_where_a_key_is_open(text: str, place: int | None) -> None:
    """Where the last key begins whose end has not come, while it can still be one."""
    assert place == open_key(text)


@pytest.mark.parametrize(
    ("strength", "names"),
    [
        (
            NameStrength.STRONG,
            "password dbPassword DB_PASS passWord pass_phrase MYPASSWD secret_key api_key SECRET2 key_pass",
        ),
        (NameStrength.WEAK, "pass primary_key key token GITHUB_TOKEN next_token pass_key auth session pin"),
        (NameStrength.HEADER, "Cookie --cookie Authorization x-api-key"),
        (NameStrength.NOTHING, "password_hash token_type pwd_2_x a 2 username"),
    ],
)
def test_what_a_name_says(strength: NameStrength, names: str) -> None:
    """By its last words, numbers and words that say nothing left out."""
    assert dict.fromkeys(names.split(), strength) == {name: strength_of(name) for name in names.split()}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("password: hunter2", "password: [masked: secret]"),
        ("password       = hunter2", "password       = [masked: secret]"),
        ("password =             hunter2", "password =             [masked: secret]"),
        ("--password hunter2", "--password [masked: secret]"),
        ("machine h login u password hunter2", "machine h login u password [masked: secret]"),
        ("<password>hunter2</password>", "<password>[masked: secret]</password>"),
        ("password => 'hunter2'", "password => '[masked: secret]'"),
        ('password := "hunter2"', 'password := "[masked: secret]"'),
        ("password = r'hunter2'", "password = r'[masked: secret]'"),
        ("password: |\n  one\n  two\nnext: 3", "password: |\n[masked: secret]next: 3"),
        ("Cookie: a=b; c=d\nx", "Cookie: [masked: secret]\nx"),
        ("export PASSWORD=a b c\nx", "export PASSWORD=[masked: secret]\nx"),
        ("echo PASSWORD=abc d", "echo PASSWORD=[masked: secret] d"),
        ("  > password: a b\nc", "  > password: [masked: secret]\nc"),
        ("'password=hunter2' x", "'password=[masked: secret]' x"),
        ('"password=hunter2" x', '"password=[masked: secret]" x'),
        ("x 'password=hunter2, next", "x 'password=[masked: secret], next"),
        ("password=hi", "password=[masked: secret]"),
        ("password='a\\'b' c", "password='[masked: secret]' c"),
        ("data['password'] = 'hunter2'", "data['password'] = '[masked: secret]'"),
        ("`password`: hunter2", "`password`: [masked: secret]"),
        ("x.password=hunter2", "x.password=[masked: secret]"),
        ("password=a&b=c", "password=[masked: secret]"),
        ("token=aB3dE6gH", "token=[masked: secret]"),
        ("MY_TOKEN=abcdef", "MY_TOKEN=[masked: secret]"),
    ],
)
def test_the_value_of_a_secret_name_is_masked(text: str, left: str) -> None:
    """To its quotation mark, the end of its word, or of its line where the line begins with the name."""
    assert left == mask_secrets(text)


@pytest.mark.parametrize(
    "text",
    [
        *("password hunter2", "-password hunter2", "password, hunter2", "a>password>hunter2", "password=h"),
        *("password=none", "password=''", "password=${X}", "password=<x>", "password=%(x)s", "password=f(x)"),
        *("password=self.x", "password=os.environ", "password=xx", "password=....", "password={{ x }}"),
        *("token=aB3dE6g", "TOKEN=abcdef", "MY_TOKEN=abcde", "my_token=aaaaaaaaaaaa", "token=abc"),
    ],
)
def test_what_is_no_value_of_a_secret_stays(text: str) -> None:
    """Prose, placeholders, code that reads a secret, and weak names beside plain words."""
    assert text == mask_secrets(text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("key=abcd1234", "key=[masked: secret]"),
        ("key=abc1234", "key=abc1234"),
        ("key=abcdefgh", "key=abcdefgh"),
        ("key=aabbcd12", "key=[masked: secret]"),
        ("key=aabbcc12", "key=aabbcc12"),
        ("MY_SESSION=abcdef", "MY_SESSION=[masked: secret]"),
        ("MY_SESSION=abcde", "MY_SESSION=abcde"),
        ("SESSION=abcdef", "SESSION=abcdef"),
        ("my_session=abcdef", "my_session=abcdef"),
    ],
)
def test_a_name_that_may_be_of_a_secret(text: str, left: str) -> None:
    """Eight characters, letters and digits, 2.5 bits each; six where the name is that of a variable."""
    assert left == mask_secrets(text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("abc\npassword = ab cd", "abc\npassword = [masked: secret]"),
        (f"{'x' * 60}\npassword = ab cd ef\n", f"{'x' * 60}\npassword = [masked: secret]\n"),
        ("note: password = ab cd", "note: password = [masked: secret] cd"),
        (f"{'x' * 60} password = ab cd", f"{'x' * 60} password = [masked: secret] cd"),
        ("default password abcdef", "default password [masked: secret]"),
        ("curl -H 'Cookie: a=bcd' https://x", "curl -H 'Cookie: [masked: secret]' https://x"),
        ('curl -H "Cookie: a=bcd" https://x', 'curl -H "Cookie: [masked: secret]" https://x'),
    ],
)
def test_where_a_secret_ends(text: str, left: str) -> None:
    """At the end of the line that begins with its name, of its word, or of the quotation around it."""
    assert left == mask_secrets(text)


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [("known", 2, 1), ("assigned", 1, 2), ("known", 1, 1)],
)
def test_secrets_that_overlap_are_one_named_by_the_heavier(kind: str, one: int, other: int) -> None:
    """From the first to the last character of both; of two as heavy, the first one's."""
    spans = [MaskedSpan(3, 8, "assigned", other), MaskedSpan(1, 5, "known", one)]
    assert [MaskedSpan(1, 8, kind, max(one, other))] == joined(spans)
    assert f"0[masked: {kind}]89" == masked("0123456789", spans)


def test_secrets_that_only_touch_are_two() -> None:
    """In their order."""
    first, second = MaskedSpan(1, 5, "known"), MaskedSpan(5, 8, "assigned")
    assert [first, second] == joined([second, first])

"""Made-up secrets of real shapes, from parts, so that no scanner of source code finds one here."""

from __future__ import annotations

import base64
import json
import random
import re
import string
from collections.abc import Iterator
from typing import NamedTuple

from engine.policy.output.masking.formats import formats

_DRAWN = {
    "alnum": string.ascii_letters + string.digits,
    "hex": "0123456789abcdef",
    "upper": string.ascii_uppercase + "234567",
    "digit": string.digits,
    "url": string.ascii_letters + string.digits + "_-",
}


class Sample(NamedTuple):
    """A text with a secret in it, and the parts of the secret that must not be left."""

    name: str
    text: str
    secret: str


def drawn(template: str, seed: int) -> str:
    """Return a template with characters drawn for its fields."""
    chance = random.Random(seed)  # noqa: S311

    def field(found: re.Match[str]) -> str:
        letters = "".join(chance.choice(_DRAWN[found[1]]) for _ in range(int(found[2])))
        return f"a1{letters[2:]}" if found[1] in {"alnum", "hex", "url"} and len(letters) > 8 else letters

    return re.sub(r"\{(\w+):(\d+)\}", field, template)


def tokens() -> Iterator[Sample]:
    """Yield one secret for each prefix of the table."""
    for place, form in enumerate(formats()):
        for prefix in form.prefixes:
            body = drawn(form.example, place)
            yield Sample(prefix, prefix + body, body)


def armour(kind: str, lines: int = 12, header: str = "") -> str:
    """Return a private key of a kind, of drawn lines."""
    body = "\n".join(drawn("{alnum:64}", number) for number in range(lines))
    return f"-----BEGIN {kind}-----\n{header}{body}\n{drawn('{alnum:30}', 99)}==\n-----END {kind}-----"


KINDS = ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "ENCRYPTED PRIVATE KEY",
         "DSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]  # fmt: skip
HEADER = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B2C\n\n"


def keys() -> Iterator[Sample]:
    """Yield private keys in armour; each of their lines is a secret."""
    for kind in KINDS:
        text = armour(kind, header=HEADER if kind.startswith("RSA") else "")
        yield Sample(kind, text, drawn("{alnum:64}", 7))
    begun = armour(KINDS[0]).rpartition("-----END")[0]
    yield Sample("a key that is cut off", begun, drawn("{alnum:64}", 11))
    putty = "\n".join(
        (
            "PuTTY-User-Key-File-3: ssh-ed25519",
            "Private-Lines: 2",
            drawn("{alnum:64}", 1),
            drawn("{alnum:20}", 2),
        )
    )
    yield Sample("PuTTY", f"{putty}\nPrivate-MAC: 00\n", drawn("{alnum:20}", 2))


def _web_token() -> str:
    head, body = (base64.urlsafe_b64encode(json.dumps(one).encode()).decode().rstrip("=") for one in
                  ({"alg": "HS256", "typ": "JWT"}, {"sub": "1234567890", "admin": True}))  # fmt: skip
    return f"{head}.{body}.{drawn('{url:43}', 5)}"


WORD = "s3cr" + "3t-Hunter2"
DRAWN = drawn("{alnum:40}", 3)


def shapes() -> Iterator[Sample]:
    """Yield secrets without a prefix of their own."""
    jwt = _web_token()
    yield Sample("web token", jwt, jwt.split(".")[2])
    telegram = drawn("{digit:9}:AA{url:33}", 1)
    yield Sample("Telegram", telegram, telegram[-30:])
    discord = drawn("M{alnum:24}.{alnum:6}.{alnum:38}", 2)
    yield Sample("Discord", discord, discord[-30:])
    azure = drawn("{alnum:3}8Q~{alnum:34}", 4)
    yield Sample("Azure client secret", azure, azure[-30:])
    devops = drawn("{alnum:76}AZDO{alnum:4}", 5)
    yield Sample("Azure DevOps", devops, devops[:70])
    chimp = drawn("{hex:32}-us12", 6)
    yield Sample("Mailchimp", chimp, chimp[:30])
    aws = "AKIA" + drawn("{upper:16}", 7)
    yield Sample("AWS pair", f"{aws},{DRAWN}", DRAWN)
    yield Sample("age", "AGE-SECRET-KEY-1" + drawn("{upper:58}", 8), drawn("{upper:58}", 8))


PASSWORD_AT = "p@ss:w0rd@2"
ADDRESSES = [
    "postgres://bob:{}@db.example.org:5432/x",
    "postgresql+psycopg2://bob:{}@db/x?sslmode=require",
    "mysql://root:{}@127.0.0.1/app",
    "mongodb+srv://bob:{}@c0.example.net/x",
    "redis://:{}@cache:6379/0",
    "amqp://guest:{}@mq//",
    "https://bob:{}@git.example.org/a.git",
    "ftp://bob:{}@files.example.org",
    "smtp://bob%40x.org:{}@mail:587",
    "snowflake://bob:{}@account/db",
]


def addresses() -> Iterator[Sample]:
    """Yield addresses with passwords, with `@` and `:` in them too."""
    for address in ADDRESSES:
        for word in (WORD, PASSWORD_AT):
            yield Sample(f"{address} {word}", address.format(word), word)
            if word == PASSWORD_AT:
                yield Sample(f"{address} its end", address.format(word), "w0rd@2")


NAMES = ["DB_PASS", "DB_PWD", "PGPASSWORD", "password", "userPassword", "passwd", "GITHUB_TOKEN",
"API_KEY", "apiKey",
         "aws_secret_access_key", "SecretAccessKey", "client_secret", "SECRET_KEY", "private_key",
         "ACCOUNT_KEY",
         "refresh_token", "authToken", "x-api-key", "Authorization", "Cookie", "JWT_SECRET",
         "ENCRYPTION_KEY",
         "db.password", "spring.datasource.password", "PASSWORD_1", "redisPass", "credentials"]  # fmt: skip
FORMS = [
    "{n}={v}",
    "export {n}={v}",
    "{n} = {v}",
    "{n}: {v}",
    '{n}="{v}"',
    "{n} = '{v}'",
    '{{"{n}": "{v}"}}',
    "{{'{n}': '{v}', 'b': 1}}",
    '"{n}":"{v}",',
    "{n} := `{v}`",
    "'{n}' => '{v}'",
    "  {n}: '{v}'",
    "('{n}', '{v}')",
    "(b'{n}', b'{v}')",
    "<{n}>{v}</{n}>",
    "f({n}='{v}')",
    '["{n}"] = "{v}"',
    "--{n} {v}",
    "--{n}={v}",
    "{n}: |\n  {v}\n",
    "> {n}: {v}",
    "curl -H '{n}: {v}' http://x",
    "Server=x;{n}={v};Encrypt=1",
    "x?{n}={v}&b=1",
]


def assigned() -> Iterator[Sample]:
    """Yield named values in every form."""
    for form in FORMS:
        for name in NAMES:
            yield Sample(f"{form} {name}", form.format(n=name, v=DRAWN), DRAWN)
    for form in FORMS[:14]:
        for name in ("DB_PASS", "password", "clientSecret", "DB_PWD"):
            yield Sample(f"{form} {name} short", form.format(n=name, v="hunter2"), "hunter2")


def headers() -> Iterator[Sample]:
    """Yield what logs of HTTP and files of passwords hold."""
    basic = base64.b64encode(f"bob:{WORD}".encode()).decode()
    yield Sample("basic", f"Authorization: Basic {basic}", basic)
    yield Sample("basic in a dictionary", f"{{'Authorization': 'Basic {basic}'}}", basic)
    yield Sample("basic alone", f"sent Basic {basic}", basic)
    yield Sample("bearer", f"sent Bearer {DRAWN}", DRAWN)
    yield Sample("cookies", f"Set-Cookie: a=1; sid={DRAWN}; Path=/", DRAWN)
    yield Sample("curl", f"< set-cookie: sid={DRAWN}; HttpOnly", DRAWN)
    yield Sample("netrc", f"machine x.org login bob password {WORD}", WORD)
    yield Sample("netrc over lines", f"machine x.org\n  login bob\n  password {WORD}\n", WORD)
    yield Sample("pgpass", f"db.example.org:5432:app:bob:{WORD}", WORD)
    yield Sample("npmrc", f"//registry.npmjs.org/:_authToken={DRAWN}", DRAWN)
    yield Sample("npmrc auth", f"_auth={basic}", basic)
    yield Sample("mysql in Go", f"root:{WORD}@tcp(127.0.0.1:3306)/x", WORD)
    yield Sample("oracle", f"jdbc:oracle:thin:scott/{WORD}@db:1521/x", WORD)
    yield Sample("jdbc", f"jdbc:postgresql://h/db?user=u&password={WORD}", WORD)
    yield Sample("odbc", f"DRIVER=x;UID=sa;PWD={WORD};", WORD)
    yield Sample("storage", f"AccountName=x;AccountKey={DRAWN}{DRAWN}==;EndpointSuffix=y", DRAWN)
    yield Sample("kubernetes", f"data:\n  password: {basic}\n", basic)
    yield Sample("docker", f'{{"auths": {{"x": {{"auth": "{basic}"}}}}}}', basic)
    yield Sample("a quotation mark in it", '{"password": "a1' + '\\"' + 'b2c3d4"}', "b2c3d4")
    yield Sample("a comma in it", "DB_PASSWORD=a1,b2!c3", "b2!c3")
    yield Sample("in an address", f"https://{DRAWN}@github.com/a/b", DRAWN)
    yield Sample("in colour", f"\x1b[31mpassword\x1b[0m: {WORD}", WORD)
    yield Sample("a token in colour", "gh" + f"p_\x1b[1m{DRAWN}\x1b[0m", DRAWN)


def samples() -> list[Sample]:
    """Return all of them."""
    return [*tokens(), *keys(), *shapes(), *addresses(), *assigned(), *headers()]

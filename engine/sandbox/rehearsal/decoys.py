"""The decoys of one rehearsal: in the environment, and in the places where code looks for credentials."""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from engine.common.text import Untrusted
from engine.models import InputFile
from engine.sandbox.rehearsal import shapes
from engine.sandbox.rehearsal.documents import documents

_LIVING = (".bashrc", ".gitconfig", ".bash_history", ".python_history", ".ssh/known_hosts", ".ssh/config")
"""Files that ordinary programs change: no proof of harm."""


@dataclass(frozen=True)
class Decoys:
    """What is laid out for one rehearsal."""

    values: Mapping[str, tuple[str, ...]]
    """The secret texts of each credential, by its name."""
    environment: Mapping[str, str]
    files: Mapping[str, bytes]
    """Files below the home folder that hold credentials."""
    documents: Mapping[str, bytes] = field(default_factory=dict)
    """Files that are nobody's business to change."""

    @classmethod
    def draw(cls) -> Decoys:
        """Return new decoys, which nobody has seen before."""
        tokens = {name: make() for name, make in shapes.TOKENS.items()}
        keys = shapes.aws_key(), shapes.aws_secret()
        ssh = {"id_ed25519": shapes.openssh_key(), "id_rsa": shapes.rsa_key()}
        bodies = tuple(line for key in ssh.values() for line in key.split("\n")[2:6])
        values = {"AWS key": keys, "SSH key": bodies, **{name: (one,) for name, one in tokens.items()}}
        texts = {**_clouds(tokens, keys), **_developer(tokens), **_shell(tokens)}
        texts |= {f".ssh/{name}": key for name, key in ssh.items()}
        files = {name: text.encode() for name, text in texts.items()}
        return cls(values, _environment(tokens, keys), files, documents())

    def laid_out(self, given: Iterable[InputFile]) -> tuple[InputFile, ...]:
        """Return the files of a rehearsal: those that were given, and decoys wherever none was."""
        own = tuple(given)
        taken = {part for file in own for part in _parents(file.name.text)}
        decoys = (
            InputFile(name=Untrusted(name), content=content)
            for name, content in self.placed.items()
            if not taken & set(_parents(name)[:1]) and not _blocked(name, own)
        )
        return (*own, *decoys)

    @property
    def placed(self) -> Mapping[str, bytes]:
        """All files, by name."""
        return {**self.files, **self.documents}

    def is_precious(self, name: str) -> bool:
        """Return whether nothing ordinary would delete or replace a file."""
        return name in self.placed and name not in _LIVING


def _parents(name: str) -> list[str]:
    """Return a name and the folders above it, the name first."""
    parts = name.split("/")
    return ["/".join(parts[:end]) for end in range(len(parts), 0, -1)]


def _blocked(name: str, own: Iterable[InputFile]) -> bool:
    """Return whether a file that was given stands where a decoy needs a folder."""
    folders = set(_parents(name)[1:])
    return any(file.name.text in folders for file in own)


def _environment(tokens: Mapping[str, str], keys: tuple[str, str]) -> dict[str, str]:
    return {
        "AWS_ACCESS_KEY_ID": keys[0],
        "AWS_SECRET_ACCESS_KEY": keys[1],
        "AWS_DEFAULT_REGION": "eu-central-1",
        "GITHUB_TOKEN": tokens["GitHub token"],
        "GITLAB_TOKEN": tokens["GitLab token"],
        "NPM_TOKEN": tokens["npm token"],
        "OPENAI_API_KEY": tokens["OpenAI key"],
        "ANTHROPIC_API_KEY": tokens["Anthropic key"],
        "HF_TOKEN": tokens["Hugging Face token"],
        "SLACK_BOT_TOKEN": tokens["Slack token"],
        "STRIPE_SECRET_KEY": tokens["Stripe key"],
        "SENDGRID_API_KEY": tokens["SendGrid key"],
        "DISCORD_TOKEN": tokens["Discord token"],
        "VAULT_TOKEN": tokens["Vault token"],
        "SECRET_KEY": tokens["session secret"],
        "DATABASE_URL": f"postgres://app:{tokens['database password']}@db.internal:5432/app",
    }


def _clouds(tokens: Mapping[str, str], keys: tuple[str, str]) -> dict[str, str]:
    login = base64.b64encode(f"deploy:{tokens['registry password']}".encode()).decode()
    return {
        ".aws/credentials": (
            f"[default]\naws_access_key_id = {keys[0]}\naws_secret_access_key = {keys[1]}\n"
        ),
        ".aws/config": "[default]\nregion = eu-central-1\noutput = json\n",
        ".docker/config.json": json.dumps({"auths": {"registry.internal": {"auth": login}}}, indent=2),
        ".kube/config": (
            "apiVersion: v1\nkind: Config\ncurrent-context: production\nclusters:\n- name: production\n"
            "  cluster:\n    server: https://10.20.0.1:6443\ncontexts:\n- name: production\n  context:\n"
            "    cluster: production\n    user: deploy\nusers:\n- name: deploy\n  user:\n"
            f"    token: {tokens['cluster token']}\n"
        ),
        ".vault-token": tokens["Vault token"],
        ".config/doctl/config.yaml": f"access-token: {tokens['DigitalOcean token']}\n",
        ".config/gcloud/credentials.json": json.dumps({"api_key": tokens["Google key"]}),
    }


def _developer(tokens: Mapping[str, str]) -> dict[str, str]:
    github = tokens["GitHub token"]
    return {
        ".env": (
            f"DATABASE_URL=postgres://app:{tokens['database password']}@db.internal:5432/app\n"
            f"SECRET_KEY={tokens['session secret']}\nSTRIPE_SECRET_KEY={tokens['Stripe key']}\n"
        ),
        ".netrc": f"machine github.com\n  login deploy\n  password {github}\n",
        ".npmrc": f"//registry.npmjs.org/:_authToken={tokens['npm token']}\n",
        ".pypirc": f"[pypi]\nusername = __token__\npassword = {tokens['PyPI token']}\n",
        ".git-credentials": f"https://deploy:{github}@github.com\n",
        ".config/gh/hosts.yml": f"github.com:\n    user: deploy\n    oauth_token: {github}\n",
        ".pgpass": f"db.internal:5432:app:app:{tokens['database password']}\n",
        ".gitconfig": "[user]\n\tname = Deploy\n\temail = deploy@example.com\n",
    }


def _shell(tokens: Mapping[str, str]) -> dict[str, str]:
    login = {
        "hostname": "https://accounts.example.com",
        "encryptedUsername": "deploy",
        "encryptedPassword": tokens["browser password"],
    }
    session = {"https://app.example.com": {"session": tokens["JWT"]}}
    return {
        ".ssh/config": "Host bastion\n  HostName 10.20.0.5\n  User deploy\n",
        ".ssh/known_hosts": f"bastion ssh-ed25519 {base64.b64encode(secrets.token_bytes(51)).decode()}\n",
        ".bashrc": "export PATH=$HOME/bin:$PATH\n",
        ".bash_history": f"ls\nexport HF_TOKEN={tokens['Hugging Face token']}\nssh bastion\n",
        ".mozilla/firefox/k3x8.default-release/logins.json": json.dumps({"logins": [login]}),
        ".config/google-chrome/Default/Login Data": json.dumps(login),
        ".config/google-chrome/Default/Cookies": json.dumps(session),
    }

"""`python -m tests.engine.server.sync_stub`: writes the types of the synchronous client from `Client`."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

CLIENT = Path("engine/client")
STUB = CLIENT / "sync_client.pyi"
PARTS = {
    "sessions": "SessionsClient",
    "history": "HistoryClient",
    "policy": "PolicyClient",
    "pre_approvals": "PreApprovalsClient",
    "erasures": "ErasuresClient",
    "incidents": "IncidentsClient",
    "responses": "ResponsesClient",
    "reviews": "ReviewsClient",
    "secrets": "SecretsClient",
    "rescans": "RescansClient",
    "shared_queries": "SharedQueriesClient",
    "tokens": "TokensClient",
}
HEAD = """# Written by `python -m tests.engine.server.sync_stub` from the asynchronous client: do not edit.
import ssl
from collections.abc import Generator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from typing_extensions import Self

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.common.text import Untrusted
"""
INIT = """    def __init__(
        self,
        where: Path | str | None = None,
        requester: str = "",
        *,
        token: str = "",
        verify: ssl.SSLContext | bool = True,
        key: Ed25519PrivateKey | None = None,
    ) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...
    def close(self) -> None: ...
"""


def stub() -> str:
    """Return the source of the stub."""
    trees = {name: ast.parse((CLIENT / f"{name}.py").read_text()) for name in (*PARTS, "client")}
    classes = [_class(trees[name], part, part.removesuffix("Client")) for name, part in PARTS.items()]
    attributes = "".join(f"    {name}: Sync{part.removesuffix('Client')}\n" for name, part in PARTS.items())
    client = "class SyncClient:\n" + attributes + INIT + _methods(trees["client"], "Client")
    return "\n".join([HEAD + _models(trees), *classes, client])


def _models(trees: dict[str, ast.Module]) -> str:
    """Return the imports of models that the signatures name."""
    names = {name.id for tree in trees.values() for name in ast.walk(tree) if isinstance(name, ast.Name)}
    found: dict[str, set[str]] = {}
    for tree in trees.values():
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("engine.models"):
                found.setdefault(str(node.module), set()).update(each.name for each in node.names)
    return "".join(
        f"from {module} import {', '.join(sorted(kept & names))}\n" for module, kept in sorted(found.items())
    )


def _class(tree: ast.Module, name: str, short: str) -> str:
    return f"class Sync{short}:\n{_methods(tree, name)}"


def _methods(tree: ast.Module, name: str) -> str:
    node = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    methods = [each for each in node.body if isinstance(each, ast.AsyncFunctionDef | ast.FunctionDef)]
    known = {"close"} if name == "Client" else set()
    return "".join(_signature(each) for each in methods if each.name[0] != "_" and each.name not in known)


def _signature(method: ast.AsyncFunctionDef | ast.FunctionDef) -> str:
    returns = ast.unparse(method.returns) if method.returns else "None"
    if returns.startswith("AsyncGenerator["):
        returns = f"Generator[{returns.removeprefix('AsyncGenerator[').removesuffix(', None]')}]"
    return f"    def {method.name}({ast.unparse(method.args)}) -> {returns}: ...\n"


def classes(source: str) -> list[str]:
    """Return the classes of a stub, however it is formatted."""
    return [ast.dump(node) for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]


if __name__ == "__main__":
    STUB.write_text(stub())
    for command in (["format", "-q"], ["check", "-q", "--fix"], ["format", "-q"]):
        subprocess.run([sys.executable, "-m", "ruff", *command, str(STUB)], check=True)

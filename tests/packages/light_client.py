"""The sources of the light client: engine/client and what it imports, as the package `pratique`.

The client is `pratique`, the models are `pratique.models`; what else they need of the engine is private.
"""

from __future__ import annotations

import ast
import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "engine" / "client"
PRIVATE = "pratique._engine"
PUBLIC = {"engine.client": "pratique", "engine.models": "pratique.models"}


def write_sources(folder: Path) -> None:
    """Write a project into a folder that builds to the light client without the rest of the repository."""
    modules = _reachable()
    for module, path in modules.items():
        _write(folder, module, path)
        if path.with_suffix(".pyi").exists():
            _write(folder, module, path.with_suffix(".pyi"))
    package = folder / "pratique"
    (package / "_engine" / "__init__.py").write_text('"""What the client shares with the engine."""\n')
    (package / "_version.py").write_text(f'__version__ = "{version()}"\n')
    (package / "py.typed").touch()
    shutil.copy(CLIENT / "pyproject.toml", folder)
    shutil.copy(ROOT / "LICENSE", folder)
    shutil.copy(ROOT / "docs" / "client.md", folder / "README.md")


def version() -> str:
    """Return the version of the application, which is the client's too."""
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"])


def renamed(module: str) -> str:
    """Return the name of an engine's module in the light client."""
    for name, public in PUBLIC.items():
        if module == name or module.startswith(f"{name}."):
            return public + module.removeprefix(name)
    return PRIVATE + module.removeprefix("engine")


def _write(folder: Path, module: str, path: Path) -> None:
    target = folder / Path(*renamed(module).split("."))
    target = target / path.name if path.stem == "__init__" else target.with_suffix(path.suffix)
    target.parent.mkdir(parents=True, exist_ok=True)
    text = re.sub(r"\bfrom engine import (\w+)", rf"from {PRIVATE} import \1", path.read_text())
    names = "|".join(sorted({each.split(".")[1] for each in _reachable() if "." in each}))
    pattern = rf"\bengine\.(?:{names})(?:\.\w+)*"
    target.write_text(re.sub(pattern, lambda match: renamed(match[0]), text))


def _reachable() -> dict[str, Path]:
    """Return the modules that the client's public ones import, with their files."""
    found: dict[str, Path] = {}
    waiting = ["engine.client", *_integrations()]
    while waiting:
        module = waiting.pop()
        path = _file(module)
        if module in found or path is None or module == "engine":
            continue
        found[module] = path
        waiting += [*_imports(path), module.rpartition(".")[0]]
    return dict(sorted(found.items()))


def _integrations() -> Iterator[str]:
    for path in (CLIENT / "integrations").rglob("*.py"):
        yield ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "engine":
            yield str(node.module)
            yield from (f"{node.module}.{each.name}" for each in node.names)
        elif isinstance(node, ast.Constant) and re.fullmatch(r"engine(\.\w+)+", str(node.value)):
            yield str(node.value)


def _file(module: str) -> Path | None:
    path = ROOT / Path(*module.split("."))
    candidates = (path / "__init__.py", path.with_suffix(".py"))
    return next((each for each in candidates if each.is_file()), None)

"""`pratique setup`, `doctor`, `image` and `bench`: the machine that runs code, and how well it does."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from engine import images
from engine import setup as rooms
from engine.cli.build_progress import watching
from engine.cli.exit_codes import Exit
from engine.cli.formatting import dim, say, say_json
from engine.common.errors import Problem
from engine.common.text import visible
from engine.images import BuiltImage, ListedImage
from engine.models import Check
from engine.setup.docker_engine import connect

AsJson = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]


def setup(
    yes: Annotated[
        bool, typer.Option("--yes", envvar="YES", help="Change the system without asking; as YES=1.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Say only what was changed and what is missing.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Fail where code cannot run.")] = False,
    as_json: AsJson = False,
) -> None:
    """Install and start what running code needs: Docker, gVisor's runtime, the images.

    Each change is asked for on a terminal. Without one it is made and told. What cannot be had is
    said in a line, and all but running works.
    """
    with watching(each=True) as watch:
        checks = rooms.setup(_agreed if yes or not sys.stdin.isatty() else _asked, _tell, watch)
    if as_json:
        say_json(checks)
    for check in () if as_json else checks:
        if not (quiet and check.ok):
            _say_check(check)
    if checks[-1].ok:
        return
    if not as_json:
        say("Nothing can run until then; all else works.")
    if strict:
        raise typer.Exit(Exit.PROBLEM)


def doctor(as_json: AsJson = False) -> None:
    """Look at what running code needs, change nothing, and say what to type where something is not well."""
    checks = rooms.doctor()
    if as_json:
        say_json(checks)
    else:
        for check in checks:
            _say_check(check)
    if not all(check.ok for check in checks):
        raise typer.Exit(Exit.PROBLEM)


image = typer.Typer(help="Build and list sandbox images.", no_args_is_help=True)


@image.command("build")
def build(
    names: Annotated[
        list[str] | None, typer.Argument(help="Images; all of them where none is named.")
    ] = None,
    fresh: Annotated[bool, typer.Option(help="Build again from the newest packages, base included.")] = False,
    as_json: AsJson = False,
) -> None:
    """Build the images that are missing or changed."""
    chosen = _chosen(names or [])
    docker = connect(rooms.BUILD_SECONDS)
    try:
        with watching() as watch:
            if fresh:
                images.make_base(docker, watch, fresh=True)
            built = [images.build(docker, spec, watch, fresh=fresh) for spec in chosen]
    finally:
        docker.close()
    if as_json:
        say_json(built)
    else:
        _say_built(built)


@image.command("list")
def list_(as_json: AsJson = False) -> None:
    """List the images that ship, and what Docker has of each."""
    docker = connect()
    try:
        found = images.listed(docker)
    finally:
        docker.close()
    if as_json:
        say_json(found)
    else:
        for row in found:
            say(_line(row))


def bench() -> None:
    """Measure everything that a number is asked of, print a table, and write bench.json here."""
    source = Path(__file__).resolve().parents[2]
    if not (source / "tests" / "benchmarks" / "__main__.py").exists():
        raise Problem(404, "benchmarks come with the source", hint="Type, in a checkout: make bench")
    target = str(Path.cwd() / "bench.json")
    done = subprocess.run([sys.executable, "-m", "tests.benchmarks", target], cwd=source, check=False)
    raise typer.Exit(done.returncode)


def _chosen(names: list[str]) -> list[images.ImageSpec]:
    specs = {spec.name: spec for spec in images.shipped()}
    unknown = [name for name in names if name not in specs]
    if unknown:
        raise Problem(404, f"no image is named {visible(unknown[0])}", hint=f"There are: {', '.join(specs)}")
    return [specs[name] for name in names or specs]


def _say_built(built: Iterable[BuiltImage]) -> None:
    for one in built:
        what = f"built in {one.seconds:.0f} s" if one.built else "current"
        say(f"{one.name:<12} {what:<14} {dim(one.digest)}")


def _line(row: ListedImage) -> str:
    if row.digest is None or row.created_at is None:
        return f"{row.name:<12} missing: type: pratique image build {row.name}"
    state = "current" if row.current else "changed"
    size = f"{(row.bytes or 0) / 1e6:.0f} MB"
    return f"{row.name:<12} {state:<8} {size:>7}  {_age(row.created_at):>9}  {dim(row.digest)}"


def _age(moment: datetime) -> str:
    hours = (datetime.now(UTC) - moment).total_seconds() / 3600
    return f"{hours:.0f} h old" if hours < 48 else f"{hours / 24:.0f} d old"


def _say_check(check: Check) -> None:
    mark = typer.style("well", fg="green") if check.ok else typer.style("NOT ", fg="red", bold=True)
    hint = f". {check.hint}" if check.hint else ""
    say(f"{mark} {check.name:<9} {visible(check.detail)}{hint}")


def _asked(what: str) -> bool:
    return typer.confirm(f"May I {what}?", default=True)


def _agreed(what: str) -> bool:
    _tell(what)
    return True


def _tell(what: str) -> None:
    say(f"  {visible(what)}")

"""`pratique image build | list`."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated

import typer

from engine import images
from engine.cli.options.common import Json
from engine.cli.output.build_progress import build_progress
from engine.cli.output.formatting import dim, print_json, print_line
from engine.common.errors import Problem
from engine.common.text import visible
from engine.images import BuiltImage, ListedImage
from engine.setup import BUILD_SECONDS
from engine.setup.docker_engine import connect

app = typer.Typer(help="Build and list sandbox images.", no_args_is_help=True)


@app.command("build")
def build(
    names: Annotated[list[str] | None, typer.Argument(help="Images to build; all if none is named.")] = None,
    fresh: Annotated[
        bool, typer.Option(help="Rebuild from the newest packages, including the base image.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Build the images that are missing or out of date."""
    chosen = _chosen(names or [])
    docker = connect(BUILD_SECONDS)
    try:
        with build_progress() as watch:
            if fresh:
                images.ensure_base(docker, watch, fresh=True)
            built = [images.build(docker, spec, watch, fresh=fresh) for spec in chosen]
    finally:
        docker.close()
    if as_json:
        print_json(built)
    else:
        _print_built(built)


@app.command("list")
def list_(as_json: Json = False) -> None:
    """List the shipped images and their state in Docker."""
    docker = connect()
    try:
        found = images.list_images(docker)
    finally:
        docker.close()
    if as_json:
        print_json(found)
    else:
        for row in found:
            print_line(_line(row))


def _chosen(names: list[str]) -> list[images.ImageSpec]:
    specs = {spec.name: spec for spec in images.shipped()}
    unknown = [name for name in names if name not in specs]
    if unknown:
        raise Problem(404, f"no image {visible(unknown[0])}", hint=f"Use one of: {', '.join(specs)}")
    return [specs[name] for name in names or specs]


def _print_built(built: Iterable[BuiltImage]) -> None:
    for one in built:
        what = f"built in {one.seconds:.0f} s" if one.built else "current"
        print_line(f"{one.name:<12} {what:<14} {dim(one.digest)}")


def _line(row: ListedImage) -> str:
    if row.digest is None or row.created_at is None:
        return f"{row.name:<12} missing. Type: pratique image build {row.name}"
    state = "current" if row.current else "outdated"
    size = f"{(row.bytes or 0) / 1e6:.0f} MB"
    return f"{row.name:<12} {state:<8} {size:>7}  {_age(row.created_at):>9}  {dim(row.digest)}"


def _age(moment: datetime) -> str:
    hours = (datetime.now(UTC) - moment).total_seconds() / 3600
    return f"{hours:.0f} h old" if hours < 48 else f"{hours / 24:.0f} d old"

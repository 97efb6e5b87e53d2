"""`pratique session …`: sessions, and calls in them."""

from __future__ import annotations

import contextlib
import json as plain_json
import sys
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.exit_codes import ExitCode
from engine.cli.options.common import Json, Requester
from engine.cli.options.draft import MAX_BYTES, BuildOptions, PurposeOption, parse_package
from engine.cli.output.formatting import dim, print_json, print_line, print_text
from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.local_files import read_file
from engine.common.text import visible
from engine.models import NOT_RUN, Language, Session
from engine.models.api import OutputLine

app = typer.Typer(
    help="Manage sessions: sandboxes that keep their state between executions.", no_args_is_help=True
)

Id = Annotated[str, typer.Argument(help="Session ID, as shown by `pratique session list`.")]
Path_ = Annotated[str, typer.Argument(help="Path below /workspace.")]


@app.command("open")
def open_(
    language: Annotated[Language, typer.Option(help="Language of the session.")] = Language.PYTHON,
    image: Annotated[str, typer.Option(help="Image; default: the image of the language.")] = "",
    requester: Requester = "",
    json: Json = False,
) -> None:
    """Open a session; nothing runs in it yet."""
    session = with_client(lambda client: client.sessions.create(language, image), requester)
    print_json(session) if json else print_line(_line(session))


@app.command("list")
def listed(requester: Requester = "", json: Json = False) -> None:
    """List your sessions."""
    found = with_client(lambda client: client.sessions.list(), requester)
    if json:
        print_json(found)
        return
    for session in found:
        print_line(_line(session))
    if not found:
        print_line("No sessions. Type: pratique session open")


@app.command("run")
def run(
    id: Id,
    file: Annotated[str, typer.Argument(help="Code file; - reads standard input.")],
    purpose: PurposeOption = "",
    requester: Requester = "",
    json: Json = False,
) -> None:
    """Run code in a session, with the state of earlier executions."""
    code = _code(file)
    _stream_call(lambda client: client.sessions.execute(id, code, purpose), requester, json)


@app.command("install")
def install(
    id: Id,
    packages: Annotated[list[str], typer.Argument(help="Packages to install, NAME==VERSION.")],
    build: BuildOptions = None,
    requester: Requester = "",
    json: Json = False,
) -> None:
    """Install packages in a session."""
    wanted = tuple(parse_package(one) for one in packages)
    _stream_call(lambda client: client.sessions.install(id, *wanted, builds=build or ()), requester, json)


@app.command("files")
def files(
    id: Id,
    path: Annotated[str, typer.Argument(help="Directory below /workspace.")] = "",
    requester: Requester = "",
    json: Json = False,
) -> None:
    """List the files of a session."""
    found = with_client(lambda client: client.sessions.list_files(id, path), requester)
    for one in found:
        print_line(
            plain_json.dumps(one) if json else f"{one.get('size', 0):>12,}  {visible(str(one.get('name')))}"
        )


@app.command("read")
def read(id: Id, path: Path_, requester: Requester = "", json: Json = False) -> None:
    """Print a file of a session; on a terminal, control characters are made visible."""
    content = with_client(lambda client: client.sessions.read_file(id, path), requester)
    if json:
        print_line(plain_json.dumps({"path": path, "text": content.decode(errors="replace")}))
    elif sys.stdout.isatty():
        print_line(visible(content.decode(errors="replace"), keep="\n\t"))
    else:
        sys.stdout.buffer.write(content)


@app.command("write")
def write(
    id: Id,
    path: Path_,
    file: Annotated[Path, typer.Argument(help="Local file to copy.", exists=True, dir_okay=False)],
    requester: Requester = "",
    json: Json = False,
) -> None:
    """Copy a local file into a session."""
    content = _bytes(file)
    with_client(lambda client: client.sessions.write_file(id, path, content), requester)
    _print_done({"path": path, "bytes": len(content)}, f"{visible(path)}: written", json)


@app.command("remove")
def remove(id: Id, path: Path_, requester: Requester = "", json: Json = False) -> None:
    """Delete a file of a session."""
    with_client(lambda client: client.sessions.remove_file(id, path), requester)
    _print_done({"path": path}, f"{visible(path)}: removed", json)


@app.command("close")
def close(id: Id, requester: Requester = "", json: Json = False) -> None:
    """Close a session and stop what runs in it."""
    closed = with_client(lambda client: client.sessions.close(id), requester)
    print_json(closed) if json else print_line(_line(closed))


def _stream_call(
    call: Callable[[Client], AsyncGenerator[OutputLine, None]], requester: str, json: bool
) -> None:
    async def follow(client: Client) -> OutputLine:
        last = OutputLine()
        async with contextlib.aclosing(call(client)) as lines:
            async for last in lines:
                _print(last, json)
        return last

    last = with_client(follow, requester)
    if last.status in NOT_RUN:
        raise typer.Exit(ExitCode.NOT_APPROVED)
    if last.status == "killed":
        raise typer.Exit(ExitCode.KILLED)
    raise typer.Exit(ExitCode.FAILED if last.exit_code else ExitCode.OK)


def _print(line: OutputLine, json: bool) -> None:
    if json:
        print_line(line.model_dump_json(exclude_none=True, ensure_ascii=True))
    elif line.text is not None:
        print_text(line.text, error=line.stream == "stderr")
    elif line.error:
        print_line(visible(line.error), error=True)
    elif line.image:
        print_line(dim(f"[image, {line.mime or 'unknown type'}]"), error=True)


def _print_done(facts: dict[str, object], text: str, json: bool) -> None:
    print_line(plain_json.dumps(facts) if json else text)


def _line(session: Session) -> str:
    what = f"{session.language}, {session.image}, {session.state}"
    return f"{session.id}  {what}{f': {visible(session.close_reason)}' if session.close_reason else ''}"


def _code(file: str) -> str:
    content = sys.stdin.buffer.read(MAX_BYTES) if file == "-" else _bytes(Path(file))
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise Problem(422, f"{visible(file)} is not UTF-8 text, from byte {error.start} on") from None


def _bytes(path: Path) -> bytes:
    try:
        return read_file(path, MAX_BYTES)
    except OSError as error:
        raise Problem(422, f"{visible(str(path))} cannot be read: {error.strerror}") from None

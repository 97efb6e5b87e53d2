"""Whatever lies in the inbox, and whatever becomes of it while it is read, is refused in words."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.client.client import Client
from engine.common.draft_files import MOST_FILES, read_draft, read_folder
from engine.common.errors import Problem
from engine.models import DecisionOutcome
from tests.engine_process import EngineProcess

SECRET = "a secret outside of the inbox"
LIMIT = 64 * 1024
RACE_SECONDS = 1.5
SECONDS = 60.0


def read(path: Path) -> str:
    """Read a draft as the inbox does, and return all that it took; a refusal is nothing."""
    reader = read_folder if path.is_dir() and not path.is_symlink() else read_draft
    with contextlib.suppress(Problem):
        draft = reader(path, LIMIT)
        return draft.code.text + "".join(file.content.decode(errors="replace") for file in draft.files)
    return ""


def clear(path: Path) -> None:
    """Remove whatever is at a path."""
    with contextlib.suppress(OSError):
        path.unlink()
    shutil.rmtree(path, ignore_errors=True)


def plain(path: Path) -> None:
    """A file of code."""
    path.write_text("print(1)")


def link(path: Path) -> None:
    """A link to a file outside."""
    path.symlink_to(path.parent.parent / "secret.py")


def link_to_folder(path: Path) -> None:
    """A link to a folder outside."""
    path.symlink_to(path.parent.parent / "outside")


def hard_fifo(path: Path) -> None:
    """A FIFO that nobody writes to."""
    os.mkfifo(path)


def folder(path: Path) -> None:
    """A folder of code."""
    path.mkdir()
    (path / "main.py").write_text("1")


def folder_with_link(path: Path) -> None:
    """A folder whose file is a link to one outside."""
    path.mkdir()
    (path / "main.py").write_text("1")
    (path / "data.txt").symlink_to(path.parent.parent / "secret.py")


def folder_with_fifo(path: Path) -> None:
    """A folder whose main file is a FIFO."""
    path.mkdir()
    os.mkfifo(path / "main.py")


def folder_in_folder(path: Path) -> None:
    """A folder in a folder."""
    (path / "main.py").mkdir(parents=True)


def sparse(path: Path) -> None:
    """A file of 20 GB without a byte on disk."""
    with path.open("wb") as file:
        file.truncate(20 << 30)


def listening(path: Path) -> None:
    """A socket."""
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def device(path: Path) -> None:
    """A link to a device without an end."""
    path.symlink_to("/dev/zero")


def unreadable(path: Path) -> None:
    """A file that nobody may read."""
    path.write_text("1")
    path.chmod(0)


def many(path: Path) -> None:
    """A folder of more files than a submission has."""
    path.mkdir()
    for number in range(MOST_FILES + 50):
        (path / f"{number}.txt").touch()


def loop(path: Path) -> None:
    """A link to itself."""
    path.symlink_to(path)


def empty(path: Path) -> None:
    """Nothing at all in it."""
    path.write_bytes(b"")


def strange(path: Path) -> None:
    """A folder with a name that is no text."""
    path.mkdir()
    (path / "main.py").write_text("1")
    (path / os.fsdecode(b"\xff\n\x1b[2J")).write_text("1")


KINDS: list[Callable[[Path], None]] = [
    plain, link, link_to_folder, hard_fifo, folder, folder_with_link, folder_with_fifo, folder_in_folder,
    sparse, listening, device, unreadable, many, loop, empty, strange,
]  # fmt: skip


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a path in an inbox beside which a secret lies."""
    (tmp_path / "secret.py").write_text(SECRET)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "main.py").write_text(SECRET)
    (tmp_path / "inbox").mkdir()
    return tmp_path / "inbox" / "job.py"


@pytest.mark.parametrize("make", KINDS, ids=lambda make: str(make.__name__))
def test_nothing_outside_of_the_inbox_is_read(place: Path, make: Callable[[Path], None]) -> None:
    """Each kind of entry is read or refused at once, and what it points to is not read."""
    make(place)
    assert SECRET not in read(place)


PAIRS = [(plain, other) for other in KINDS[1:]] + [(folder, folder_with_link), (folder, link_to_folder)]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0].__name__}-{pair[1].__name__}")
def test_an_entry_that_is_exchanged_while_it_is_read(
    place: Path, pair: tuple[Callable[[Path], None], Callable[[Path], None]]
) -> None:
    """Between any two system calls the entry may become another: nothing hangs or is read outside."""
    stop = threading.Event()

    def exchange() -> None:
        for make in itertools.cycle(pair):
            if stop.is_set():
                return
            clear(place)
            with contextlib.suppress(OSError):
                make(place)

    thread = threading.Thread(target=exchange)
    thread.start()
    try:
        until = time.monotonic() + RACE_SECONDS
        while time.monotonic() < until:
            assert SECRET not in read(place)
    finally:
        stop.set()
        thread.join(SECONDS)


NAMES = st.text(
    st.characters(exclude_characters="/\0", exclude_categories=()), min_size=1, max_size=12
).filter(lambda name: name not in {".", ".."}) | st.sampled_from(
    ["main.py", "main.js", "request.yaml", "main.sh"]
)
FILES = st.dictionaries(
    NAMES,
    st.binary(max_size=60)
    | st.sampled_from(
        [b"purpose: a", b"[" * 500, b"a: &x [*x]", b"permissions: {limits: {cpus: .nan}}", b"- 1"]
    )
    | st.text(max_size=40).map(lambda text: text.encode(errors="surrogatepass")),
    max_size=5,
)


@given(FILES)
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_folder_is_more_than_a_problem(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes]
) -> None:
    """Any names and any bytes are a draft or a problem in words."""
    job = tmp_path_factory.mktemp("job")
    for name, content in files.items():
        with contextlib.suppress(OSError, UnicodeEncodeError):
            (job / name).write_bytes(content)
    read(job)
    shutil.rmtree(job)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineProcess]:
    """Yield an engine that never met an unexpected error."""
    process = EngineProcess(tmp_path_factory.mktemp("home"))
    process.start()
    yield process
    assert process.end() == 0
    assert "internal.error" not in (process.home / "test.log").read_text()


async def test_a_storm_in_the_inbox_ends_nothing(engine: EngineProcess, client: Client) -> None:
    """Entries of every kind come and go by the hundred: requests are answered, and a file is taken after."""
    inbox = engine.home / "inbox"
    (engine.home / "secret.py").write_text(SECRET)
    (engine.home / "outside").mkdir()
    for number in range(1200):
        kinds = KINDS[number % len(KINDS)]
        if kinds is not many:
            kinds(inbox / f"{number}.py")
        if number % 3 == 0:
            clear(inbox / f"{number - 30}.py")
        if number % 200 == 0:
            await client.queue()
    for entry in list(inbox.iterdir()):
        clear(entry)
    for summary in await client.queue():
        await client.decide(summary.id, DecisionOutcome.DENIED, summary.digest)
    (inbox / "good.txt").write_text("1")
    deadline = time.monotonic() + SECONDS
    while not (inbox / "good.txt.result.json").exists():
        assert time.monotonic() < deadline
        await client.queue()
    assert all(SECRET not in code for code in await codes(client))


async def codes(client: Client) -> list[str]:
    """Return the code of the latest submissions."""
    found = await client.history.search("", limit=50)
    return [(await client.case(one.id)).submission.draft.code.text for one in found]

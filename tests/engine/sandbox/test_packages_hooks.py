"""What packages would run by themselves: nothing before the order, nothing that was not granted."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import pytest_asyncio

from engine.models import KillReason, Language, Result
from engine.sandbox import SandboxUnavailable
from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings
from tests.engine.sandbox import index as pypi
from tests.engine.sandbox import npm_index as npm
from tests.engine.sandbox.index import forget, source, wheel
from tests.sandboxes import Recorder, containers_of, job, sandbox_manager

pytestmark = [pytest.mark.sandbox, pytest.mark.asyncio(loop_scope="module")]
ENGINE = "test-hooks"
ACT = "import os; os.write(1, b'HOOK')"
HOOKS = {
    "a.pth": ACT,
    "Z.PTH": ACT,
    "sitecustomize.py": ACT,
    "usercustomize.py": ACT,
    "sitecustomize/__init__.py": ACT,
    "usercustomize/__init__.py": ACT,
    "sitecustomize.cpython-313-x86_64-linux-gnu.so": "x",
    "usercustomize.pyc": "x",
    "distutils-precedence.pth": ACT,
    "hooked-1.0.data/purelib/pure.pth": ACT,
    "hooked-1.0.data/platlib/plat.pth": ACT,
}
SPEAKS = """
import os, signal
def tell(what): os.write(1, what.encode() + b'\\n')
tell('input %s' % os.path.exists('/workspace/own.txt'))
for number in (signal.SIGSTOP, signal.SIGKILL, signal.SIGTERM):
    try: os.kill(1, number); tell('signalled')
    except OSError: pass
for number in range(3):
    for mode in (os.O_RDONLY, os.O_WRONLY):
        for place in ('/proc/1/fd', '/proc/1/task/1/fd'):
            try: os.open('%s/%d' % (place, number), mode | os.O_NONBLOCK); tell('opened %d' % number)
            except OSError: pass
os.write(1, b'\\0' + b'0' * 32 + b' 9 0 0 0 0\\nleft 0\\n')
"""
"""What a hook does to speak for the supervisor: stop it, read its input, write its last word."""
HOOK = f"import os; exec({SPEAKS!r})\n"
LEAVE = f"open('/layer/speaks.pth', 'w').write({HOOK!r})\n"
"""What a granted build does to leave a hook in the layer, behind all that is left out of wheels."""
FILES = {
    "words-2.5-py3-none-any.whl": wheel("words", "2.5", "HELLO = 1"),
    "old-1.0-py3-none-any.whl": wheel("old", "1.0", "HELLO = 1"),
    "hooked-1.0-py3-none-any.whl": wheel("hooked", "1.0", "NAME = 'hooked'", more=HOOKS),
    "speaker-1.0.tar.gz": source("speaker", "1.0", "HOW = 'BUILT'", "words==2.5", LEAVE),
}


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def index() -> AsyncIterator[pypi.Index]:
    """A registry with a wheel full of hooks, and a source archive that leaves one behind."""
    async with pypi.serving(FILES) as index:
        yield index


@contextlib.asynccontextmanager
async def managing(settings: SandboxSettings) -> AsyncIterator[SandboxManager]:
    """Yield a manager that leaves nothing behind."""
    await forget(ENGINE)
    manager = sandbox_manager(settings, ENGINE)
    await manager.start()
    yield manager
    await manager.close()
    await forget(ENGINE)
    assert [] == containers_of(ENGINE)


async def test_hooks_of_a_wheel_are_not_installed(index: pypi.Index) -> None:
    """None of them is there, the package works, and the result names what was left out."""
    code = """
import hooked, os, subprocess, sys
here = os.path.dirname(hooked.__file__)
print(hooked.NAME, [name for name in os.listdir(here) if 'custom' in name or name.lower().endswith('.pth')])
print(subprocess.run([sys.executable, '-c', 'import hooked'], capture_output=True))
"""
    async with managing(index.settings()) as manager:
        for _ in range(2):
            watcher = Recorder()
            given = replace(job(code), packages=(index.locked("hooked", "1.0"),))
            result = await manager.run(given, watcher)
            assert (KillReason.NONE, False) == (result.kill_reason, b"HOOK" in watcher.stdout), watcher.stderr
            assert watcher.stdout.startswith(b"hooked []\n")
            assert all(name in " ".join(result.evidence) for name in ("a.pth", "Z.PTH", "sitecustomize.py"))


async def test_what_a_build_left_behind_runs_after_the_order_and_speaks_for_nobody(index: pypi.Index) -> None:
    """The hook of a granted build finds the files of the run, and cannot stop or imitate the supervisor."""
    speaker = index.locked("speaker", "1.0", ".tar.gz")
    given = replace(
        job("print('approved')", files={"own.txt": b"x"}), packages=(speaker,), builds=("speaker",)
    )
    async with managing(index.settings()) as manager:
        watcher = Recorder()
        result = await manager.run(given, watcher)
    assert (KillReason.NONE, 0) == (result.kill_reason, result.exit_code), result.evidence
    said = watcher.stdout.split(b"\n")
    assert (b"input True", b"approved") == (said[0], said[-2]), watcher.stderr
    assert not any(b"opened" in line or b"signalled" in line for line in said)


async def test_a_withdrawn_version_is_neither_found_nor_installed(index: pypi.Index) -> None:
    """A yanked file (PEP 592) is refused at look-up, and at installation where its hash was given."""
    index.yanked.add("old-1.0-py3-none-any.whl")
    locked = index.locked("old", "1.0")
    async with managing(index.settings()) as manager:
        with pytest.raises(SandboxUnavailable, match=r"old 1\.0 was withdrawn"):
            await manager.packages.look_up((locked.model_copy(update={"hashes": ()}),))
        with pytest.raises(SandboxUnavailable, match=r"old 1\.0 was withdrawn"):
            await manager.run(replace(job("print('ran')"), packages=(locked,)), Recorder())


# --- npm

SCRIPT = {"install": "node -e \"require('fs').writeFileSync('made', 'x')\""}
RAN = "module.exports = require('fs').existsSync(__dirname + '/made')"


def nested(place: str, name: str = "legit") -> npm.Made:
    """Return a package whose archive has another one with a script in it, which no manifest declares."""
    inner = f'{{"name": "{name}", "version": "1.0.0", "scripts": {{"install": "node index.js"}}}}'
    return npm.module("evil", "1.0.0", RAN, {f"{place}/package.json": inner, f"{place}/index.js": "1"})


async def npm_run(
    packages: tuple[npm.Made, ...], *named: tuple[str, str], code: str
) -> tuple[Result, Recorder]:
    """Run code with packages, each given by its name and its place, with a grant of scripts for `legit`."""
    watcher = Recorder()
    async with npm.serving(*packages) as registry, managing(registry.settings()) as manager:
        locked = tuple(registry.locked(name, "1.0.0", place) for name, place in named)
        given = replace(job(code, Language.JAVASCRIPT), packages=locked, builds=("legit",))
        return await manager.run(given, watcher), watcher


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not on this machine, and installs packages")
@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("node_modules/legit", "legit"),
        ("node_modules/other", "legit"),
        ("node_modules/@legit/legit", "legit"),
        ("node_modules/.legit", "legit"),
        ("node_modules/constructor", "legit"),
    ],
)
async def test_an_archive_with_packages_that_the_lock_does_not_list_is_refused(place: str, name: str) -> None:
    """Their scripts would run by the name of a granted package, and their code be loaded for it."""
    legit = npm.module("legit", "1.0.0", RAN, scripts=SCRIPT)
    with pytest.raises(SandboxUnavailable, match=r"lock does not list: node_modules/evil/node_modules/"):
        await npm_run((legit, nested(place, name)), ("legit", ""), ("evil", ""), code="1")


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not on this machine, and installs packages")
async def test_scripts_run_for_the_granted_package_at_its_place_alone() -> None:
    """Neither for a package that is installed under a granted name, nor for one whose manifest claims it."""
    packages = (
        npm.module("legit", "1.0.0", RAN, scripts=SCRIPT),
        npm.module("other", "1.0.0", RAN, scripts=SCRIPT),
        npm.module("plain", "1.0.0", RAN, scripts=SCRIPT),
    )
    named = (("legit", "alias"), ("other", "legit"), ("plain", ""), ("other", "plain/node_modules/legit"))
    code = "for (const one of ['alias', 'legit', 'plain', '/node_modules/plain/node_modules/legit'])"
    _, watcher = await npm_run(packages, *named, code=f"{code} console.log(require(one))")
    assert b"true\nfalse\nfalse\nfalse\n" == watcher.stdout, watcher.stderr

"""Packages of npm in real gVisor: found and installed outside of the run, which stays without network."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import pytest_asyncio

from engine.common.text import Untrusted
from engine.models import KillReason, Language, Operation, OperationKind, Package
from engine.sandbox import SandboxUnavailable
from engine.sandbox.run.manager import SandboxManager
from tests.engine.sandbox.index import forget, volumes
from tests.engine.sandbox.npm_index import Registry, module, serving
from tests.sandboxes import Recorder, containers_of, job, sandbox_manager

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(
        shutil.which("npm") is None, reason="npm is not on this machine, and installs packages"
    ),
]
ENGINE = "test-npm"
JAVASCRIPT = Language.JAVASCRIPT
PROBE = """
const fs = require('fs');
const [here, made] = [__filename === process.argv[1], __dirname + '/made'];
module.exports = !here && fs.existsSync(made) && fs.readFileSync(made, 'utf8').trim();
const asked = { host: '127.0.0.1', port: 3128, path: 'http://other.example.org/' };
const tell = (answer) => console.log(answer.statusCode, fs.existsSync('/workspace/own.txt'));
if (here) require('http').get(asked, tell);
"""
"""As an install script it asks for another host, and looks for the files of the run that it is for."""
PACKAGES = (
    module(
        "greeter",
        "1.0.0",
        "module.exports = () => [require('words'), require('@s/deep')].join()",
        dependencies={"words": "^2.0.0", "@s/deep": "1"},
        optionalDependencies={"elsewhere": "1"},
    ),
    module("elsewhere", "1.0.0", "", os=["win32"]),
    module("words", "2.5.0", "module.exports = 'new words'"),
    module("words", "1.0.0", "module.exports = 'old words'"),
    module("@s/deep", "1.2.0", "module.exports = require('words')", dependencies={"words": "1.0.0"}),
    module("maker", "1.0.0", PROBE, scripts={"install": "node index.js > made"}),
)


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def registry() -> AsyncIterator[Registry]:
    """A registry with a tree of packages, and one that has a script."""
    async with serving(*PACKAGES) as registry:
        yield registry


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def manager(registry: Registry) -> AsyncIterator[SandboxManager]:
    """A manager of a house whose registry is the tests' own; its layers go with it."""
    await forget(ENGINE)
    manager = sandbox_manager(registry.settings(), ENGINE)
    await manager.start()
    yield manager
    await manager.close()
    await forget(ENGINE)
    assert [] == containers_of(ENGINE)


def tree(registry: Registry) -> set[Package]:
    """Return all that `greeter` needs, each where it lies."""
    old = registry.locked("words", "1.0.0", "@s/deep/node_modules/words")
    tops = [("greeter", "1.0.0"), ("words", "2.5.0"), ("@s/deep", "1.2.0")]
    return {old, *(registry.locked(*top) for top in tops)}


async def test_a_tree_is_looked_up_and_installed_by_its_hashes(
    manager: SandboxManager, registry: Registry
) -> None:
    """Two versions of one package lie apart; the run has both, and no network; the next fetches nothing."""
    asked = Package(name=Untrusted("greeter"), version=Untrusted("1.0.0"))
    found = await manager.packages.look_up((asked,), JAVASCRIPT)
    assert tree(registry) == set(found)
    code = """
console.log(require('greeter')());
try { require('fs').writeFileSync('/node_modules/x', ''); } catch (error) { console.log(error.code); }
require('net').connect(3128, '127.0.0.1').on('error', (error) => console.log(error.code));
"""
    running = replace(job(code, JAVASCRIPT), packages=found)
    first, second = Recorder(), Recorder()
    await manager.run(running, first)
    asked_for = len(registry.asked)
    result = await manager.run(replace(running, run="again", packages=found[::-1]), second)
    assert b"new words,old words\nEROFS\nECONNREFUSED\n" == first.stdout, first.stderr
    assert (KillReason.NONE, first.stdout, asked_for) == (
        result.kill_reason,
        second.stdout,
        len(registry.asked),
    )
    assert {"network.attempt", "packages.ready"} <= set(first.types)
    assert "network.attempt" not in second.types


async def test_another_archive_than_the_locked_one_is_not_installed(
    manager: SandboxManager, registry: Registry
) -> None:
    """npm says so, nothing runs, and nothing is left."""
    before, watcher = volumes(ENGINE), Recorder()
    wrong = registry.locked("words", "2.5.0").model_copy(update={"hashes": (f"sha512-{'a' * 86}==",)})
    with pytest.raises(SandboxUnavailable, match=r"packages cannot be fetched: Integrity"):
        await manager.run(replace(job("console.log('ran')", JAVASCRIPT), packages=(wrong,)), watcher)
    assert (b"", before) == (watcher.stdout, volumes(ENGINE))


async def test_install_scripts_run_by_grant_alone(manager: SandboxManager, registry: Registry) -> None:
    """Without one nothing is made; with one the script reaches no other host, and nothing of the run."""
    asking = replace(
        job("console.log(require('maker'))", JAVASCRIPT, {"own.txt": b"x"}),
        packages=(registry.locked("maker", "1.0.0"),),
    )
    plain, granted = Recorder(), Recorder()
    await manager.run(asking, plain)
    await manager.run(replace(asking, run="granted", builds=("maker",)), granted)
    assert (b"false\n", b"403 false\n") == (plain.stdout, granted.stdout), plain.stderr + granted.stderr
    refused = [data for type_, data in granted.events if type_ == "network.attempt" and not data["allowed"]]
    assert ["other.example.org"] == [data["host"] for data in refused]


async def test_packages_come_into_a_sandbox_that_stays_one_after_the_other(
    manager: SandboxManager, registry: Registry
) -> None:
    """What is installed later does not take away what was there."""
    staying = replace(job("var x = 1", JAVASCRIPT), session="b-npm", principal="ada")
    installing = replace(staying, operation=Operation(kind=OperationKind.INSTALL), code=b"")
    steps = [
        staying,
        replace(installing, run="i-1", packages=tuple(tree(registry))),
        replace(installing, run="i-2", packages=(registry.locked("maker", "1.0.0"),)),
        replace(staying, run="u-1", code=b"console.log(x, require('greeter')(), require('maker'))"),
    ]
    watchers = [Recorder() for _ in steps]
    async with asyncio.timeout(180):
        for step, watcher in zip(steps, watchers, strict=True):
            result = await manager.run(step, watcher)
            assert (KillReason.NONE, 0) == (result.kill_reason, result.exit_code), result.evidence
    assert b"1 new words,old words false\n" == watchers[-1].stdout
    manager.sessions.end("b-npm")

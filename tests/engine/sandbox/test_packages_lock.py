"""What is installed is exact: names, versions and hashes, and nothing that pip would take for an option."""

from __future__ import annotations

import json

import pytest

from engine.common.text import Untrusted
from engine.models import Language, Package
from engine.sandbox.api.package_lock import PackageLockError, check, key
from engine.sandbox.packages.builder import build_report
from engine.sandbox.packages.npm import Npm, npm_lock_file
from engine.sandbox.packages.pip import Pip, requirements
from engine.sandbox.packages.registry import Registry
from engine.settings import SandboxSettings

HASH = f"sha256:{'a' * 64}"
INTEGRITY = f"sha512-{'a' * 86}=="


def package(
    name: str = "numpy", version: str = "2.1", registry: str = "", hashes: tuple[str, ...] = (HASH,)
) -> Package:
    """Return a package."""
    return Package(
        name=Untrusted(name), version=Untrusted(version), registry=Untrusted(registry), hashes=hashes
    )


def module(
    name: str = "left-pad", version: str = "1.0.0", place: str = "", hashes: tuple[str, ...] = (INTEGRITY,)
) -> Package:
    """Return a package of npm."""
    return Package(name=Untrusted(name), version=Untrusted(version), place=Untrusted(place), hashes=hashes)


@pytest.mark.parametrize(
    "bad",
    [
        package(name="numpy --index-url=http://evil.example"),
        package(name="numpy @ http://evil.example/x.whl"),
        package(name="-r/etc/passwd"),
        package(name="numpy\n--pre"),
        package(name="../x"),
        package(name="numpy[extra]"),
        package(version=">=2"),
        package(version="2.*"),
        package(version=""),
        package(version="2.1 --pre"),
        package(registry="evil.example"),
        package(hashes=()),
        package(hashes=("md5:0",)),
        package(hashes=(f"{HASH} --pre",)),
    ],
)
def test_what_is_not_exact_is_refused(bad: Package) -> None:
    """Ranges, options, addresses, paths, extras, other registries and missing hashes are no lock."""
    with pytest.raises(PackageLockError):
        check((bad,), Language.PYTHON)


def test_packages_are_given_to_two_languages_and_each_once() -> None:
    """Another language, or one name twice however it is written, is refused."""
    check((package(), package("pandas")), Language.PYTHON)
    with pytest.raises(PackageLockError, match="Python and JavaScript only"):
        check((package(),), Language.SHELL)
    with pytest.raises(PackageLockError, match="twice"):
        check((package("a_b"), package("A-B")), Language.PYTHON)
    check((module("a.b"), module("a-b"), module("a-b", place="a.b/node_modules/a-b")), Language.JAVASCRIPT)
    with pytest.raises(PackageLockError, match="twice"):
        check((module("a"), module("b", place="a")), Language.JAVASCRIPT)


@pytest.mark.parametrize(
    "bad",
    [
        module("--registry=http://evil.example"),
        module("--global"),
        module("@-s/x"),
        module("../x"),
        module("@scope"),
        module("a/b"),
        module("git+ssh://evil.example/x"),
        module(version="^1.0.0"),
        module(version="latest"),
        module(version="https://evil.example/x.tgz"),
        module(place="../../etc"),
        module(place="a/node_modules/../b"),
        module(place="/a"),
        module(place=".bin"),
        module(hashes=("sha1-AAAA",)),
        module(hashes=()),
    ],
)
def test_what_npm_would_fetch_from_elsewhere_is_refused(bad: Package) -> None:
    """Ranges, tags, addresses, options, paths and weak hashes are no lock."""
    with pytest.raises(PackageLockError):
        check((bad,), Language.JAVASCRIPT)


def test_one_set_of_packages_has_one_layer() -> None:
    """Order and spelling change nothing; a version, a hash, a build or the image do."""
    python = Language.PYTHON
    one = key((package("a_b"), package()), python, "image")
    assert one == key((package(), package("A.B")), python, "image", ["pandas"])
    others = {
        key((package(), package("a-b", version="3")), python, "image"),
        key((package(), package("a-b")), python, "other"),
        key((package(), package("a-b")), python, "image", ["A_B"]),
        key((package(), package("a-b", hashes=(HASH.replace("a", "b"),))), python, "image"),
    }
    assert len(others | {one}) == 5
    assert f"a-b==2.1 --hash={HASH}\n" == requirements((package("A_B"),))


def test_a_tree_of_npm_goes_out_as_it_was_found() -> None:
    """Names, aliases, nesting and scripts of a lock are those that were granted."""
    inner = module("b", version="2.0.0", place="@s/a/node_modules/b")
    orphan = module("c", place="gone/node_modules/c")
    other = module("b", place="alias")
    laid = npm_lock_file((module("@s/a"), inner, other, orphan), ["@s/a"])["packages"]
    assert {"@s/a": "1.0.0", "alias": "npm:b@1.0.0"} == laid[""]["dependencies"]
    assert ["node_modules/@s/a"] == [place for place, one in laid.items() if one.get("hasInstallScript")]
    assert {"b": "2.0.0"} == laid["node_modules/@s/a"]["dependencies"]
    said = json.dumps({"packages": {place: one for place, one in laid.items() if place}}).encode()
    assert {module("@s/a"), inner, other} == set(Npm().parse_found(said))


@pytest.mark.parametrize(
    "report",
    [
        b"",
        b"[]",
        b'{"install": [{}]}',
        json.dumps({"install": [{"metadata": {"name": "x", "version": "1"}}]}).encode(),
        json.dumps(
            {"packages": {"node_modules/x": {"version": "1.0.0", "resolved": "git+ssh://x"}}}
        ).encode(),
        json.dumps({"packages": {"../x": {"version": "1.0.0", "integrity": INTEGRITY}}}).encode(),
    ],
)
def test_a_report_that_cannot_be_read_is_no_lock(report: bytes) -> None:
    """What comes back from the sandbox that asks is looked at like anything from a guest."""
    for installer in (Pip(), Npm()):
        with pytest.raises(PackageLockError):
            installer.parse_found(report)


def test_a_layer_goes_where_python_looks_and_nowhere_else() -> None:
    """The sandbox that installs cannot choose what it is mounted over."""
    target = "/usr/local/lib/python3.13/dist-packages"
    assert (target, 99, "") == build_report(f"{target} 99\n".encode())
    assert (target, 99, "a.pth b.pth") == build_report(f"{target} 99 'a.pth' 'b.pth'\n".encode())
    for said in (b"/opt/pratique 1\n", f"{target}/../../x 1".encode(), f"{target} 1 x".encode(), b""):
        with pytest.raises(ValueError, match="did not report"):
            build_report(said)


def test_the_sandbox_that_fetches_reaches_the_registry_alone() -> None:
    """Its network is the index and its files, on their port."""
    terms = Registry(
        "https://index.example.org:8443/simple", ("index.example.org", "files.example.org")
    ).policy(SandboxSettings())
    assert (("index.example.org", "files.example.org"), {80, 443, 8443}) == (terms.domains, set(terms.ports))

"""What is installed is exact: names, versions and hashes, and nothing that pip would take for an option."""

from __future__ import annotations

import json

import pytest

from engine.models import Language, Package
from engine.sandbox.packages.layers import told
from engine.sandbox.packages.lock import BadLock, check, found, key, requirements
from engine.sandbox.packages.registry import Registry
from engine.settings import SandboxSettings
from engine.text import Untrusted

HASH = f"sha256:{'a' * 64}"


def package(
    name: str = "numpy", version: str = "2.1", registry: str = "", hashes: tuple[str, ...] = (HASH,)
) -> Package:
    """Return a package."""
    return Package(
        name=Untrusted(name), version=Untrusted(version), registry=Untrusted(registry), hashes=hashes
    )


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
    with pytest.raises(BadLock):
        check((bad,), Language.PYTHON)


def test_only_python_is_given_packages_and_each_once() -> None:
    """Another language, or one name twice however it is written, is refused."""
    check((package(), package("pandas")), Language.PYTHON)
    with pytest.raises(BadLock, match="Python alone"):
        check((package(),), Language.JAVASCRIPT)
    with pytest.raises(BadLock, match="twice"):
        check((package("a_b"), package("A-B")), Language.PYTHON)


def test_one_set_of_packages_has_one_layer() -> None:
    """Order and spelling change nothing; a version, a hash or the image do."""
    one = key((package("a_b"), package()), "image")
    assert one == key((package(), package("A.B")), "image")
    others = {
        key((package(), package("a-b", version="3")), "image"),
        key((package(), package("a-b")), "other"),
    }
    assert one not in others | {key((package(), package("a-b", hashes=(HASH.replace("a", "b"),))), "image")}
    assert f"a-b==2.1 --hash={HASH}\n" == requirements((package("A_B"),))


@pytest.mark.parametrize(
    "report",
    [
        b"",
        b"[]",
        b'{"install": [{}]}',
        json.dumps({"install": [{"metadata": {"name": "x", "version": "1"}}]}).encode(),
    ],
)
def test_a_report_that_cannot_be_read_is_no_lock(report: bytes) -> None:
    """What comes back from the sandbox that asks is looked at like anything from a guest."""
    with pytest.raises(BadLock):
        found(report)


def test_a_layer_goes_where_python_looks_and_nowhere_else() -> None:
    """The sandbox that installs cannot choose what it is mounted over."""
    assert ("/usr/local/lib/python3.13/dist-packages", 99) == told(
        b"/usr/local/lib/python3.13/dist-packages 99\n"
    )
    for said in (b"/opt/pratique 1\n", b"/usr/local/lib/python3.13/dist-packages/../../x 1", b""):
        with pytest.raises(ValueError, match="did not say"):
            told(said)


def test_the_sandbox_that_fetches_reaches_the_registry_alone() -> None:
    """Its network is the index and its files, on their port."""
    terms = Registry(
        "https://index.example.org:8443/simple", ("index.example.org", "files.example.org")
    ).terms(SandboxSettings())
    assert (("index.example.org", "files.example.org"), {80, 443, 8443}) == (terms.domains, set(terms.ports))

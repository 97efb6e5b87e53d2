"""Images are known by what they are built from, and carry nothing that fetches, compiles or raises."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest

from engine import images
from engine.images import ImageError, ImageSpec, Progress


@pytest.fixture
def spec(tmp_path: Path) -> ImageSpec:
    """An image folder of one's own."""
    folder = tmp_path / "snake"
    guest = folder / "guest"
    guest.mkdir(parents=True)
    (tmp_path / "seal.sh").write_text("true\n")
    (folder / "Dockerfile").write_text("ARG BASE\nFROM ${BASE}\n")
    (guest / "runner.py").write_text("pass\n")
    return ImageSpec(name="snake", folder=folder, guest=guest)


def test_five_images_ship() -> None:
    """Every language has an image, and data work has one of its own with the same guest."""
    specs = {spec.name: spec for spec in images.shipped()}
    assert {"node", "notebook", "python", "python-data", "shell"} == specs.keys()
    assert specs["python"].guest == specs["python-data"].guest


def test_hash_follows_contents_and_names(spec: ImageSpec) -> None:
    """A changed or a renamed file changes the hash; a date, a mode and a byte-code cache do not."""
    before = images.inputs_hash(spec)
    runner = spec.guest / "runner.py"
    runner.touch()
    runner.chmod(0o600)
    (spec.guest / "__pycache__").mkdir()
    (spec.guest / "__pycache__" / "runner.pyc").write_bytes(b"x")
    assert before == images.inputs_hash(spec)
    runner.write_text("pass \n")
    changed = images.inputs_hash(spec)
    runner.rename(spec.guest / "other.py")
    assert 3 == len({before, changed, images.inputs_hash(spec)})


def test_hash_cannot_be_shifted_between_files(spec: ImageSpec) -> None:
    """Moving bytes from one file's end to the next one's start is a change."""
    first, second = spec.guest / "a", spec.guest / "b"
    first.write_text("xy")
    second.write_text("z")
    before = images.inputs_hash(spec)
    first.write_text("x")
    second.write_text("yz")
    assert before != images.inputs_hash(spec)


def test_context_is_the_same_bytes_twice(spec: ImageSpec) -> None:
    """Two contexts of the same inputs are equal, root's, and hold the guest's folder even when empty."""
    (spec.guest / "runner.py").unlink()
    first, second = images.context(spec), images.context(spec)
    assert first.getvalue() == second.getvalue()
    with tarfile.open(fileobj=first) as tar:
        members = tar.getmembers()
    assert {"guest", "Dockerfile", "seal.sh"} == {member.name for member in members}
    assert {(0, 0, 0)} == {(member.uid, member.gid, member.mtime) for member in members}


def test_unreadable_inputs_are_one_line(spec: ImageSpec) -> None:
    """A missing file is an error for people: which image, which file, what to type."""
    (spec.folder.parent / "seal.sh").unlink()
    with pytest.raises(ImageError, match=r"^image snake: .*seal\.sh: No such file.* Install Pratique anew$"):
        images.inputs_hash(spec)


@pytest.fixture
def client() -> Iterator[docker.DockerClient]:
    """Docker itself."""
    client = docker.from_env(timeout=600)
    yield client
    client.close()


@pytest.mark.sandbox
def test_nothing_unchanged_is_rebuilt(client: docker.DockerClient) -> None:
    """A second build of the same inputs says nothing, builds nothing, and gives the same digest."""
    spec = next(spec for spec in images.shipped() if spec.name == "shell")
    first = images.build(client, spec, lambda _: None)
    said: list[Progress] = []
    second = images.build(client, spec, said.append)
    assert (first.digest, False, []) == (second.digest, second.built, said)
    check_row = next(check_row for check_row in images.list_images(client) if check_row.name == "shell")
    assert (first.digest, True) == (check_row.digest, check_row.current)


@pytest.mark.sandbox
def test_failing_build_is_one_line(client: docker.DockerClient, spec: ImageSpec) -> None:
    """A Dockerfile whose command fails ends in an ImageError that names the image and the command."""
    (spec.folder / "Dockerfile").write_text("ARG BASE\nFROM ${BASE}\nRUN exit 7\n")
    with pytest.raises(ImageError, match=r"^image snake: .*exit 7.* 7\. Type: pratique image build$"):
        images.build(client, spec, lambda _: None)
    assert [] == client.images.list(images.reference("snake"))


_UNWANTED = (
    "apt apt-get pip pip3 npm gcc cc g++ c++ clang tcc as ld make curl wget nc ncat socat ssh ping "
    "ip ss telnet ftp dig sudo"
)


@pytest.mark.sandbox
@pytest.mark.parametrize("name", ["python", "python-data", "notebook", "node", "shell"])
def test_image_holds_nothing_that_fetches_or_raises(client: docker.DockerClient, name: str) -> None:
    """The guest is user 1000 in /workspace, without set-uid, package tools, compilers, network tools."""
    script = (
        f"id -u; pwd; for tool in {_UNWANTED}; do command -v $tool; done; "
        "find / -xdev -type f -perm /6000 2>/dev/null; "
        "find / -xdev -writable -not -path '/dev/*' -not -path '/proc/*' -not -type l 2>/dev/null; true"
    )
    output = client.containers.run(
        images.reference(name),
        ["bash", "-c", script],
        entrypoint="",
        runtime="runsc",
        network_mode="none",
        remove=True,
        labels={"pratique.test": "images"},
    )
    assert ["1000", "/workspace", "/tmp", "/var/tmp", "/run/lock", "/workspace"] == output.decode().split()


@pytest.mark.sandbox
def test_first_plot_finds_its_fonts(client: docker.DockerClient) -> None:
    """matplotlib draws on a read-only root without a warning, and without searching for fonts."""
    code = (
        "import matplotlib.font_manager as f, matplotlib.pyplot as p, pandas, scipy, sympy;"
        "p.plot([1, 2]); p.savefig('/workspace/a.png'); print(p.get_backend())"
    )
    output = client.containers.run(
        images.reference("python-data"),
        ["python3", "-I", "-W", "error", "-c", code],
        runtime="runsc",
        network_mode="none",
        read_only=True,
        tmpfs={"/tmp": "size=16m", "/workspace": "size=16m,uid=1000"},
        remove=True,
        stderr=True,
        labels={"pratique.test": "images"},
    )
    assert "agg" == output.decode().strip().lower()


def printed(client: docker.DockerClient, name: str, code: str) -> list[str]:
    """Run Python in an image of Pratique's, and return the words that it prints."""
    output = client.containers.run(
        images.reference(name),
        ["python3", "-I", "-c", code],
        runtime="runsc",
        network_mode="none",
        remove=True,
        labels={"pratique.test": "images"},
    )
    words: list[str] = output.decode().split()
    return words


INDEX = """
import pandas as pd
texts = pd.Series([f"a{number}" * 30 for number in range(5000)])
index = pd.Index(texts)
print("zz" in index)
texts[:] = 0
kept = [bytearray(b"A" * 200) for _ in range(20000)]
print(sum(f"a{number}" * 30 in index for number in range(5000)))
"""


@pytest.mark.sandbox
@pytest.mark.parametrize("name", ["python-data", "notebook"])
def test_an_index_keeps_the_objects_that_it_looks_up(client: docker.DockerClient, name: str) -> None:
    """A store into the array that it shares frees none of them: pandas' C code would use what is freed."""
    assert ["False", "5000"] == printed(client, name, INDEX)


ZONES = """
import contextlib, sys
import matplotlib.pyplot as plt
import pandas as pd
opened = []
sys.addaudithook(lambda event, args: opened.append(args[0]) if event == "open" else None)
sums = pd.DataFrame([[1, 2, 3, 4]], columns=["a", "b", "c", "d"]).groupby(["a", "b", "c"]).sum()
for name in ("/etc/passwd", ":/etc/passwd", "../../../etc/passwd"):
    sums["d"].get((f"datetime64[ns, dateutil/{name}]", 2))
zoned = pd.Series([pd.Timestamp("2020-01-01"), "/etc/passwd"], index=["a", "tzinfo"])
with contextlib.suppress(Exception):
    plt.scatter([zoned], [1])
print(any("passwd" in str(name) for name in opened))
print(pd.Timestamp("2020-01-01").tz_localize("dateutil/Europe/Paris").isoformat())
"""


@pytest.mark.sandbox
@pytest.mark.parametrize("name", ["python-data", "notebook"])
def test_a_text_for_a_time_zone_opens_no_other_file(client: docker.DockerClient, name: str) -> None:
    """pandas and matplotlib take labels for types or zones in many places, and dateutil those for files."""
    assert ["False", "2020-01-01T00:00:00+01:00"] == printed(client, name, ZONES)

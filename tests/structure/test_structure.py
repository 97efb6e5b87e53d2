"""The structure keeps to its limits, and the script that measures it finds what it is for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.structure import structure


def test_the_structure_keeps_to_its_limits(capsys: pytest.CaptureFixture[str]) -> None:
    """No crowded folder, no import cycle, no base class for one subclass, hardly a class name twice."""
    assert 0 == structure.main(), capsys.readouterr().out


def test_models_change_only_through_validation() -> None:
    """`model_copy` with values checks nothing; only a setting at the start of a server is changed by it."""
    found = structure.modules()
    changed = [
        one.name for one in found if one.name.startswith("engine.") and structure.copies_unchecked(one)
    ]
    assert ["engine.server.serve"] == changed


def write(root: Path, **sources: str) -> list[structure.Module]:
    """Write modules of a made-up engine, and return what is read of them."""
    folder = root / "engine"
    folder.mkdir()
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(source)
    return structure.modules(root)


def test_a_crowded_folder_is_found(tmp_path: Path) -> None:
    """One module more than the limit is one too many."""
    found = write(tmp_path, **{f"m{n}": "" for n in range(structure.MOST_MODULES)})
    assert {} == structure.crowded(found)
    (tmp_path / "engine" / "more.py").write_text("")
    assert [26] == list(structure.crowded(structure.modules(tmp_path)).values())


def test_a_cycle_is_found(tmp_path: Path) -> None:
    """Three modules that import each other in a ring are one cycle."""
    ring = write(
        tmp_path, a="from engine import b", b="import engine.c", c="from engine.a import x", d="import a"
    )
    assert [["engine.a", "engine.b", "engine.c"]] == structure.cycles(ring)


@pytest.mark.parametrize("late", ["if TYPE_CHECKING:\n    import engine.b", "def f():\n    import engine.b"])
def test_an_import_that_does_not_run_at_load_is_no_cycle(tmp_path: Path, late: str) -> None:
    """What is imported for types or on first use makes no cycle."""
    assert [] == structure.cycles(write(tmp_path, a=late, b="import engine.a"))


def test_a_base_class_for_one_subclass_is_found(tmp_path: Path) -> None:
    """A class that nobody but its one subclass names is lonely; one that others use is not."""
    found = write(
        tmp_path,
        a="class Split: ...\nclass Used: ...\nclass Seam(Protocol): ...",
        b="class B(Split): ...\nclass C(Used): ...\nclass D(Seam): ...",
        c="def make() -> Used: ...",
    )
    assert ["Split <- engine.b.B"] == structure.lonely_bases(found)


def test_a_class_name_that_is_defined_twice_is_found(tmp_path: Path) -> None:
    """The name is listed with both modules."""
    found = structure.classes(
        write(tmp_path, a="class Facts: ...", b="class Facts: ...", c="class Other: ...")
    )
    assert {"Facts": ["engine.a", "engine.b"]} == structure.homonyms(found)


def test_a_public_class_whose_name_another_module_defines_is_found() -> None:
    """One of the models or of the client has a name of its own."""
    found = [
        structure.Class(name, module, ())
        for name, module in [
            ("Case", "engine.models.case"), ("Case", "console.app.case"),
            ("Facts", "engine.policy.facts"), ("Facts", "console.app.facts"),
        ]
    ]  # fmt: skip
    assert ["Case"] == structure.public_homonyms(found)

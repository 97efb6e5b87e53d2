"""The tree is the one of RFC 6962, however it is grown, stored or proved."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.history.chain import merkle
from engine.history.chain.merkle import Frontier

# The leaves and roots that Certificate Transparency's own tests use.
LEAVES = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = (
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)


def grown(leaves: list[bytes]) -> bytes:
    """Return the root of a tree grown leaf by leaf."""
    frontier = Frontier()
    for data in leaves:
        frontier.add(data)
    return frontier.root()


def defined(leaves: list[bytes]) -> bytes:
    """Return the root as section 2.1 of the RFC defines it."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return merkle.leaf(leaves[0])
    middle = merkle.split(len(leaves))
    return merkle.node(defined(leaves[:middle]), defined(leaves[middle:]))


@pytest.mark.parametrize("size", range(1, 9))
def test_known_roots(size: int) -> None:
    """The roots are those that are known from Certificate Transparency."""
    assert ROOTS[size - 1] == grown(LEAVES[:size]).hex()


def test_root_of_nothing() -> None:
    """A tree without leaves has the hash of nothing as its root."""
    assert hashlib.sha256(b"").digest() == grown([])


@given(st.integers(1, 80))
def test_grown_tree_is_the_defined_one(size: int) -> None:
    """Growing leaf by leaf leads to the root of the definition."""
    leaves = [bytes([number]) for number in range(size)]
    assert defined(leaves) == grown(leaves)


@given(st.integers(1, 80), st.data())
def test_proof_leads_to_the_root(size: int, data: st.DataObject) -> None:
    """A leaf's proof leads to the root; another leaf, place, length or size does not."""
    leaves = [bytes([number]) for number in range(size)]
    index = data.draw(st.integers(0, size - 1))
    root = defined(leaves)
    proof = merkle.inclusion(index, size, lambda start, end: defined(leaves[start:end]))
    assert root == merkle.root_of(index, size, leaves[index], proof)
    assert root != merkle.root_of(index, size, b"other", proof)
    assert root != merkle.root_of(index, size, leaves[index], [*proof, root])
    assert root != merkle.root_of(size, size, leaves[index], proof)
    assert not proof or root != merkle.root_of(index, size, leaves[index], proof[:-1])


@given(st.lists(st.integers(0, 3000), max_size=5))
@settings(max_examples=20, deadline=None)
def test_growing_in_slices_is_growing_leaf_by_leaf(sizes: list[int]) -> None:
    """Slices of any size lead to the tree that single leaves lead to."""
    single, sliced = Frontier(), Frontier()
    for number, size in enumerate(sizes):
        leaves = [bytes([number, place & 255]) for place in range(size)]
        sliced.extend(leaves)
        for data in leaves:
            single.add(data)
    assert single == sliced


def test_complete_subtrees_are_handed_out() -> None:
    """Each full subtree of the stored levels comes out once, with its place and its root."""
    frontier = Frontier()
    leaves = [number.to_bytes(2, "big") for number in range(3 << merkle.STORED)]
    complete = [subtree for data in leaves for subtree in frontier.add(data)]
    width = 1 << merkle.STORED
    assert [(10, 0), (10, 1), (11, 0), (10, 2)] == [subtree[:2] for subtree in complete]
    assert grown(leaves[2 * width :]) == complete[3][2]
    assert grown(leaves[: 2 * width]) == complete[2][2]


@pytest.mark.parametrize("proof", [[b"x" * 32], [b"x" * 32] * 2])
def test_a_proof_that_is_too_long_leads_nowhere(proof: list[bytes]) -> None:
    """A tree of one leaf has an empty proof, and any other is refused."""
    assert merkle.root_of(0, 1, b"leaf", []) == merkle.leaf(b"leaf")
    assert merkle.root_of(0, 1, b"leaf", proof) is None


@given(st.lists(st.integers(0, 3000), max_size=5))
@settings(max_examples=20, deadline=None)
def test_pieces_complete_the_same_subtrees_as_leaves(sizes: list[int]) -> None:
    """Wherever they are cut, if none is larger than the lowest stored subtree."""
    single, grafted = Frontier(), Frontier()
    for size in sizes:
        leaves = [place.to_bytes(2, "big") for place in range(size)]
        cut = merkle.pieces(grafted.size, leaves, merkle.STORED)
        assert [one for data in leaves for one in single.add(data)] == grafted.graft(cut)

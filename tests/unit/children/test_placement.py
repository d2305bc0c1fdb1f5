"""Placement of agents, and its records."""

from __future__ import annotations

import pytest

from formicary.children.placement import Placement
from formicary.errors import InvalidNameError, NameTakenError, UsageError


def placed(placement, *names, **options):
    return [placement.place(name, **options) for name in names]


def test_round_robin_placement():
    assert placed(Placement(["c1", "c2", "c3"]), *"abcde") == ["c1", "c2", "c3", "c1", "c2"]


def test_least_loaded_placement():
    placement = Placement(["c1", "c2"], "least-loaded")
    assert placed(placement, "a", "b", "c") == ["c1", "c2", "c1"]
    placement.forget("a")
    placement.forget("c")
    assert placed(placement, "d", "e", "f") == ["c1", "c1", "c2"]


def test_explicit_placement():
    assert placed(Placement(["c1", "c2"]), "a", "b", on="c2") == ["c2", "c2"]


def test_a_group_is_kept_together_as_long_as_its_container_is_there():
    placement = Placement(["c1", "c2", "c3"])
    assert placed(placement, "a", "b", group="red") == ["c1", "c1"]
    assert placed(placement, "c", "d", group="blue") == ["c2", "c2"]
    assert placement.lose("c1") == ("a", "b")
    assert placed(placement, "a", "e", group="red") == ["c2", "c2"]


def test_a_name_is_given_once_until_its_agent_has_ended():
    placement = Placement(["c1", "c2"])
    placement.place("a")
    with pytest.raises(
        NameTakenError, match=r"^an agent named 'a' already lives in container c1 of this local plat"
    ):
        placement.place("a", on="c2")
    placement.forget("a")
    placement.forget("a")
    assert placement.place("a", on="c2") == "c2"
    assert (placement.names_in("c1"), placement.names_in("c2")) == ((), ("a",))


def test_bad_input_is_one_sentence():
    placement = Placement(["c1", "c2"])
    with pytest.raises(
        UsageError, match=r"^this local platform has no container 'c9' to place agents in; it has c1 and c2"
    ):
        placement.place("a", on="c9")
    with pytest.raises(InvalidNameError):
        placement.place("a b")
    with pytest.raises(
        UsageError, match=r"^agents must be placed round-robin or least-loaded, not 'at-random'$"
    ):
        Placement(["c1"], "at-random")


def test_without_containers_nothing_is_placed():
    placement = Placement(["c1"])
    placement.lose("c1")
    with pytest.raises(UsageError, match=r"^all containers of this local platform have ended"):
        placement.place("a")

from __future__ import annotations

import pytest

from formicary.cli.visitors import is_visitor, lent_name
from formicary.core.names import check_container


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path


def test_names_differ_at_the_same_time_and_come_again():
    with lent_name() as first:
        with lent_name() as second:
            assert check_container(first) != check_container(second)
        with lent_name() as third:
            assert third == second
        assert is_visitor(f"{first}.lab.localhost")
    with lent_name() as again:
        assert again == first


def test_without_a_place_for_it_a_name_is_used_once(state):
    (state / "formicary").touch()
    with lent_name() as first:
        pass
    with lent_name() as second:
        assert check_container(first) != check_container(second)
        assert is_visitor(second)

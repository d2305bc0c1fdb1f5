from __future__ import annotations

import pytest

from formicary.cli.guest_names import is_guest_name, lease_name
from formicary.core.names import check_container


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path


def test_names_differ_at_the_same_time_and_come_again():
    with lease_name() as first:
        with lease_name() as second:
            assert check_container(first) != check_container(second)
        with lease_name() as third:
            assert third == second
        assert is_guest_name(f"{first}.lab.localhost")
    with lease_name() as again:
        assert again == first


def test_without_a_state_folder_a_name_is_used_once(state):
    (state / "formicary").touch()
    with lease_name() as first:
        pass
    with lease_name() as second:
        assert check_container(first) != check_container(second)
        assert is_guest_name(second)

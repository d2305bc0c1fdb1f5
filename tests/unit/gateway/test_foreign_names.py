"""Names of other platforms' agents as addresses here, and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formicary.core.names import check_receiver
from formicary.errors import InvalidNameError
from formicary.gateway.foreign_names import from_local, is_foreign, platform_of, to_local

LETTERS = "ab1 \"&'/:<>@%\\20-_.é"


@pytest.mark.parametrize(
    ("name", "local"),
    [
        ("seller@jade-platform", "seller%jade-platform"),
        ("Seller@JADE", "seller%jade"),
        ("Buyer 1@192.168.1.7:1099/JADE", "buyer\\201%192.168.1.7\\3a1099\\2fjade"),
        ("a@b@c", "a\\40b%c"),
        ("50%@c\\20d", "50\\25%c\\5c20d"),
    ],
)
def test_names_and_what_they_are_here(name, local):
    assert to_local(name) == local
    assert from_local(local) == name.lower()
    assert is_foreign(local)
    assert platform_of(name) == name.lower().rpartition("@")[2]


@given(st.text(LETTERS, min_size=1, max_size=8), st.text(LETTERS.replace("@", ""), min_size=1, max_size=8))
def test_each_name_is_an_address_of_its_own(own, platform):
    local = to_local(f"{own}@{platform}")
    assert check_receiver(f"{local}@c1.lab.localhost")
    assert from_local(local) == f"{own}@{platform}"


@pytest.mark.parametrize(
    "name", ["", "seller", "@jade", "seller@", "a\x00b@c", "a\u202eb@c", "x" * 2000 + "@c"]
)
def test_invalid_foreign_names_are_refused(name):
    with pytest.raises(InvalidNameError):
        to_local(name)


@pytest.mark.parametrize("local", ["", "seller", "%jade", "seller%", "a%b%c"])
def test_invalid_local_parts_are_refused(local):
    with pytest.raises(InvalidNameError, match="is not an agent of another platform"):
        from_local(local)

"""What rooms export."""

from __future__ import annotations

import pytest

from formicary import directory
from formicary.directory.model.query import Query


def test_a_room_has_what_it_exports():
    assert directory.Query is Query
    assert "Query" in vars(directory)  # the next one finds it there


def test_what_it_does_not_export_is_said():
    with pytest.raises(AttributeError, match=r"^module 'formicary\.directory' has no attribute 'Qeury'$"):
        _ = directory.Qeury

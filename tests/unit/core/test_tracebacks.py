"""Where an exception comes from: the innermost place in a user's code."""

from __future__ import annotations

import json

import pytest

from formicary import Message
from formicary.core.tracebacks import raised_at


def fail_in_a_library():
    json.loads("{")


def fail_in_the_platform():
    Message(to="Not A Name")


def fail_oneself():
    raise ValueError("mine")


@pytest.mark.parametrize("function", [fail_in_a_library, fail_in_the_platform, fail_oneself])
def test_it_is_the_innermost_place_outside_of_platform_and_libraries(function):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 -- what it says is not the point
        function()
    line = function.__code__.co_firstlineno + 1
    assert raised_at(caught.value) == f"test_tracebacks.py:{line}, in {function.__name__}"


def test_there_is_always_some_place_but_for_what_was_never_raised():
    with pytest.raises(ZeroDivisionError) as caught:
        exec(compile("1 / 0", "<frozen nothing>", "exec"))
    error = caught.value
    assert raised_at(error.with_traceback(error.__traceback__.tb_next)) == "<frozen nothing>:1, in <module>"
    assert raised_at(ValueError()) == ""

"""Which functions can be sent to a worker process; the pool's tests also check the errors."""

from __future__ import annotations

import functools
import sys
from types import ModuleType

import pytest

from formicary import Agent
from formicary.compute.functions import check_can_be_sent, check_function, name_of
from formicary.errors import ComputeError


def solve():
    """Do nothing."""


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (solve, "solve()"),
        (functools.partial(functools.partial(solve), 3), "solve()"),
        (Agent.stop, "Agent.stop()"),
        (3, "3"),
    ],
)
def test_names(function, name):
    assert name_of(function) == name


def test_usual_functions_pass():
    for function in solve, len, "a".join, functools.partial(solve), dict:
        check_function(function)
        check_can_be_sent(function)


def test_what_an_interpreter_without_a_file_defines_would_not_be_found(monkeypatch):
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    monkeypatch.setattr(solve, "__module__", "__main__")
    with pytest.raises(
        ComputeError, match=r"solve\(\) is defined where no worker process can find it, because"
    ):
        check_can_be_sent(solve)


def test_a_method_of_an_agent_stays():
    with pytest.raises(ComputeError, match=r"belongs to the agent Agent, which stays in its container: make"):
        check_can_be_sent(Agent("a").suspend)

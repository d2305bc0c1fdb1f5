"""Whose code classes and callbacks are."""

from __future__ import annotations

import asyncio
import functools
import json

import pytest

from formicary.core.micro import MicroAgent
from formicary.core.scheduler import Scheduler
from formicary.directory.central.agent import DirectoryAgent
from formicary.fipa.management_agent import ManagementAgent
from formicary.profiling.accounting.borders import group_of_callback, group_of_class, group_of_file
from formicary.profiling.accounting.ledger import AGENTS, COMMUNICATION, DIRECTORY, GROUPS, PLATFORM, RUNTIME
from formicary.profiling.model.groups import Group
from formicary.transport.link.link import Link


class Own(MicroAgent):
    def handle(self, message):
        pass


def test_the_slots_are_the_groups():
    assert set(GROUPS) == set(Group) - {Group.SERVER}


@pytest.mark.parametrize(
    ("kind", "group"),
    [(Own, AGENTS), (DirectoryAgent, DIRECTORY), (ManagementAgent, PLATFORM), (dict, AGENTS)],
)
def test_a_class_belongs_to_the_group_of_its_module(kind, group):
    assert group_of_class(kind) == group


@pytest.mark.parametrize(
    ("callback", "group"),
    [
        (Link._tick, COMMUNICATION),
        (Scheduler.wake, PLATFORM),
        (functools.partial(functools.partial(Link._tick, None), 1), COMMUNICATION),
        (Own("own").handle, AGENTS),
        (json.dumps, RUNTIME),
        (print, RUNTIME),
        (asyncio.BaseEventLoop.stop, RUNTIME),
    ],
)
def test_a_callback_belongs_to_the_group_of_its_function(callback, group):
    assert group_of_callback(callback) == group


def test_what_comes_from_no_file_is_somebodys_own():
    assert group_of_file("<string>") == AGENTS
    assert group_of_file("<stdin>") == AGENTS


async def test_tasks_belong_to_their_coroutine_and_wrapped_ones_to_the_agents():
    async def own():
        await asyncio.sleep(0)

    for coroutine in (own(), asyncio.wait_for(own(), 5), asyncio.sleep(0)):
        task = asyncio.create_task(coroutine)
        assert group_of_callback(_step_of(task)) == AGENTS
        await task


def _step_of(task):
    class Step:
        __self__ = task

    return Step()

"""Bring micro-agents to rest: no `handle` is running, and their messages wait."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

from formicary.core.errors import MoveError
from formicary.mobility.tombstone import OrphanedStrand

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary.core.message import Message
    from formicary.core.micro import MicroAgent
    from formicary.core.strand import Strand
    from formicary.delivery.held import HeldMessages


async def quiesce(agent: MicroAgent, held: HeldMessages, caller: Strand | None, patience: float) -> None:
    """Hold the messages of a micro-agent from now on, and wait until it handles none.

    Args:
        agent: the agent.
        held: where its messages wait, those in the container's queue before all others.
        caller: the strand of its `handle` that asked it to move.
        patience: how many seconds its handlers get.

    Raises:
        MoveError: they have not ended in time; the agent is resumed.
    """
    container = agent.container
    container.dispatcher.hold(held)
    if agent.micro_inbox is not None:
        agent.micro_inbox.set_open(is_open=False)  # for who waits for room in the queue
    held.messages.extend(message for _, message in container.scheduler.withdraw(agent))
    busy = [strand for strand in agent.handling_strands() if strand is not caller]
    if not busy:
        return
    _, pending = await asyncio.wait(busy, timeout=patience)
    if pending:
        raise MoveError(
            f"agent {agent.name} cannot move: {len(pending)} of its messages are still being handled after "
            f"{patience:g} s"
        )


def hand_over(agent: MicroAgent, messages: Iterable[Message]) -> None:
    """Resume a micro-agent with the messages that have waited, for all of which there is room."""
    inbox, dispatcher = agent.micro_inbox, agent.container.dispatcher
    assert inbox is not None  # it has started
    inbox.limit = sys.maxsize
    for message in messages:
        dispatcher.deliver(message, agent.address or "")
    inbox.set_open(is_open=True)


def leave(agent: MicroAgent, place: str) -> None:
    """Cancel the handlers of a micro-agent, which continues in the container with the domain `place`."""
    inbox = agent.micro_inbox
    assert inbox is not None  # it has started
    inbox.routes = {}
    for strand in tuple(agent.handling_strands()):
        orphaned = OrphanedStrand(strand, place, None)
        if not strand.cancel_at_once():
            strand.cancel()
        orphaned.watch(strand)

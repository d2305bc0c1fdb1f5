"""Bring agents to rest, resume them, and take them apart where they leave.

An agent is at rest when each of its behaviours is (`core.resting`), and a micro-agent when no `handle` is
running; except the one that asked it to move, which waits for that. From then on nothing of it runs: its
strands are held, and messages for it wait in `HeldMessages`, in order. What its behaviours have not received
stays in their mailboxes.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from formicary.core.agent import Agent
from formicary.core.base_agent import AgentState, set_state
from formicary.core.behaviour import Phase
from formicary.core.errors import MoveError
from formicary.core.mailbox import Mailbox
from formicary.core.quoting import counted
from formicary.core.resting import is_at_rest, what_it_does
from formicary.core.scheduler import GREEDY
from formicary.core.strand import Halt
from formicary.delivery.held import HeldMessages
from formicary.mobility import micro_quiescence
from formicary.mobility.tombstone import OrphanedStrand, Tombstone
from formicary.mobility.unread import Unread, merge
from formicary.mobility.waking import let_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.core.behaviour import Behaviour
    from formicary.core.message import Message
    from formicary.core.micro import MicroAgent
    from formicary.core.strand import Strand

PATIENCE: Final = 5.0
"""How many seconds an agent gets to come to rest."""

_LOOK: Final = 0.02  # s between two checks whether conversations are over
_NOTHING: Final = Unread()


def own_strand(agent: Agent | MicroAgent) -> Strand | None:
    """Return the agent's strand in which this is called; None if the caller is not the agent."""
    current = agent.container.scheduler.current
    owner = None if current is None else current.owner
    is_own = owner.owner.agent is agent if isinstance(owner, Mailbox) else owner is agent
    return current if is_own else None


async def quiesce(agent: Agent | MicroAgent, caller: Strand | None, patience: float = PATIENCE) -> None:
    """Bring an agent to rest, in `AgentState.TRANSIT`. If cancelled, resume it.

    Args:
        agent: one that has started.
        caller: the strand of its own that asked it to move, and waits for that; see `own_strand`.
        patience: how many seconds its behaviours get.

    Raises:
        MoveError: it cannot come to rest now, or has not in time; it is resumed.
    """
    check_can_quiesce(agent, caller)
    container = agent.container
    before = agent.state
    set_state(agent, AgentState.TRANSIT)
    held = HeldMessages(agent.address or "", container.lifecycle.mailbox_limit, before)
    try:
        if not isinstance(agent, Agent):
            await _end_conversations(agent, patience)
            held.messages.extend(_unheard(agent))
            await micro_quiescence.quiesce(agent, held, caller, patience)
        elif before is AgentState.ACTIVE:
            if (halting := _Halting(agent, caller)).is_under_way:
                await halting.wait(patience)
        else:
            await _rest_suspended(agent, before)
        if isinstance(agent, Agent) and _under_way(agent) is not None:
            await _end_conversations(agent, patience)
        check_is_at_rest(agent)
    except BaseException:
        _give_up(agent, held)
        raise
    if isinstance(agent, Agent):
        held.messages.extend(_unheard(agent))
        container.dispatcher.hold(held)
        for behaviour in agent.behaviours:
            behaviour.mailbox.set_limit(0)  # whoever waits for room puts its message there


def check_can_quiesce(agent: Agent | MicroAgent, caller: Strand | None) -> None:
    """Check whether an agent can come to rest at all.

    Raises:
        MoveError: it cannot, whatever it does now.
    """
    match agent.state:
        case AgentState.INITIATED:
            why = "has not started yet: move it after its container.start() has returned"
        case AgentState.GONE:
            why = "is gone"
        case AgentState.TRANSIT:
            why = "is already about to move"
        case _ if agent.container.dispatcher.is_closing:
            why = "is stopping with its container"
        case _ if caller is not None and _is_ending(caller):
            why = "cannot move in the on_end() of its behaviour, which has already ended"
        case _:
            return
    raise MoveError(f"agent {agent.name} {why}")


def resume(agent: Agent | MicroAgent) -> None:
    """Resume an agent that was brought to rest, where it is and in the state it was in."""
    dispatcher = agent.container.dispatcher
    held = dispatcher.held.get(agent.address)
    if agent.state is not AgentState.TRANSIT or held is None:
        return
    del dispatcher.held[agent.address]
    if not isinstance(agent, Agent):
        set_state(agent, held.state)
    let_in(agent, held.end())
    if isinstance(agent, Agent):
        _release(agent, held.state)


def dissolve(agent: Agent | MicroAgent, place: str) -> Unread:
    """Dissolve an agent that was brought to rest, as it continues elsewhere.

    It is no longer among its container's agents. Its behaviours end without `on_end`: they are cancelled
    where they wait, and can neither send nor receive. Nobody is told that it is gone. Whoever joins it here
    waits on if this is its home, until its `ended_elsewhere` is called; otherwise they get an
    AgentStateError, as does whoever uses the old object.

    Args:
        agent: the agent.
        place: the full domain of the container in which it continues.

    Returns:
        All that it has not received. Senders that still wait for room send anew after this.
    """
    container, address = agent.container, agent.address or ""
    dispatcher = container.dispatcher
    held = dispatcher.held.pop(address).end()
    container.lifecycle.agent_left(agent, place)
    tombstone: Any = Tombstone(address, place)
    unread = _take_unread(agent) if isinstance(agent, Agent) else _NOTHING
    is_home = address.partition("@")[2] == container.domain
    agent.leave_container(tombstone, None if is_home else tombstone.error())
    if isinstance(agent, Agent):
        for behaviour in agent.behaviours:
            _leave(behaviour, tombstone)
    else:
        micro_quiescence.leave(agent, place)
    return Unread((*unread.messages, *held), unread.targets) if held else unread


# -- conversations -------------------------------------------------------------------------------------------


async def _end_conversations(agent: Agent | MicroAgent, patience: float) -> None:
    """Wait until all conversations of an agent are over; it joins no new ones."""
    dispatcher, loop = agent.container.dispatcher, asyncio.get_running_loop()
    until = loop.time() + patience
    while (what := _under_way(agent)) is not None and not dispatcher.is_closing:
        if loop.time() >= until:
            raise MoveError(
                f"agent {agent.name} cannot move: it {what}, which did not end within {patience:g} "
                "s; move it afterwards"
            )
        await asyncio.sleep(_LOOK)


def _under_way(agent: Agent | MicroAgent) -> str | None:
    conversations = agent.container.dispatcher.conversations
    return None if conversations is None else conversations.under_way(agent.address or "")


def _unheard(agent: Agent | MicroAgent) -> Sequence[Message]:
    """Remove and return the messages that would begin conversations of an agent."""
    conversations = agent.container.dispatcher.conversations
    return () if conversations is None else conversations.withdraw(agent.address or "")


# -- behaviours ----------------------------------------------------------------------------------------------


class _Halting:
    """Brings the behaviours of an agent to rest, except the one whose strand is `caller`."""

    def __init__(self, agent: Agent, caller: Strand | None) -> None:
        self._agent = agent
        self._busy: dict[Strand, Behaviour] = {}
        self._done: asyncio.Future[None] | None = None
        for behaviour in agent.behaviours:
            strand = behaviour.mailbox.strand
            if strand is None or strand is caller:
                continue
            is_ending = behaviour.strand_phase >= Phase.ENDING
            if strand.waiting and not is_ending:  # for a message, as most do
                strand.hold()
                continue
            tell = partial(self._rests, strand)
            if is_ending or not strand.halt(Halt(partial(_comes_to_rest, behaviour), tell)):
                self._busy[strand] = behaviour

    @property
    def is_under_way(self) -> bool:
        return bool(self._busy)

    async def wait(self, patience: float) -> None:
        self._done = asyncio.get_running_loop().create_future()
        watched = tuple(self._busy)
        for strand in watched:
            strand.add_done_callback(self._rests)
        try:
            async with asyncio.timeout(patience):
                await self._done
        except TimeoutError:
            raise _busy_error(self._agent, tuple(self._busy.values()), f" within {patience:g} s") from None
        finally:
            for strand in watched:
                strand.remove_done_callback(self._rests)

    def _rests(self, strand: Strand) -> None:
        self._busy.pop(strand, None)
        if not self._busy and self._done is not None and not self._done.done():
            self._done.set_result(None)


def _comes_to_rest(behaviour: Behaviour) -> bool:
    behaviour.mailbox.burst = GREEDY  # so that it pauses before its next run, or its next message
    return is_at_rest(behaviour)


async def _rest_suspended(agent: Agent, state: AgentState) -> None:
    """Check that the behaviours of a suspended agent are at rest."""
    strands = {behaviour.mailbox.strand for behaviour in agent.behaviours}
    while any(item in strands for item in agent.container.scheduler.queued()):  # noqa: ASYNC110 -- few turns
        await asyncio.sleep(0)  # a strand that was about to run is held, and gives its message back
    busy = tuple(behaviour for behaviour in agent.behaviours if not is_at_rest(behaviour))
    if busy:
        raise _busy_error(agent, busy, f", as the agent is {state.value}")


def _busy_error(agent: Agent, busy: tuple[Behaviour, ...], why: str) -> MoveError:
    first, more = busy[0], f", nor did {counted(len(busy) - 1, 'other')}" if len(busy) > 1 else ""
    return MoveError(
        f"agent {agent.name} cannot move: its behaviour {type(first).__name__} did not reach a "
        f"resting point{why}{more}; it {what_it_does(first)}; agents can move while their "
        "behaviours are between two runs, in receive(), or not yet due"
    )


def check_is_at_rest(agent: Agent | MicroAgent) -> None:
    """Check that an agent can still move, after it came to rest or waited at rest.

    Raises:
        MoveError: it cannot.
    """
    if agent.state is not AgentState.TRANSIT or agent.is_ending:
        raise MoveError(f"agent {agent.name} does not move: it was stopped before it reached a resting point")
    if agent.container.dispatcher.is_closing:
        raise MoveError(f"agent {agent.name} does not move: its container stops")
    for behaviour in agent.behaviours if isinstance(agent, Agent) else ():
        if behaviour.mailbox.is_awaited_by_tasks:
            raise MoveError(
                f"agent {agent.name} cannot move: a task that its behaviour "
                f"{type(behaviour).__name__} created is waiting for a message; end the task first"
            )


def _give_up(agent: Agent | MicroAgent, held: HeldMessages) -> None:
    """Resume an agent that has not come to rest, unless it is gone."""
    if agent.state is not AgentState.TRANSIT:
        return
    if isinstance(agent, Agent):
        _release(agent, held.state)
    else:
        set_state(agent, held.state)
        if agent.container.dispatcher.held.pop(agent.address, None) is not None:
            micro_quiescence.hand_over(agent, held.end())
        _resume_conversations(agent)


def _resume_conversations(agent: Agent | MicroAgent) -> None:
    if (conversations := agent.container.dispatcher.conversations) is not None:
        conversations.resumed(agent.address or "")


def _release(agent: Agent, state: AgentState) -> None:
    """Release the strands of an agent."""
    set_state(agent, state)
    if state is not AgentState.ACTIVE:
        return
    _resume_conversations(agent)
    for behaviour in agent.behaviours:
        strand = behaviour.mailbox.strand
        if strand is not None and not strand.done():
            strand.release(behaviour.mailbox.next)
        if behaviour.is_killed():  # while it was held, where it was not disturbed
            behaviour.abandon()


def _take_unread(agent: Agent) -> Unread:
    mailboxes = [behaviour.mailbox.empty() for behaviour in agent.behaviours]
    if not any(mailboxes):
        return _NOTHING

    def wanting(message: Message) -> set[int]:
        wanted = agent.behaviours_wanting(message)
        return {number for number, behaviour in enumerate(agent.behaviours) if behaviour in wanted}

    return merge(mailboxes, wanting)


def _leave(behaviour: Behaviour, tombstone: Tombstone) -> None:
    mailbox, strand = behaviour.mailbox, behaviour.mailbox.strand
    mailbox.leave(tombstone)
    if strand is None or strand.done():
        behaviour.leave_strand()
        return
    orphaned = OrphanedStrand(strand, tombstone.place, mailbox.deadline)
    behaviour.leave_strand()
    orphaned.watch(strand)


def _is_ending(strand: Strand) -> bool:
    owner = strand.owner
    return isinstance(owner, Mailbox) and owner.owner.strand_phase == Phase.ENDING

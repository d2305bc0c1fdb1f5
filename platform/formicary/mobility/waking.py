"""Start an agent where it has arrived, and deliver what has waited for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.core.agent import Agent
from formicary.core.base_agent import AgentState
from formicary.core.strand import PROGRAM_EXITS
from formicary.delivery.held import HeldMessages
from formicary.mobility import micro_quiescence
from formicary.mobility.unread import with_targets

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from formicary.container.container import Container
    from formicary.core.message import Message
    from formicary.core.micro import MicroAgent
    from formicary.mobility.unread import Target


def admit(container: Container, address: str) -> None:
    """Hold messages for an agent that is about to arrive or wake, and keep its name, until `awake`.

    Args:
        container: where it arrives or sleeps.
        address: its full name.

    Raises:
        NameTakenError: an agent of that name lives or sleeps there, or is about to start.
    """
    container.lifecycle.check_free(address, is_new=False)
    held = HeldMessages(address, container.lifecycle.mailbox_limit, AgentState.ACTIVE)
    container.dispatcher.hold(held)


async def awake(
    agent: Agent | MicroAgent,
    container: Container,
    address: str,
    targets: Sequence[Target] = (),
    *,
    state: AgentState = AgentState.ACTIVE,
    hook: Callable[[], Awaitable[None]] | None = None,
    part: str = "after_move",
) -> bool:
    """Start an agent that was admitted: run its hook, begin its behaviours, and deliver its messages.

    An exception in the hook is logged and recorded, and ends the agent; messages that have waited become
    dead letters. If cancelled while the hook runs, it ends as well. Without a hook this returns at once.

    Args:
        agent: as returned by `snapshot.restore`.
        container: where it was admitted.
        address: its full name.
        targets: who gets some of the first messages of some senders, as of `Unread`.
        state: suspended or waiting, if it was.
        hook: calls its `after_move` or `after_clone`; None if it has none.
        part: the hook's name.

    Returns:
        Whether it lives.
    """
    is_prepared = hook is None
    if hook is not None:
        agent.enter_container(container, address)
        if part == "after_move":
            container.lifecycle.arriving[address] = agent
        try:
            is_prepared = await _prepared(agent, hook, part)
        finally:
            container.lifecycle.arriving.pop(address, None)
    return is_prepared and begin(agent, container, address, targets, state)


def begin(
    agent: Agent | MicroAgent,
    container: Container,
    address: str,
    targets: Sequence[Target] = (),
    state: AgentState = AgentState.ACTIVE,
) -> bool:
    """Start an agent that was admitted, without a hook; otherwise as `awake`."""
    lifecycle, dispatcher = container.lifecycle, container.dispatcher
    agent.enter_container(container, address)
    if dispatcher.is_closing:
        agent.become_gone()
        return False
    dispatcher.routes.pop(address, None)  # by which agents here have written to it elsewhere
    lifecycle.begin(agent, address)
    if isinstance(agent, Agent) and state is not AgentState.ACTIVE:
        agent.suspend() if state is AgentState.SUSPENDED else agent.wait()
    _hand_over(agent, container, targets)
    return True


async def _prepared(agent: Agent | MicroAgent, hook: Callable[[], Awaitable[None]], part: str) -> bool:
    lifecycle = agent.container.lifecycle
    try:
        return await lifecycle.set_up(agent, hook, part)
    except PROGRAM_EXITS as error:
        agent.container.program_exit.request(f"{agent.name}/{part}", error)
    except Exception:  # noqa: S110, BLE001 -- it is logged, and among the agent's failures
        pass
    return False


def _hand_over(agent: Agent | MicroAgent, container: Container, targets: Sequence[Target]) -> None:
    """Deliver the messages that have waited for an agent, and admit new ones."""
    if messages := container.dispatcher.held.pop(agent.address).end():
        let_in(agent, messages, targets)


def let_in(agent: Agent | MicroAgent, messages: Iterable[Message], targets: Sequence[Target] = ()) -> None:
    """Deliver the messages that have waited for an agent, whatever room its mailboxes have.

    Messages that begin a conversation go into the container's queue; if that is full, they wait.

    Args:
        agent: the agent, which has begun or was resumed.
        messages: the messages.
        targets: who gets some of them, as of `Unread`.
    """
    if not isinstance(agent, Agent):
        micro_quiescence.hand_over(agent, messages)
        return
    container, address = agent.container, agent.address or ""
    dispatcher, mailboxes = container.dispatcher, [behaviour.mailbox for behaviour in agent.behaviours]
    known = range(len(mailboxes))
    for mailbox in mailboxes:
        mailbox.set_limit(0)
    for message, numbers in with_targets(messages, targets):
        if numbers is None or any(number not in known for number in numbers):  # a source may err
            if full := dispatcher.deliver(message, address):
                dispatcher.overflow.add(message, address, full=full)
            continue
        for number in numbers:  # which has just begun, and so has not ended
            mailboxes[number].put(message)
    for mailbox in mailboxes:
        mailbox.set_limit(container.lifecycle.mailbox_limit)

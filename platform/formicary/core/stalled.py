"""A warning where a mailbox is full and its behaviour receives nothing: those who write to its agent wait."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from formicary.core.base_agent import AgentState
from formicary.core.logs import get_logger

if TYPE_CHECKING:
    from formicary.core.mailbox import Mailbox
    from formicary.core.message import Message

logger = get_logger("formicary")

PATIENCE: Final = 5.0
"""Seconds in which a behaviour whose mailbox is full is to receive something."""


def expect_receiving(mailbox: Mailbox) -> None:
    """Warn in a while if nothing was received from a mailbox that is full now."""
    for oldest in mailbox.messages or ():
        asyncio.get_running_loop().call_later(PATIENCE, _warn, mailbox, oldest)
        return


def _warn(mailbox: Mailbox, oldest: Message) -> None:
    waiting, behaviour = mailbox.messages or (), mailbox.owner
    is_full = 0 < mailbox.limit <= len(waiting) and next(iter(waiting)) is oldest
    if not is_full or mailbox.is_done() or behaviour.agent.state is not AgentState.ACTIVE:
        return
    step = (
        "without a template it gets all that comes to its agent: give it one, which is ~Template() where it "
        "only sends"
        if behaviour.template is None
        else "let it receive, or give it a template that matches less"
    )
    logger.warning(
        "%s is full of %d messages, none was received for %g s, and who writes to the agent waits; %s",
        mailbox,
        len(waiting),
        PATIENCE,
        step,
    )

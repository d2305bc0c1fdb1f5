"""Warns about full mailboxes of behaviours that receive nothing, for which senders to the agent wait.

If the behaviour has never received anything, and another one gets the same messages, senders no longer wait.
"""

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
"""Seconds within which a behaviour with a full mailbox should receive something."""

_STEP: Final = "make it receive, or give it a narrower template"
_STEP_WITHOUT_TEMPLATE: Final = (
    "without a template it gets every message for its agent: give it one, or ~Template() if it only sends"
)


def expect_receiving(mailbox: Mailbox) -> None:
    """Warn later if nothing has been received from a mailbox that is full now."""
    for oldest in mailbox.messages or ():
        asyncio.get_running_loop().call_later(PATIENCE, _look, mailbox, oldest)
        return


def _look(mailbox: Mailbox, oldest: Message) -> None:
    waiting = mailbox.messages or ()
    if mailbox.is_done() or not 0 < mailbox.limit <= len(waiting) or next(iter(waiting)) is not oldest:
        return
    if mailbox.owner.agent.state is not AgentState.ACTIVE:
        asyncio.get_running_loop().call_later(PATIENCE, _look, mailbox, oldest)
    elif mailbox.receives or mailbox.copies is None:
        _warn(mailbox, f"none was received for {PATIENCE:g} s, and senders to the agent are waiting")
    elif not mailbox.copies.is_closed:
        mailbox.close_to_copies()
        _warn(
            mailbox, "and it has never received any; messages that other behaviours take no longer go there"
        )


def _warn(mailbox: Mailbox, what: str) -> None:
    step = _STEP_WITHOUT_TEMPLATE if mailbox.owner.template is None else _STEP
    logger.warning("%s is full of %d messages, %s; %s", mailbox, len(mailbox.messages or ()), what, step)

"""A conversation with one other agent, by a protocol, as one of the two sees it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from formicary.core.errors import Failed, NoAnswer, NotUnderstood, ProtocolError, Refused
from formicary.core.message import Message, answer_to
from formicary.core.strand import Answer
from formicary.protocols.questions import is_from, why_undelivered
from formicary.protocols.table import CANCELLED, NOT_UNDERSTOOD, START

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from formicary.core.errors import ConversationError, FormicaryError
    from formicary.protocols.conversations import Conversations
    from formicary.protocols.table import Protocol

_ERRORS: dict[str | None, tuple[type[ConversationError], str]] = {
    "refuse": (Refused, "has refused"),
    "reject-proposal": (Refused, "has rejected the proposal"),
    "failure": (Failed, "has failed"),
    "not-understood": (NotUnderstood, "has not understood"),
}


class Inbox:
    """What has come in one or several dialogues and was not looked at yet.

    Args:
        loop: the container's.
    """

    __slots__ = ("_loop", "_waiting", "come")

    def __init__(self, loop: Any) -> None:
        self.come: deque[tuple[Dialogue, Message | FormicaryError]] = deque()
        self._loop = loop
        self._waiting: Answer | None = None

    def put(self, dialogue: Dialogue, news: Message | FormicaryError) -> None:
        """Take a message, or why there will be none."""
        self.come.append((dialogue, news))
        self.wake()

    def wake(self) -> None:
        """Have who waits look again."""
        if self._waiting is not None and not self._waiting.done():
            self._waiting.settle(None)

    async def wait(self) -> None:
        """Wait until something comes, or `wake`."""
        self._waiting = Answer(loop=self._loop)
        try:
            await self._waiting
        finally:
            self._waiting = None


class Limit:
    """For how long the other one is waited for, in some states of a dialogue.

    Args:
        dialogue: the dialogue; a later limit takes the place of an earlier one.
        states: in which the other one is to say something.
    """

    __slots__ = ("_dialogue", "_states")

    def __init__(self, dialogue: Dialogue, states: Collection[str]) -> None:
        self._dialogue = dialogue
        self._states = states
        dialogue.limit = self

    def done(self) -> bool:
        """Tell whether the other one is waited for no more."""
        return self._dialogue.state not in self._states or self._dialogue.limit is not self

    def expire(self) -> None:
        """Called when the time is over."""
        self._dialogue.expire()


class Dialogue:
    """One conversation of two.

    Args:
        conversations: of the agent whose side it is.
        protocol: what may be said.
        role: which of its roles the agent has.
        partner: the full name of the other one.
        name: the conversation's, which is also what answers have in `in_reply_to`.
        inbox: where what comes is put; None for a participant, which takes it at once.
    """

    __slots__ = (
        "_conversations",
        "_other",
        "_role",
        "inbox",
        "is_late",
        "latest",
        "limit",
        "name",
        "partner",
        "protocol",
        "state",
    )

    def __init__(  # noqa: PLR0917 -- by their places, as there are many of these
        self,
        conversations: Conversations,
        protocol: Protocol,
        role: str,
        partner: str,
        name: str,
        inbox: Inbox | None,
    ) -> None:
        self._conversations = conversations
        self._role = role
        self._other = protocol.roles[1] if role == protocol.roles[0] else protocol.roles[0]
        self.protocol = protocol
        self.partner = partner
        self.name = name
        self.inbox: Inbox = inbox  # type: ignore[assignment]  # a participant's is never used
        self.state = START
        self.latest: Message | None = None  # of the partner's
        self.limit: Limit | None = None
        self.is_late = False  # whether the other one has not answered in time

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to be said."""
        return self.state in self.protocol.ends

    # -- the other one's messages ---------------------------------------------------------------------------

    def offer(self, message: Message) -> bool:
        """Take a message that says it belongs here; return False if it does not."""
        if not is_from(message, self.partner) and self.state not in self.protocol.open_to_all:
            reason = why_undelivered(message, self._conversations.platform)
            if reason is None or reason[0] != self.partner:
                return False
            self._break_off(Failed(reason[1], message))
            return True
        if (why := self.hear(message)) is None:
            self.inbox.put(self, message)
            return True
        return self._conversations.out_of_order(message, why)

    def hear(self, message: Message) -> str | None:
        """Follow the protocol with a message of the other one; return why it has no place there, if so."""
        performative = message.performative
        following = self.protocol.next.get((self.state, self._other, performative or ""))
        if following is None:
            if performative == "not-understood" and not self.is_over:
                following = NOT_UNDERSTOOD
            elif performative == "cancel" and self._role != self.protocol.roles[0] and not self.is_over:
                following = CANCELLED
            else:
                return self._why_not(self._other, performative)
        self.state = following
        self.latest = message
        return None

    def _why_not(self, role: str, performative: str | None) -> str:
        known = ", ".join(self.protocol.can_say(self.state, role)) or "nothing"
        return (
            f"in {self.protocol.name}, the {role} cannot say {performative!r} in the state {self.state!r}: "
            f"it can say {known} there"
        )

    def _break_off(self, error: FormicaryError) -> None:
        if not self.is_over:
            self.state = CANCELLED
            self.inbox.put(self, error)

    def expire(self) -> None:
        """Called when the time for an answer is over."""
        self.is_late = True
        self.state = self.protocol.after_time.get(self.state, CANCELLED)
        self.inbox.put(self, NoAnswer(f"{self.partner} has not answered in time", (self.partner,)))

    def partner_ended(self, is_ended: Callable[[str], bool], reason: str) -> None:
        """Called when agents have ended; `is_ended` tells of a full name whether it is one of them."""
        if is_ended(self.partner):
            self._break_off(Failed(f"{self.partner} {reason}"))

    def asker_ended(self, error: FormicaryError) -> None:
        """Called when the own agent has ended."""
        self._break_off(error)

    # -- own messages ---------------------------------------------------------------------------------------

    def say(self, performative: str, body: str | bytes = "", **fields: Any) -> Message:
        """Follow the protocol with an own message, and return it for who sends it.

        Raises:
            ProtocolError: it has no place there.
        """
        following = self.protocol.next.get((self.state, self._role, performative))
        if following is None:
            if performative != "not-understood" or self.is_over:
                raise ProtocolError(self._why_not(self._role, performative), self.latest)
            following = NOT_UNDERSTOOD
        if self.latest is None:
            fields.setdefault("conversation_id", self.name)
            message = Message(self.partner, None, body, performative, protocol=self.protocol.name, **fields)
        else:
            message = answer_to(self.latest, body, performative)
            message = message.replace(**fields) if fields else message
        self.state = following
        return message

    async def send(self, performative: str, body: str | bytes = "", **fields: Any) -> None:
        """Send a message of the protocol.

        Raises:
            ProtocolError: it has no place there.
            FormicaryError: as of `Behaviour.send`.
        """
        sending = self._conversations.hand_over(self.say(performative, body, **fields), self.name)
        if sending is not None:
            await sending

    async def receive(self) -> Message:
        """Return what the other one says next, if that is no bad news.

        Raises:
            Refused, Failed, NotUnderstood, NoAnswer: it is.
        """
        inbox = self.inbox
        while not inbox.come:
            await inbox.wait()
        _, news = inbox.come.popleft()
        return good_news(news)

    # -- the end --------------------------------------------------------------------------------------------

    def open(self, timeout: float | None) -> None:
        """Get what belongs to the conversation, at most for some seconds before an answer."""
        self._conversations.expected[self.name] = self
        if timeout is not None:
            self._conversations.service.deadlines.add(Limit(self, self.protocol.after_time), timeout)

    def close(self) -> None:
        """Get nothing more. Where the conversation is not over, the other one is told by a `cancel`."""
        self._conversations.expected.pop(self.name, None)
        if self.state != START and (not self.is_over or self.is_late):
            self.cancel()

    def cancel(self) -> None:
        """Tell the other one that its answer is not wanted any more (FIPA's meta-protocol)."""
        self.state = CANCELLED
        self._conversations.post(
            Message(
                self.partner,
                performative="cancel",
                protocol=self.protocol.name,
                conversation_id=self.name,
                in_reply_to=self.latest.reply_with if self.latest is not None else None,
            ),
            f"{self.name}/cancel",
        )


def good_news(news: Message | FormicaryError) -> Message:
    """Return a message that is no bad news.

    Raises:
        Refused, Failed, NotUnderstood, NoAnswer: it is.
    """
    if not isinstance(news, Message):
        raise news
    if (bad := _ERRORS.get(news.performative)) is not None:
        error, what = bad
        said = f": {news.body!s}" if news.body else ""
        raise error(f"{news.sender} {what}{said}", news)
    return news

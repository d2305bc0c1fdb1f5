"""One side of a conversation with one other agent, by a protocol."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from formicary.core.coroutines import coroutine_function
from formicary.core.errors import FailedError, NoAnswerError, ProtocolError
from formicary.core.message import Message
from formicary.core.strand import Pending
from formicary.protocols.news import good_news
from formicary.protocols.questions import is_from, why_undelivered
from formicary.protocols.table import CANCELLED

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Mapping
    from datetime import datetime

    from formicary.core.errors import FormicaryError
    from formicary.core.scheduler import Scheduler
    from formicary.protocols.conversations import Conversations
    from formicary.protocols.table import Protocol

_NO_FIELDS: Mapping[str, Any] = {}


class Inbox(Pending):
    """Messages of one or several dialogues that are not read yet."""

    __slots__ = ("_scheduler", "come")

    def __init__(self, scheduler: Scheduler) -> None:
        self.waiter = None
        self.come: deque[tuple[Dialogue, Message | FormicaryError]] = deque()
        self._scheduler = scheduler

    def put(self, dialogue: Dialogue, news: Message | FormicaryError) -> None:
        """Add a message, or the reason why there will be none."""
        self.come.append((dialogue, news))
        self.proceed()

    @coroutine_function
    def wait(self) -> Generator[Any, Any, None]:
        """Wait until something arrives, or `proceed` is called."""
        if self._scheduler.current is None:
            yield from self.wait_in_task(self._scheduler.loop)
        else:
            yield self


class Limit:
    """A time limit for the partner in some states of a dialogue.

    Args:
        dialogue: the dialogue; a later limit replaces an earlier one.
        states: those in which the partner must say something.
    """

    __slots__ = ("_dialogue", "_states")

    def __init__(self, dialogue: Dialogue, states: Collection[str]) -> None:
        self._dialogue = dialogue
        self._states = states
        dialogue.limit = self

    def done(self) -> bool:
        """Return whether the partner has answered."""
        return self._dialogue.stage.name not in self._states or self._dialogue.limit is not self

    def expire(self) -> None:
        """Called when the time is over."""
        self._dialogue.expire()


class Dialogue:
    """One side of a conversation.

    Args:
        conversations: the agent's.
        protocol: its protocol.
        is_initiator: whether the agent has begun it.
        partner: the full name of the other agent.
        name: the `in_reply_to` of answers.
        conversation: its `conversation_id`.
        inbox: gets incoming messages; None for a participant, which handles them at once.
    """

    __slots__ = (
        "_conversations",
        "conversation",
        "inbox",
        "is_initiator",
        "is_late",
        "latest",
        "limit",
        "name",
        "partner",
        "protocol",
        "stage",
    )

    def __init__(  # noqa: PLR0917 -- positional for speed
        self,
        conversations: Conversations,
        protocol: Protocol,
        is_initiator: bool,  # noqa: FBT001 -- as above
        partner: str,
        name: str,
        conversation: str,
        inbox: Inbox | None,
    ) -> None:
        self._conversations = conversations
        self.is_initiator = is_initiator
        self.protocol = protocol
        self.partner = partner
        self.name = name
        self.conversation = conversation
        self.inbox: Inbox = inbox  # type: ignore[assignment]  # a participant's is never used
        self.stage = protocol.first
        self.latest: Message | None = None  # from the partner
        self.limit: object = None  # the present `Limit` or round
        self.is_late = False  # whether the partner has not answered in time

    @property
    def state(self) -> str:
        """The present state."""
        return self.stage.name

    @property
    def is_over(self) -> bool:
        """Whether the conversation has ended."""
        return self.stage.is_end

    # -- the partner's messages -----------------------------------------------------------------------------

    def offer(self, message: Message) -> bool:
        """Take a message for the initiator; return False if it does not belong here."""
        stage, performative = self.stage, message.performative
        if message.sender != self.partner and not (stage.is_open or is_from(message, self.partner)):
            reason = why_undelivered(message, self._conversations.platform)
            if reason is None or reason[0] != self.partner:
                return False
            self._break_off(FailedError(reason[1], message))
            return True
        following = stage.by_participant.get(performative)  # inlined from `hear`
        if following is None:
            why = self.protocol.why_not(stage.name, self.protocol.roles[1], performative)
            return self._conversations.out_of_order(message, why)
        self.stage = following
        self.latest = message
        inbox = self.inbox
        inbox.come.append((self, message))
        if inbox.waiter is not None:
            inbox.proceed()
        return True

    def hear(self, message: Message) -> str | None:
        """Follow the protocol with a message of the partner; return why it is out of order, if it is."""
        stage, performative = self.stage, message.performative
        following = (stage.by_participant if self.is_initiator else stage.by_initiator).get(performative)
        if following is None:
            return self.protocol.why_not(stage.name, self.protocol.roles[self.is_initiator], performative)
        self.stage = following
        self.latest = message
        return None

    def _break_off(self, error: FormicaryError) -> None:
        if not self.is_over:
            self.stage = self.protocol.stages[CANCELLED]
            self.inbox.put(self, error)

    def expire(self) -> None:
        """Called when the time for an answer is over."""
        self.is_late = True
        self.stage = self.stage.after_time or self.protocol.stages[CANCELLED]
        self.inbox.put(self, NoAnswerError(f"{self.partner} did not answer in time", (self.partner,)))

    def under_way(self) -> str | None:
        """Describe the conversation as the rest of a sentence; None if it is over."""
        if self.is_over:
            return None
        does = "has begun" if self.is_initiator else "takes part in"
        return f"{does} a conversation by {self.protocol.name} with {self.partner}"

    def partner_ended(self, is_ended: Callable[[str], bool], reason: str) -> None:
        """Called when agents have ended; `is_ended` is called with full names."""
        if is_ended(self.partner):
            self._break_off(FailedError(f"{self.partner} {reason}"))

    def asker_ended(self, error: FormicaryError) -> None:
        """Called when the agent itself has ended."""
        self._break_off(error)

    # -- own messages ---------------------------------------------------------------------------------------

    def can_say(self, performative: str) -> bool:
        """Return whether the agent may send a message now."""
        stage = self.stage
        return performative in (stage.by_initiator if self.is_initiator else stage.by_participant)

    def say(
        self,
        performative: str,
        body: str | bytes = "",
        fields: Mapping[str, Any] = _NO_FIELDS,
        reply_by: datetime | None = None,
    ) -> Message:
        """Follow the protocol with a message of this agent, and return it for sending.

        Args:
            performative: its performative.
            body: its content.
            fields: more of its parameters.
            reply_by: the deadline for the answer.

        Raises:
            ProtocolError: it is out of order.
        """
        stage, latest, own = self.stage, self.latest, self._conversations.address
        following = (stage.by_initiator if self.is_initiator else stage.by_participant).get(performative)
        if following is None or performative == "cancel":
            role = self.protocol.roles[not self.is_initiator]
            raise ProtocolError(self.protocol.why_not(stage.name, role, performative), latest)
        if latest is None:
            message = Message(
                self.partner, own, body, performative,
                None, None, None, None, None, self.protocol.name, self.conversation, self.name,
                None, reply_by,
            )  # fmt: skip
        else:  # inlined from `answer_to`
            to = latest.reply_to
            message = Message(
                latest.sender if to is None else to, own, body, performative,
                latest.thread, None, latest.language, latest.encoding, latest.ontology, latest.protocol,
                self.conversation if self.is_initiator else latest.conversation_id,
                self.name, latest.reply_with, reply_by,
            )  # fmt: skip
        if fields:
            fixed = {"sender": own, "reply_with": self.name}
            limited = {} if reply_by is None else {"reply_by": reply_by}
            message = message.replace(**{**fields, **limited, **fixed})
        self.stage = following
        return message

    async def send(self, performative: str, body: str | bytes = "", **fields: Any) -> None:
        """Send a message of the protocol.

        Raises:
            ProtocolError: it is out of order.
            FormicaryError: as of `Behaviour.send`.
        """
        self._conversations.check_open()
        sending = self._conversations.hand_over(self.say(performative, body, fields))
        if sending is not None:
            await sending

    async def receive(self) -> Message:
        """Return the partner's next message.

        Raises:
            RefusedError, FailedError, NotUnderstoodError, NoAnswerError: it is bad news.
        """
        inbox = self.inbox
        while not inbox.come:
            await inbox.wait()
        _, news = inbox.come.popleft()
        return good_news(news)

    # -- closing --------------------------------------------------------------------------------------------

    def open(self, timeout: float | None) -> None:
        """Start to receive, and to wait for at most `timeout` seconds for an answer."""
        self._conversations.expected[self.name] = self
        if timeout is not None:
            self._conversations.service.deadlines.add(Limit(self, self.protocol.after_time), timeout)

    def close(self) -> None:
        """Stop receiving; send a `cancel` if the conversation is not over."""
        self._conversations.expected.pop(self.name, None)
        if self.stage is not self.protocol.first and (not self.is_over or self.is_late):
            self.cancel()

    def cancel(self) -> None:
        """Send the partner a `cancel` (FIPA's meta-protocol)."""
        self.stage = self.protocol.stages[CANCELLED]
        self._conversations.post(
            Message(
                self.partner,
                performative="cancel",
                protocol=self.protocol.name,
                conversation_id=self.conversation,
                in_reply_to=self.latest.reply_with if self.latest is not None else None,
            ),
            f"{self.name}/cancel",
        )

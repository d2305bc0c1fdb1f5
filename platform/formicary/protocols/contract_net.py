"""The initiator's side of the contract net, once or iterated (FIPA SC00029, SC00030)."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Self

from formicary.core.clock import now
from formicary.core.errors import ConversationError, FailedError, NoAnswerError, ProtocolError
from formicary.core.message import Message
from formicary.core.times import check_limit, seconds_left
from formicary.protocols.dialogue import Dialogue, Inbox, Limit
from formicary.protocols.news import good_news
from formicary.protocols.partners import find_all
from formicary.protocols.several import Several

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable
    from datetime import datetime

    from formicary.protocols.conversations import Conversations
    from formicary.protocols.partners import Partners
    from formicary.protocols.table import Protocol, Stage


class Round:
    """The bidders called together, until all have answered or their time is over.

    Args:
        stage: the stage of a bidder that has not answered.

    Attributes:
        is_complete: whether all are called.
    """

    __slots__ = ("_called", "_stage", "is_complete")

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._called: list[Dialogue] = []
        self.is_complete = False

    def add(self, dialogue: Dialogue) -> None:
        """Wait for one more bidder, instead of any earlier round."""
        dialogue.limit = self
        self._called.append(dialogue)

    def is_over(self) -> bool:
        """Return whether all have answered; remove those that have, so each is checked once."""
        called, stage = self._called, self._stage
        while called and (called[-1].stage is not stage or called[-1].limit is not self):
            called.pop()
        return not called

    def done(self) -> bool:
        """Return whether all have answered; for the deadline."""
        return self.is_complete and self.is_over()

    def expire(self) -> None:
        """Called when the time is over."""
        for dialogue in self._called:
            if dialogue.stage is self._stage and dialogue.limit is self:
                dialogue.expire()


class ContractNetSession(Several):
    """A call for proposals to several bidders. Use `async with`, then `async for` over `bids`.

    Leaving the block rejects all proposals that were not awarded, and cancels where an answer is due.

    Args:
        conversations: the initiator's.
        protocol: the contract net, or the iterated one.
        bidders: their names, or `search(...)`, or `role(...)`.
        task: the content of the call.
        timeout: seconds to wait for bids; None until all have answered.
        deadline: the end of the wait, instead.
        fields: more parameters of the call.

    Attributes:
        refused: the refusals, by the bidder's full name.
        failed: why other bidders will not answer, by full name.
    """

    def __init__(  # noqa: PLR0917 -- only `Conversing` creates it
        self,
        conversations: Conversations,
        protocol: Protocol,
        bidders: Iterable[str] | Partners,
        task: str | bytes,
        timeout: float | None,
        deadline: datetime | None,
        fields: dict[str, Any],
    ) -> None:
        self.refused: dict[str, Message] = {}
        self.failed: dict[str, ConversationError] = {}
        super().__init__(conversations, protocol)
        self._bidders = bidders
        self._task = task
        self._limit = check_limit(timeout, deadline)
        self._fields = fields
        self._rounds: list[Round] = []

    @property
    def missing(self) -> tuple[str, ...]:
        """The full names of the bidders that have not answered in time."""
        return tuple(
            name for name, each in self._dialogues.items() if each.latest is None and name not in self.failed
        )

    @property
    def bidders(self) -> tuple[str, ...]:
        """The full names of all bidders called."""
        return tuple(self._dialogues)

    async def __aenter__(self) -> Self:
        names = await find_all(self._conversations, self._bidders)
        try:
            await self._call(names, self._task, self._limit, self._fields)
        except BaseException:
            self._close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        proposed, conversations = self._protocol.stages["proposed"], self._conversations
        for dialogue in self._dialogues.values():
            if dialogue.stage is proposed:
                conversations.hand_over_now(dialogue.say("reject-proposal"))
        super()._close()

    async def _call(
        self,
        names: Iterable[str],
        task: str | bytes,
        limit: float | datetime | None,
        fields: dict[str, Any],
    ) -> None:
        seconds = seconds_left(limit)
        conversations, called = self._conversations, Round(self._protocol.stages["called"])
        conversations.check_open()
        self._rounds.append(called)
        reply_by = None
        if seconds is not None:
            reply_by = now() + timedelta(seconds=seconds)
            conversations.service.deadlines.add(called, seconds)
        try:
            for name in names:
                dialogue = self._open(name)
                call = dialogue.say("cfp", task, fields, reply_by)
                called.add(dialogue)
                if (sending := conversations.hand_over(call)) is not None:
                    await sending
        finally:
            called.is_complete = True

    # -- bids -----------------------------------------------------------------------------------------------

    @property
    async def bids(self) -> AsyncIterator[Message]:
        """Yield the proposals as they arrive, until all have answered or the time is over."""
        inbox = self._inbox
        while True:
            while inbox.come:
                dialogue, news = inbox.come.popleft()
                if isinstance(news, Message) and news.performative == "propose":
                    yield news
                elif isinstance(news, Message) and news.performative == "refuse":
                    self.refused[dialogue.partner] = news
                else:
                    self._note(dialogue, news)
            if all(called.is_over() for called in self._rounds):
                return
            await inbox.wait()

    def _note(self, dialogue: Dialogue, news: Any) -> None:
        try:
            good_news(news)
        except NoAnswerError:
            pass  # it is missing
        except ConversationError as error:
            self.failed[dialogue.partner] = error

    async def award(self, bid: Message, body: str | bytes = "", *, timeout: float | None = None) -> Message:
        """Accept a proposal, and return its bidder's final report.

        Args:
            bid: one of `bids`.
            body: the content of the acceptance.
            timeout: seconds to wait for the report; None for any time.

        Raises:
            ProtocolError: it is no proposal of this call, or was awarded or rejected before.
            FailedError: the bidder has failed or ended.
            NotUnderstoodError, NoAnswerError: it has not understood; it has not reported in time.
            asyncio.CancelledError: when cancelled; the bidder is sent a `cancel` when the block is left.
        """
        dialogue = self._of(bid)
        dialogue.inbox = Inbox(self._conversations.scheduler)
        if timeout is not None:
            self._conversations.service.deadlines.add(Limit(dialogue, {"accepted"}), timeout)
        try:
            await dialogue.send("accept-proposal", body)
            return await dialogue.receive()
        except FailedError as error:
            self.failed[dialogue.partner] = error
            raise

    async def reject(self, bid: Message, body: str | bytes = "") -> None:
        """Reject a proposal before the block is left; errors as of `award`."""
        await self._of(bid).send("reject-proposal", body)

    async def call_again(
        self,
        bids: Iterable[Message],
        task: str | bytes,
        *,
        timeout: float | None = None,
        deadline: datetime | None = None,
    ) -> None:
        """Call the bidders of these proposals again, and reject the others; then use `bids` again.

        Args:
            bids: proposals of this round.
            task: the content of the new call.
            timeout: as of the first call.
            deadline: as of the first call.

        Raises:
            ProtocolError: one is no proposal of this round, or the protocol has only one.
            UsageError: the timeout or the deadline is invalid.
        """
        limit = check_limit(timeout, deadline)
        chosen = [self._of(bid) for bid in bids]
        for dialogue in self._dialogues.values():
            if dialogue.state == "proposed" and dialogue not in chosen:
                await dialogue.send("reject-proposal")
        await self._call([dialogue.partner for dialogue in chosen], task, limit, self._fields)

    def _of(self, bid: Message) -> Dialogue:
        dialogue = self._dialogues.get(str(bid.sender).partition("/")[0]) or self._dialogues.get(
            str(bid.sender)
        )
        if dialogue is None or dialogue.latest is not bid or bid.performative != "propose":
            raise ProtocolError(f"{bid.sender} made no such proposal in this call", bid)
        return dialogue

"""Conversations as those see them who begin them: behaviours, and programs outside of any agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable
    from datetime import datetime
    from typing import Any

    from formicary.core.message import Message
    from formicary.protocols.auctions import AuctionResult
    from formicary.protocols.contract_net import ContractNetSession
    from formicary.protocols.conversations import Conversations
    from formicary.protocols.gathering import Answers
    from formicary.protocols.partners import Partners
    from formicary.protocols.requesting import Conversation, SubscriptionSession
    from formicary.protocols.table import Protocol


class Conversing:
    """Conversations of behaviours and containers: they ask agents, and get answers."""

    __slots__ = ()

    @property
    def conversations(self) -> Conversations:
        """The conversations of who asks."""
        raise NotImplementedError

    def ask(self, message: Message, timeout: float | None = None) -> Coroutine[Any, Any, Message]:
        """Send a message to one agent, and return its answer; await it.

        The answer is what that agent sends with the message's `reply_with`, which is set here, as
        `in_reply_to`, as `Message.make_reply` does. It does not pass the behaviours' mailboxes, so however
        many are asked at once, each gets its own answer. Whatever the answer says, a `refuse` say, is an
        answer. What comes later is a dead letter.

        Args:
            message: with one receiver; what it has as `reply_with` is replaced.
            timeout: how many seconds to wait for the answer; None for any time.

        Raises:
            NoAnswerError: there was none in time.
            FailedError: the message could not be delivered; or the agent ended, here or with its container.
            InvalidMessageError: the message has no receiver, or several.
            UsageError: the time is none, as of all that wait here.
            FormicaryError: it cannot be sent; as of `Behaviour.send`.
            asyncio.CancelledError: when cancelled; the message may have been sent.
        """
        return self.conversations.ask(message, timeout)

    def gather_answers(
        self,
        messages: Iterable[Message],
        timeout: float | None = None,
        *,
        deadline: datetime | None = None,
    ) -> Answers:
        """Send several messages, and give the answers as they come: `async for answer in ...`.

        It ends when all have answered, or could not be reached, or have ended; or when the time is over. Keep
        what this returns to ask it then who is `missing`, and who has `failed` and why.

        Args:
            messages: what to send; one that has several receivers is sent to each, and each may answer.
            timeout: how many seconds to wait for answers; None for any time.
            deadline: until when, instead.

        Raises:
            InvalidMessageError: a message has no receiver.
            UsageError: the time is none.
            FormicaryError: one cannot be sent; as of `Behaviour.send`.
        """
        return self.conversations.gather_answers(messages, timeout, deadline)

    # -- protocols ------------------------------------------------------------------------------------------

    def request(
        self, to: str | Partners, body: str | bytes = "", *, timeout: float | None = None, **fields: Any
    ) -> Coroutine[Any, Any, Message]:
        """Request an action of an agent, and return its final `inform`; await it (FIPA SC00026).

        An `agree` that comes before is no answer. When the time is over, or this is cancelled, the other one
        is told by a `cancel`.

        Args:
            to: an agent's name; or `search(...)` or `role(...)` of `formicary.protocols`: the first found.
            body: what is asked for.
            timeout: how many seconds to wait for the result, which the other one reads in `reply_by`.
            fields: more parameters of the message, such as `language`.

        Raises:
            RefusedError, NotUnderstoodError: the agent answered so; `message` is the answer.
            FailedError: it answered so, cannot be reached, or has ended.
            NoAnswerError: there was no result in time.
            FormicaryError: it cannot be sent; as of `Behaviour.send`.
            asyncio.CancelledError: when cancelled.
        """
        conversations = self.conversations
        return conversations.exchange(conversations.known.Request, to, body, timeout, fields)

    def request_when(
        self, to: str | Partners, body: str | bytes = "", *, timeout: float | None = None, **fields: Any
    ) -> Coroutine[Any, Any, Message]:
        """Request an action once a condition holds (FIPA SC00028); as `request`."""
        conversations = self.conversations
        return conversations.exchange(conversations.known.RequestWhen, to, body, timeout, fields)

    def query_if(
        self, to: str | Partners, body: str | bytes = "", *, timeout: float | None = None, **fields: Any
    ) -> Coroutine[Any, Any, Message]:
        """Ask somebody whether something is so (FIPA SC00027); as `request`."""
        conversations = self.conversations
        return conversations.exchange(conversations.known.QueryIf, to, body, timeout, fields)

    def query_ref(
        self, to: str | Partners, body: str | bytes = "", *, timeout: float | None = None, **fields: Any
    ) -> Coroutine[Any, Any, Message]:
        """Ask somebody what something is (FIPA SC00027); as `request`."""
        conversations = self.conversations
        return conversations.exchange(conversations.known.QueryRef, to, body, timeout, fields)

    def propose(
        self, to: str | Partners, body: str | bytes = "", *, timeout: float | None = None, **fields: Any
    ) -> Coroutine[Any, Any, Message]:
        """Propose to do something, and return the `accept-proposal` (FIPA SC00036); as `request`.

        Raises:
            RefusedError: the proposal was rejected.
        """
        conversations = self.conversations
        return conversations.exchange(conversations.known.Proposing, to, body, timeout, fields)

    def broker(
        self, to: str | Partners, body: str | bytes = "", *, timeout: float | None = None, **fields: Any
    ) -> Coroutine[Any, Any, Message]:
        """Ask a broker to find an agent and pass on its answer (FIPA SC00033); as `request`."""
        conversations = self.conversations
        return conversations.exchange(conversations.known.Brokering, to, body, timeout, fields)

    def recruit(
        self, to: str | Partners, body: str | bytes = "", *, timeout: float | None = None, **fields: Any
    ) -> Coroutine[Any, Any, Message]:
        """Ask a recruiter to find an agent, which then answers itself (FIPA SC00034); as `request`."""
        conversations = self.conversations
        return conversations.exchange(conversations.known.Recruiting, to, body, timeout, fields)

    def subscribe(
        self, to: str | Partners, body: str | bytes = "", *, timeout: float | None = None, **fields: Any
    ) -> SubscriptionSession:
        """Return a subscription to what somebody tells (FIPA SC00035).

        Use it as `async with`, and go through it with `async for`; leaving the block sends a `cancel`. The
        loop raises what `request` does when there will be no more.

        Args: those of `request`; `timeout` is for the first answer.
        """
        return self.conversations.subscription(to, body, timeout, fields)

    def contract_net(
        self,
        bidders: Iterable[str] | Partners,
        task: str | bytes = "",
        *,
        timeout: float | None = None,
        deadline: datetime | None = None,
        **fields: Any,
    ) -> ContractNetSession:
        """Call for proposals, and award the task to the bidders of your choice (FIPA SC00029).

        Use it as `async with`: go through `net.bids` with `async for`, then `await net.award(bid)`. Leaving
        the block rejects all proposals that were not awarded. `net.missing`, `net.refused` and `net.failed`
        say what became of the others.

        Args:
            bidders: the names of those who are called; or `search(...)` or `role(...)`.
            task: what the call says.
            timeout: how many seconds to wait for bids; None until all have answered.
            deadline: until when, instead.
            fields: more parameters of the call, such as `language`.
        """
        conversations, protocol = self.conversations, self.conversations.known.ContractNet
        return conversations.contract_net(protocol, bidders, task, timeout, deadline, fields)

    def iterated_contract_net(
        self,
        bidders: Iterable[str] | Partners,
        task: str | bytes = "",
        *,
        timeout: float | None = None,
        deadline: datetime | None = None,
        **fields: Any,
    ) -> ContractNetSession:
        """Call for proposals in rounds (FIPA SC00030): as `contract_net`, and with `net.call_again`."""
        conversations, protocol = self.conversations, self.conversations.known.IteratedContractNet
        return conversations.contract_net(protocol, bidders, task, timeout, deadline, fields)

    def english_auction(
        self,
        bidders: Iterable[str] | Partners,
        item: str,
        *,
        start: float,
        step: float,
        timeout: float = 1.0,
    ) -> Coroutine[Any, Any, AuctionResult | None]:
        """Sell an item to the highest bidder; await it for the winner and the price (FIPA XC00031).

        The price rises by a step as long as somebody else bids it; the first to do so leads. None if nobody
        bids the first price. All are told the end by an `inform`.

        Args:
            bidders: the names of those who are invited; or `search(...)` or `role(...)`.
            item: what is sold.
            start: the first price.
            step: by how much it rises.
            timeout: how many seconds to wait for a bid in each round.

        Raises:
            UsageError: a price or the timeout is no number above 0.
            FormicaryError: somebody cannot be written to; as of `Behaviour.send`.
            asyncio.CancelledError: when cancelled; the bidders are told so.
        """
        return self.conversations.english_auction(bidders, item, start=start, step=step, timeout=timeout)

    def dutch_auction(
        self,
        bidders: Iterable[str] | Partners,
        item: str,
        *,
        start: float,
        step: float,
        reserve: float,
        timeout: float = 1.0,
    ) -> Coroutine[Any, Any, AuctionResult | None]:
        """Sell an item to the first bidder; await it for the winner and the price (FIPA XC00032).

        Args:
            bidders: as of `english_auction`, and so are the others.
            item: what is sold.
            start: the first price.
            step: by how much it falls.
            reserve: the lowest price; if nobody bids that, it is not sold, and this returns None.
            timeout: how many seconds to wait for a bid in each round.
        """
        return self.conversations.dutch_auction(
            bidders, item, start=start, step=step, reserve=reserve, timeout=timeout
        )

    def two_phase_commit(
        self, partners: Iterable[str] | Partners, body: str | bytes = "", *, timeout: float
    ) -> Coroutine[Any, Any, None]:
        """Request an action of all agents or none; await it (Gray 1978).

        All are asked by `query-if`; if all have said `confirm`, they do it when they get `accept-proposal`.
        Else all get `reject-proposal`.

        Args:
            partners: the names of those who are asked; or `search(...)` or `role(...)`.
            body: what is to be done.
            timeout: how many seconds all have to vote, and again to do it.

        Raises:
            RefusedError, NotUnderstoodError: an agent voted against it, so none does it.
            FailedError: an agent voted so, or failed to do it.
            NoAnswerError: an agent did not vote in time, so none does it; or did not report that it did it.
            asyncio.CancelledError: when cancelled; before the vote is over, nobody does it.
        """
        return self.conversations.two_phase_commit(partners, body, timeout)

    def converse(
        self, protocol: Protocol, partner: str | Partners, *, timeout: float | None = None
    ) -> Conversation:
        """Hold a conversation by any protocol, step by step: `async with self.converse(...) as talk`.

        Args:
            protocol: what may be said, such as one of your own.
            partner: an agent's name; or `search(...)` or `role(...)`: the first found.
            timeout: for how many seconds the other one is waited for in states that have a timeout; None for
                any time.
        """
        return self.conversations.conversation(protocol, partner, timeout)
